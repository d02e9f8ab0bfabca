#include "tests/support/scenario.hpp"

#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

namespace heddle::test {
namespace {

constexpr double kBytePerPicosecond = 1e12;

std::optional<AccessMode> access_mode(const std::string& key) {
  constexpr std::array<std::pair<std::string_view, AccessMode>, 5> kModes{{{"r", AccessMode::read},
                                                                           {"w", AccessMode::write},
                                                                           {"rw", AccessMode::read_write},
                                                                           {"commute", AccessMode::commute},
                                                                           {"reduce", AccessMode::reduce}}};
  for (const auto& [name, mode] : kModes) {
    if (key == name) return mode;
  }
  return std::nullopt;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> names;
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

}  // namespace

Scenario::Scenario(const std::filesystem::path& file) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (expecting_) {
      expected += line + "\n";
    } else {
      read(line);
    }
  }
}

Instance Scenario::instance() {
  Platform platform(classes_, links_, buses_);
  TaskGraph graph = builder_.build();
  Costs costs(graph, platform.class_count());
  for (const TaskId task : graph.tasks()) {
    const std::uint32_t row = costs.own_row(task);
    for (const auto& [name, duration] : durations_[index(task)]) {
      costs.set_actual(row, platform.find_class(name).value(), duration);
    }
  }
  return make_instance("scenario", std::move(graph), std::move(platform), std::move(costs));
}

void Scenario::read(const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  words >> verb;
  if (verb == "policy") {
    words >> policy;
  } else if (verb == "ahead") {
    words >> ahead;
  } else if (verb == "class") {
    ResourceClass c;
    std::string memory;
    words >> c.name >> c.workers >> memory;
    if (!memory.empty()) c.memory = memory;
    if (std::int64_t bytes = 0; words >> bytes) c.memory_bytes = bytes;
    classes_.push_back(c);
  } else if (verb == "link") {
    Link link{.from = {}, .to = {}, .bandwidth = kBytePerPicosecond, .latency = 0, .via = {}};
    words >> link.from >> link.to >> link.latency;
    for (std::string bus; words >> bus;) link.via.push_back(bus);
    links_.push_back(link);
  } else if (verb == "bus") {
    Bus bus{.name = {}, .bandwidth = kBytePerPicosecond};
    words >> bus.name;
    buses_.push_back(bus);
  } else if (verb == "datum") {
    Datum datum;
    words >> datum.name >> datum.bytes;
    for (std::string word; words >> word;) {
      if (word == "write_back") {
        datum.write_back = true;
      } else {
        datum.home = word;
      }
    }
    data_[datum.name] = builder_.add_datum(datum);
  } else if (verb == "task") {
    read_task(words);
  } else {
    expecting_ = verb == "expect";
  }
}

void Scenario::read_task(std::istringstream& words) {
  std::string name;
  words >> name;
  std::string type = name;
  std::vector<Access> accesses;
  std::vector<std::string> after;
  std::map<std::string, Time> durations;
  for (std::string word; words >> word;) {
    const std::string key = word.substr(0, word.find('='));
    const std::string value = word.substr(word.find('=') + 1);
    if (key == "type") {
      type = value;
    } else if (key == "after") {
      after = split(value);
    } else if (const auto mode = access_mode(key)) {
      for (const std::string& datum : split(value)) accesses.push_back({data_.at(datum), *mode});
    } else {
      durations[key] = std::stoll(value);
    }
  }
  const TaskId task = builder_.add_task(name, type_of(type), accesses);
  tasks_[name] = task;
  durations_.push_back(std::move(durations));
  for (const std::string& before : after) builder_.add_edge(tasks_.at(before), task);
}

TypeId Scenario::type_of(const std::string& name) {
  const auto known = types_.find(name);
  return known != types_.end() ? known->second : types_[name] = builder_.add_type(name);
}

std::string describe(const Instance& instance, const Schedule& schedule) {
  std::ostringstream text;
  for (const Attempt& attempt : schedule.attempts) {
    text << attempt.start << ' ' << attempt.end << ' ' << instance.platform.worker_name(attempt.worker) << ' '
         << instance.graph.name(attempt.task) << ' ' << to_string(attempt.outcome) << '\n';
  }
  const auto memory = [&](MemoryId id) { return instance.platform.memories()[id].name; };
  for (const Transfer& transfer : schedule.transfers) {
    text << transfer.start << ' ' << transfer.end << ' ' << memory(transfer.from) << ' ' << memory(transfer.to) << ' '
         << instance.graph.datum(transfer.data).name << '\n';
  }
  return text.str();
}

}  // namespace heddle::test
