#include "heddle/cli/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/io/platform_file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/format.hpp"
#include "heddle/runtime/history.hpp"
#include "heddle/runtime/models/links.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using runtime::History;
using runtime::Measured;
using runtime::MeasuredLink;
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

void print_history_json(const History& history, const std::vector<Measured>& entries,
                        const std::vector<MeasuredLink>& measured_links) {
  Json durations = Json::array();
  for (const Measured& entry : entries) {
    durations.push_back({{"kernel", entry.kernel},
                         {"shapes", json_shapes(entry.shapes)},
                         {"class", entry.class_name},
                         {"variant", entry.variant},
                         {"count", entry.duration.count()},
                         {"mean", json_seconds(entry.duration.mean())},
                         {"spread", json_seconds(entry.duration.spread())}});
  }
  Json links = Json::array();
  for (const MeasuredLink& link : measured_links) {
    const runtime::LinkSpeed speed = runtime::speed_of(link);
    links.push_back({{"from", link.from},
                     {"to", link.to},
                     {"count", link.latency.count() + link.mebibyte.count()},
                     {"latency", json_seconds(speed.latency)},
                     {"bandwidth", speed.bandwidth}});
  }
  print_json({{"machine", history.machine()},
              {"version", HEDDLE_VERSION},
              {"history", history.path()},
              {"durations", std::move(durations)},
              {"links", std::move(links)}});
}

void print_durations(const std::vector<Measured>& entries) {
  using report::Align;
  report::TextTable table({{"kernel", Align::left},
                           {"data", Align::left, true},
                           {"class", Align::left},
                           {"count", Align::right},
                           {"mean", Align::right},
                           {"spread", Align::right}});
  for (const Measured& entry : entries) {
    const std::string variant = entry.variant.empty() ? "" : fmt::format(" ({})", entry.variant);
    table.add_row({entry.kernel + variant, describe(entry.shapes), entry.class_name,
                   report::format_count(static_cast<std::int64_t>(entry.duration.count())),
                   report::format_time(entry.duration.mean()), report::format_time(entry.duration.spread())});
  }
  fmt::print("\n{}", table.text(terminal_style()));
}

void print_links(const std::vector<MeasuredLink>& links) {
  using report::Align;
  report::TextTable table({{"from", Align::left},
                           {"to", Align::left},
                           {"count", Align::right},
                           {"latency", Align::right},
                           {"bandwidth", Align::right}});
  for (const MeasuredLink& link : links) {
    const runtime::LinkSpeed speed = runtime::speed_of(link);
    table.add_row({link.from, link.to,
                   report::format_count(static_cast<std::int64_t>(link.latency.count() + link.mebibyte.count())),
                   report::format_time(speed.latency),
                   report::format_bytes(static_cast<std::int64_t>(speed.bandwidth)) + "/s"});
  }
  fmt::print("\n{}", table.text(terminal_style()));
}

}  // namespace

History open_history(const HistoryOptions& options, History::Unreadable unreadable) {
  const auto path = options.path.empty() ? runtime::default_history_path() : options.path;
  if (!path) {
    throw InputError(
        "there is no place for the history: neither XDG_CACHE_HOME nor HOME is set; name one with --history");
  }
  return History(*path, runtime::this_machine(), warn, unreadable);
}

void print_history(const History& history, bool json) {
  const std::vector<Measured> entries = history.read();
  const std::vector<MeasuredLink> links = history.read_links();
  if (json) return print_history_json(history, entries, links);
  fmt::print("{}\n{}\n", history.machine(), history.path());
  if (entries.empty() && links.empty()) {
    fmt::print("\nnothing measured yet; heddle calibrate does\n");
    return;
  }
  if (!entries.empty()) print_durations(entries);
  if (!links.empty()) print_links(links);
}

int show_history(const HistoryOptions& options) {
  print_history(open_history(options, History::Unreadable::reported), options.json);
  return 0;
}

int clear_history(const HistoryOptions& options) {
  const History history = open_history(options);
  const std::size_t count = history.clear();
  fmt::print("{} {} of {} forgotten\n", count, count == 1 ? "entry" : "entries", history.machine());
  return 0;
}

int export_history(const HistoryExportOptions& options) {
  check_outputs({{"--output", options.output}});
  const History history = open_history(options.history, History::Unreadable::reported);
  const std::vector<Measured> entries = history.read();
  Machine machine = runtime::measured_machine(entries, history.read_links(), options.workers);
  if (machine.kernels.empty()) {
    throw InputError("nothing was measured of kernels on square tiles on such workers; heddle calibrate does");
  }
  machine.name = history.machine();
  if (machine.links.empty() && std::ranges::count(machine.classes, ResourceClass::kEach, &ResourceClass::memory) > 0) {
    warn(
        "not all links of the devices were measured, so that data takes no time to move; heddle calibrate measures "
        "them");
  }
  std::size_t exported = 0;
  for (const KernelTiming& timing : machine.kernels) exported += timing.seconds.size();
  if (exported < entries.size()) {
    warn(
        fmt::format("{} of {} entries have no place in a platform: they are of other data or workers, or slower than "
                    "another implementation",
                    entries.size() - exported, entries.size()));
  }
  write_output(options.output, io::write_platform(machine));
  return 0;
}

}  // namespace heddle::cli
