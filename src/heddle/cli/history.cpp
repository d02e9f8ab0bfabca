#include "heddle/cli/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/io/platform_file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/format.hpp"
#include "heddle/runtime/measured_machine.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using runtime::History;
using runtime::Measured;
using runtime::Shape;

/// "960x960 960x1, 8 B each": the bytes of an element once where all data have the same.
std::string describe(const std::vector<Shape>& shapes) {
  std::string text;
  const bool alike = std::ranges::adjacent_find(shapes, std::ranges::not_equal_to(), &Shape::element) == shapes.end();
  for (const Shape& shape : shapes) {
    text += fmt::format("{}{}x{}", text.empty() ? "" : " ", shape.rows, shape.columns);
    if (!alike) text += fmt::format("x{}B", shape.element);
  }
  return alike && !shapes.empty() ? fmt::format("{}, {} B", text, shapes.front().element) : text;
}

Json json_shapes(const std::vector<Shape>& shapes) {
  Json list = Json::array();
  for (const Shape& shape : shapes) {
    list.push_back({{"rows", shape.rows}, {"columns", shape.columns}, {"element_bytes", shape.element}});
  }
  return list;
}

void print_history_json(const History& history, const std::vector<Measured>& entries) {
  Json durations = Json::array();
  for (const Measured& entry : entries) {
    durations.push_back({{"kernel", entry.kernel},
                         {"shapes", json_shapes(entry.shapes)},
                         {"class", entry.class_name},
                         {"count", entry.duration.count()},
                         {"mean", json_seconds(entry.duration.mean())},
                         {"spread", json_seconds(entry.duration.spread())}});
  }
  print_json({{"machine", history.machine()}, {"history", history.path()}, {"durations", std::move(durations)}});
}

}  // namespace

History open_history(const HistoryOptions& options) {
  const auto path = options.path.empty() ? runtime::default_history_path() : options.path;
  if (!path) {
    throw InputError(
        "there is no place for the history: neither XDG_CACHE_HOME nor HOME is set; name one with --history");
  }
  return History(*path, runtime::this_machine(), warn);
}

void print_history(const History& history, bool json) {
  using report::Align;
  const std::vector<Measured> entries = history.read();
  if (json) return print_history_json(history, entries);
  fmt::print("{}\n{}\n\n", history.machine(), history.path());
  if (entries.empty()) {
    fmt::print("nothing measured yet; heddle calibrate does\n");
    return;
  }
  report::TextTable table({{"kernel", Align::left},
                           {"data", Align::left, true},
                           {"class", Align::left},
                           {"count", Align::right},
                           {"mean", Align::right},
                           {"spread", Align::right}});
  for (const Measured& entry : entries) {
    table.add_row({entry.kernel, describe(entry.shapes), entry.class_name,
                   report::format_count(static_cast<std::int64_t>(entry.duration.count())),
                   report::format_time(entry.duration.mean()), report::format_time(entry.duration.spread())});
  }
  fmt::print("{}", table.text(terminal_style()));
}

int show_history(const HistoryOptions& options) {
  print_history(open_history(options), options.json);
  return 0;
}

int clear_history(const HistoryOptions& options) {
  const History history = open_history(options);
  const std::size_t count = history.clear();
  fmt::print("{} {} of {} forgotten\n", count, count == 1 ? "entry" : "entries", history.machine());
  return 0;
}

int export_history(const HistoryExportOptions& options) {
  const History history = open_history(options.history);
  const std::vector<Measured> entries = history.read();
  Machine machine = runtime::measured_machine(entries, options.workers);
  if (machine.kernels.empty()) {
    throw InputError("nothing was measured of kernels on square tiles on such workers; heddle calibrate does");
  }
  machine.name = history.machine();
  std::size_t exported = 0;
  for (const KernelTiming& timing : machine.kernels) exported += timing.seconds.size();
  if (exported < entries.size()) {
    warn(fmt::format("{} of {} entries have no place in a platform: they are of other data or workers",
                     entries.size() - exported, entries.size()));
  }
  write_output(options.output, io::write_platform(machine));
  return 0;
}

}  // namespace heddle::cli
