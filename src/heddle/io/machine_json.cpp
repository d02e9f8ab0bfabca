#include "heddle/io/machine_json.hpp"

#include <utility>

namespace heddle::io {
namespace {

enum class BusId : std::uint32_t {};

ResourceClass read_class(Json value, NameTable<ClassId>& names) {
  expect_object(value, "a class, e.g. {\"name\": \"cpu\", \"workers\": 4}",
                {"name", "workers", "memory", "memory_bytes", "watts"});
  ResourceClass result;
  result.name = names.add(require(value, "name", "the name of a class"));
  const Json workers = require(value, "workers", "a number of workers");
  constexpr std::int64_t kMost = 1'000'000;
  result.workers = static_cast<std::uint32_t>(
      read_integer(workers, "a whole number of workers (digits only, at most a million)", 0, kMost));
  if (const auto memory = find(value, "memory")) {
    result.memory = read_name(*memory, "\"each\" or the name of a memory");
  }
  if (const auto bytes = find(value, "memory_bytes")) {
    result.memory_bytes = read_integer(*bytes, "a whole number of bytes (digits only)", 0);
  }
  if (const auto watts = find(value, "watts")) {
    expect_object(*watts, R"(what a worker draws, e.g. {"busy": 12.5, "idle": 3.0})", {"busy", "idle"});
    result.watts = {read_watts(require(*watts, "busy", "watts")), read_watts(require(*watts, "idle", "watts"))};
  }
  return result;
}

std::vector<ResourceClass> read_classes(Json object, NameTable<ClassId>& names) {
  const Json list = require(object, "classes", "an array of classes");
  expect_array(list, "an array of classes");
  std::vector<ResourceClass> classes;
  for (const Json value : list) classes.push_back(read_class(value, names));
  return classes;
}

std::vector<Bus> read_buses(Json object, NameTable<BusId>& names) {
  std::vector<Bus> buses;
  const auto list = find(object, "buses");
  if (!list) return buses;
  expect_array(*list, "an array of buses");
  for (const Json value : *list) {
    expect_object(value, "a bus, e.g. {\"name\": \"switch0\", \"bandwidth\": 1.2e10}", {"name", "bandwidth"});
    const std::string_view name = names.add(require(value, "name", "the name of a bus"));
    buses.push_back({std::string(name), read_bandwidth(require(value, "bandwidth", "bytes per second"))});
  }
  return buses;
}

Link read_link(Json value, const NameTable<MemoryId>& memories, const NameTable<BusId>& buses) {
  expect_object(value, "a link, e.g. {\"from\": \"ram\", \"to\": \"gpu0\", \"bandwidth\": 1.2e10, \"latency\": 1e-5}",
                {"from", "to", "bandwidth", "latency", "via"});
  const auto end = [&](std::string_view key) {
    const Json memory = require(value, key, "the name of a memory");
    static_cast<void>(memories.resolve(memory));
    return std::string(memory.text());
  };
  Link link{end("from"), end("to"), read_bandwidth(require(value, "bandwidth", "bytes per second")), 0, {}};
  if (const auto latency = find(value, "latency")) link.latency = read_duration(*latency);
  const auto via = find(value, "via");
  if (!via) return link;
  expect_array(*via, "an array of bus names");
  for (const Json bus : *via) {
    static_cast<void>(buses.resolve(bus));
    link.via.emplace_back(bus.text());
  }
  return link;
}

void append_class(Buffer& out, const ResourceClass& c) {
  append(out, R"({"name": )");
  append_quoted(out, c.name);
  fmt::format_to(fmt::appender(out), R"(, "workers": {}, "memory": )", c.workers);
  append_quoted(out, c.memory);
  if (c.memory_bytes) fmt::format_to(fmt::appender(out), R"(, "memory_bytes": {})", *c.memory_bytes);
  if (c.watts) {
    fmt::format_to(fmt::appender(out), R"(, "watts": {{"busy": {}, "idle": {}}})", c.watts->busy, c.watts->idle);
  }
  out.push_back('}');
}

void append_link(Buffer& out, const Link& link) {
  append(out, R"({"from": )");
  append_quoted(out, link.from);
  append(out, R"(, "to": )");
  append_quoted(out, link.to);
  fmt::format_to(fmt::appender(out), R"(, "bandwidth": {}, "latency": {})", link.bandwidth,
                 format_seconds(link.latency));
  for (std::size_t i = 0; i < link.via.size(); ++i) {
    append(out, i == 0 ? R"(, "via": [)" : ", ");
    append_quoted(out, link.via[i]);
  }
  append(out, link.via.empty() ? "}" : "]}");
}

void append_bus(Buffer& out, const Bus& bus) {
  append(out, R"({"name": )");
  append_quoted(out, bus.name);
  fmt::format_to(fmt::appender(out), R"(, "bandwidth": {}}})", bus.bandwidth);
}

/// Writes `"key": [` and one item per line.
template <class Items, class AppendItem>
void append_list(Buffer& out, int indent, std::string_view key, const Items& items, AppendItem append_item) {
  fmt::format_to(fmt::appender(out), "{:{}}\"{}\": ", "", indent, key);
  Block block(out, indent + 2);
  for (const auto& item : items) {
    block.next();
    append_item(out, item);
  }
  block.close();
}

}  // namespace

Platform read_machine(Json object, NameTable<ClassId>& names) {
  std::vector<ResourceClass> classes = read_classes(object, names);
  NameTable<BusId> bus_names("bus");
  std::vector<Bus> buses = read_buses(object, bus_names);
  const auto list = find(object, "links");
  if (list) expect_array(*list, "an array of links");
  // The classes alone tell which memories there are.
  Platform without_links = with_place(object, [&] { return Platform(classes, {}, buses); });
  if (!list) return without_links;
  NameTable<MemoryId> memories("memory");
  for (const Memory& memory : without_links.memories()) memories.add(memory.name);
  std::vector<Link> links;
  for (const Json value : *list) links.push_back(read_link(value, memories, bus_names));
  return with_place(object, [&] { return Platform(std::move(classes), std::move(links), std::move(buses)); });
}

void read_durations(Json object, const NameTable<ClassId>& classes, std::vector<Time>& row) {
  expect_map(object, "an object of seconds by class, e.g. {\"cpu\": 0.01}");
  row.assign(classes.size(), kCannotRun);
  for (const Json member : object) {
    Time& duration = row[index(classes.resolve_key(member))];
    if (duration != kCannotRun) object.fail("has the key '" + std::string(member.key()) + "' twice");
    duration = read_duration(member);
  }
}

void append_machine(Buffer& out, int indent, std::span<const ResourceClass> classes, std::span<const Link> links,
                    std::span<const Bus> buses) {
  append_list(out, indent, "classes", classes, append_class);
  if (!links.empty()) {
    append(out, ",\n");
    append_list(out, indent, "links", links, append_link);
  }
  if (!buses.empty()) {
    append(out, ",\n");
    append_list(out, indent, "buses", buses, append_bus);
  }
}

}  // namespace heddle::io
