#include "tests/fuzz/kept_targets.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "heddle/experiment/journal.hpp"
#include "heddle/runtime/history.hpp"
#include "tests/fuzz/steps.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::test {
namespace {

using experiment::Journal;
using experiment::Values;
using runtime::History;
using runtime::Measured;
using runtime::MeasuredLink;

/// The only file in a folder that lives as long as the program.
std::string only_file(std::string_view bytes) {
  static const Scratch scratch;
  for (const std::string& name : scratch.files()) std::filesystem::remove(scratch.path(name));
  return scratch.write("f", std::string(bytes));
}

void use_journal(std::string_view bytes) {
  const std::string path = only_file(bytes);
  const auto open = [&] { return std::make_unique<Journal>(path, "study", "1"); };
  const auto journal = accepted(open);
  if (!journal) return;
  const Values values{{"makespan", 1.5}};
  (*journal)->append("a cell", values);
  const auto again = open();
  const Values* const found = again->find("a cell");
  if (found == nullptr || *found != values) throw InternalError("what was appended to the journal is not there");
}

std::string with_checksums(std::string_view bytes) {
  std::string lines = "heddle-journal 2\tstudy\t1\n";
  while (!bytes.empty()) {
    const std::string_view line = bytes.substr(0, bytes.find('\n'));
    bytes.remove_prefix(std::min(line.size() + 1, bytes.size()));
    const auto checksum = crc32_z(0, reinterpret_cast<const Bytef*>(line.data()), line.size());
    lines += fmt::format("{}\t{:08x}\n", line, checksum);
  }
  return lines;
}

void add_to(const History& history) {
  const runtime::Estimate once(1, std::vector<Time>{kMicrosecond});
  history.add(std::vector<Measured>{{"new", {{8, 8, 8}}, "cpu", once}});
  history.add_links(std::vector<MeasuredLink>{{"ram", "new", once, once}});
}

}  // namespace

void run_journal(std::string_view bytes) {
  use_journal(bytes);
  use_journal(with_checksums(bytes));
}

void run_history(std::string_view bytes) {
  const std::string path = only_file(bytes);
  const bool usable = accepted([&] {
                        const History history(path, "toy");
                        for (const Measured& entry : history.read()) static_cast<void>(entry.duration.mean());
                        static_cast<void>(history.read_links());
                        add_to(history);
                        return true;
                      }).has_value();
  if (!usable) return;
  const auto complain = [](const std::string& warning) { throw InternalError(warning); };
  const History history(path, "toy", complain);
  const auto is_new = [](const Measured& entry) { return entry.kernel == "new"; };
  const auto leads_to_new = [](const MeasuredLink& link) { return link.to == "new"; };
  if (std::ranges::none_of(history.read(), is_new) || std::ranges::none_of(history.read_links(), leads_to_new)) {
    throw InternalError("what was added to the history is not there");
  }
}

}  // namespace heddle::test
