#include "heddle/io/platform_file.hpp"

#include <set>
#include <tuple>
#include <utility>

#include "heddle/io/json_read.hpp"
#include "heddle/io/json_write.hpp"
#include "heddle/io/machine_json.hpp"
#include "heddle/io/text.hpp"

namespace heddle::io {
namespace {

void read_kernel_key(Json value, KernelTiming& timing) {
  const auto kernel = find(value, "kernel");
  for (const std::string_view key : {"tile", "precision"}) {
    if (!kernel && find(value, key)) value.fail("has a '" + std::string(key) + "' but no 'kernel'");
  }
  if (!kernel) return;
  timing.kernel = read_name(*kernel, "the name of a kernel");
  const Json tile = require(value, "tile", "the order of the square tile");
  timing.tile = read_integer(tile, "the order of the square tile, a whole number above 0 (digits only)", 1);
  const Json precision = require(value, "precision", "\"single\" or \"double\"");
  timing.precision = read_string(precision, "\"single\" or \"double\"");
  if (timing.precision != "single" && timing.precision != "double") precision.fail_expected("'single' or 'double'");
}

void read_codelet_key(Json value, KernelTiming& timing) {
  const auto codelet = find(value, "codelet");
  if (!codelet && find(value, "footprint")) value.fail("has a 'footprint' but no 'codelet'");
  if (!codelet) return;
  timing.codelet = read_name(*codelet, "the name of a codelet");
  const Json footprint = require(value, "footprint", "8 hexadecimal digits");
  timing.footprint = read_string(footprint, "8 hexadecimal digits");
  const bool is_hexadecimal = timing.footprint.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (timing.footprint.size() != 8 || !is_hexadecimal) footprint.fail_expected("8 hexadecimal digits in lower case");
}

KernelTiming read_kernel(Json value, const NameTable<ClassId>& classes, std::vector<Time>& row) {
  expect_object(value, "a kernel with its durations",
                {"kernel", "tile", "precision", "codelet", "footprint", "seconds", "derived"});
  KernelTiming timing;
  read_kernel_key(value, timing);
  read_codelet_key(value, timing);
  if (timing.kernel.empty() && timing.codelet.empty()) {
    value.fail("has neither 'kernel' nor 'codelet'; expected at least one of them");
  }
  const Json seconds = require(value, "seconds", "an object of seconds by class");
  read_durations(seconds, classes, row);
  for (const Json member : seconds) {
    timing.seconds.push_back({std::string(member.key()), row[index(classes.resolve_key(member))]});
  }
  if (const auto derived = find(value, "derived")) timing.derived = read_boolean(*derived);
  return timing;
}

/// What timings are found by. A second one would never be: not one of the same codelet (those of several may share a
/// kernel).
class TimingKeys {
 public:
  void add(Json value, const KernelTiming& timing) {
    const auto& [kernel, tile, precision, codelet, footprint, seconds, derived] = timing;
    if (!kernel.empty() && !kernels_.emplace(kernel, tile, precision, codelet).second) {
      value.fail("is kernel " + in_quotes(kernel) + " at tile " + std::to_string(tile) + " in " + precision +
                 " precision again; expected one entry for it" + (codelet.empty() ? "" : " and the codelet"));
    }
    if (!codelet.empty() && !codelets_.emplace(codelet, footprint).second) {
      value.fail("is codelet " + in_quotes(codelet) + " with footprint '" + footprint +
                 "' again; expected one entry for them");
    }
  }

 private:
  std::set<std::tuple<std::string, std::int64_t, std::string, std::string>> kernels_;
  std::set<std::pair<std::string, std::string>> codelets_;
};

void append_kernel(Buffer& out, const KernelTiming& timing) {
  if (!timing.kernel.empty()) {
    append(out, R"({"kernel": )");
    append_quoted(out, timing.kernel);
    fmt::format_to(fmt::appender(out), R"(, "tile": {}, "precision": )", timing.tile);
    append_quoted(out, timing.precision);
  }
  if (!timing.codelet.empty()) {
    append(out, timing.kernel.empty() ? R"({"codelet": )" : R"(, "codelet": )");
    append_quoted(out, timing.codelet);
    append(out, R"(, "footprint": )");
    append_quoted(out, timing.footprint);
  }
  append(out, R"(, "seconds": {)");
  for (std::size_t i = 0; i < timing.seconds.size(); ++i) {
    if (i > 0) append(out, ", ");
    append_quoted(out, timing.seconds[i].class_name);
    append(out, ": ");
    append(out, format_seconds(timing.seconds[i].duration));
  }
  append(out, timing.derived ? R"(}, "derived": true})" : "}}");
}

}  // namespace

Machine read_platform(std::string_view text, std::string_view source) {
  const JsonDocument document(text, source);
  const Json root = document.root();
  expect_document(root, "heddle-platform", {"name", "classes", "links", "buses", "kernels"});
  NameTable<ClassId> classes("class");
  const Platform platform = read_machine(root, classes);
  const auto name = find(root, "name");
  Machine machine;
  machine.name = name ? std::string(read_string(*name, "the name of the machine")) : stem(source);
  for (const ClassId c : platform.classes()) machine.classes.push_back(platform.resource_class(c));
  machine.links = platform.links();
  machine.buses = platform.buses();
  const auto kernels = find(root, "kernels");
  if (!kernels) return machine;
  expect_array(*kernels, "an array of kernels");
  std::vector<Time> row;
  TimingKeys keys;
  for (const Json kernel : *kernels) {
    machine.kernels.push_back(read_kernel(kernel, classes, row));
    keys.add(kernel, machine.kernels.back());
  }
  return machine;
}

std::string write_platform(const Machine& machine) {
  Buffer out;
  append(out, "{\n  \"format\": \"heddle-platform\", \"version\": 1, \"name\": ");
  append_quoted(out, machine.name);
  append(out, ",\n");
  append_machine(out, 2, machine.classes, machine.links, machine.buses);
  append(out, ",\n  \"kernels\": ");
  Block block(out, 4);
  for (const KernelTiming& timing : machine.kernels) {
    block.next();
    append_kernel(out, timing);
  }
  block.close();
  append(out, "\n}\n");
  return fmt::to_string(out);
}

}  // namespace heddle::io
