#include "heddle/model/platform.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle {
namespace {

std::string in_quotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

void check_bandwidth(double bandwidth, const std::string& owner) {
  if (!(bandwidth > 0) || !std::isfinite(bandwidth)) {
    throw InputError(owner + " has bandwidth " + std::to_string(bandwidth) + "; expected bytes per second above 0");
  }
}

}  // namespace

Platform::Platform(std::vector<ResourceClass> classes, std::vector<Link> links, std::vector<Bus> buses)
    : links_(std::move(links)), buses_(std::move(buses)) {
  classes_.reserve(classes.size());
  for (ResourceClass& c : classes) classes_.push_back(std::move(c));
  check_classes();
  number_workers();
  if (!name_workers("") && !name_workers(".")) throw InputError("two workers would have the same name");
  give_memories();
  check_links();
}

Platform Platform::restricted(std::span<const WorkerId> workers) const {
  Platform part = *this;
  for (ResourceClass& c : part.classes_) c.workers = 0;
  part.worker_class_.clear();
  part.worker_names_.clear();
  part.worker_memory_.clear();
  for (const WorkerId worker : workers) {
    const ClassId c = class_of(worker);
    ++part.classes_[c].workers;
    part.worker_class_.push_back(c);
    part.worker_names_.push_back(worker_name(worker));
    part.worker_memory_.push_back(memory_of(worker));
  }
  std::size_t first = 0;
  for (const ClassId c : part.classes()) {
    part.first_worker_[c] = first;
    first += part.classes_[c].workers;
  }
  return part;
}

void Platform::check_classes() const {
  std::size_t workers = 0;
  for (const ClassId id : classes()) {
    const ResourceClass& c = classes_[id];
    if (c.name.empty()) throw InputError("a resource class has an empty name");
    if (find_class(c.name) != id) throw InputError("there are two resource classes called " + in_quotes(c.name));
    if (c.memory_bytes && *c.memory_bytes < 0) {
      throw InputError("class " + in_quotes(c.name) + " has a memory of " + std::to_string(*c.memory_bytes) + " bytes");
    }
    for (const double watts : {c.watts.value_or(Watts()).busy, c.watts.value_or(Watts()).idle}) {
      if (watts >= 0 && std::isfinite(watts)) continue;
      throw InputError("class " + in_quotes(c.name) + " draws " + std::to_string(watts) + " watts; expected 0 or more");
    }
    workers += c.workers;
    if (workers > kMaxWorkers) throw InputError("the platform has more than a million workers");
  }
  if (workers == 0) throw InputError("the platform has no worker");
}

void Platform::number_workers() {
  for (const ClassId id : classes()) {
    first_worker_.push_back(worker_count());
    for (std::uint32_t number = 0; number < classes_[id].workers; ++number) worker_class_.push_back(id);
  }
}

/// Whether the names differ from each other.
bool Platform::name_workers(std::string_view separator) {
  std::unordered_set<std::string> taken;
  bool unique = true;
  worker_names_.clear();
  for (const WorkerId worker : workers()) {
    const ClassId id = class_of(worker);
    const std::string& name = class_name(id);
    const bool ends_in_digit = name.back() >= '0' && name.back() <= '9';
    std::string own = name;
    if (ends_in_digit) own += separator;
    own += std::to_string(index(worker) - first_worker_[id]);
    unique = taken.insert(own).second && unique;
    worker_names_.push_back(std::move(own));
  }
  return unique;
}

void Platform::give_memories() {
  std::unordered_map<std::string, MemoryId> known;
  for (const WorkerId worker : workers()) {
    const ResourceClass& c = classes_[class_of(worker)];
    const std::string& name = c.memory == ResourceClass::kEach ? worker_name(worker) : c.memory;
    const auto [memory, is_new] = known.try_emplace(name, make_id<MemoryId>(memories_.size()));
    if (is_new) {
      memories_.push_back({name, c.memory_bytes});
    } else if (memories_[memory->second].bytes != c.memory_bytes) {
      throw InputError("two classes share memory " + in_quotes(name) + " but disagree about its memory_bytes");
    }
    worker_memory_.push_back(memory->second);
  }
  // Where data starts when nothing else is said, even on a machine whose workers all have memories of their own.
  if (!known.contains("ram")) memories_.push_back({"ram", std::nullopt});
}

std::optional<ClassId> Platform::find_class(std::string_view name) const {
  const auto found = std::ranges::find(classes_, name, &ResourceClass::name);
  if (found == classes_.end()) return std::nullopt;
  return make_id<ClassId>(static_cast<std::size_t>(found - classes_.begin()));
}

std::optional<MemoryId> Platform::find_memory(std::string_view name) const {
  const auto found = std::ranges::find(memories_, name, &Memory::name);
  if (found == memories_.end()) return std::nullopt;
  return make_id<MemoryId>(static_cast<std::size_t>(found - memories_.begin()));
}

void Platform::check_links() const {
  for (const Bus& bus : buses_) {
    check_bandwidth(bus.bandwidth, "bus " + in_quotes(bus.name));
    if (std::ranges::count(buses_, bus.name, &Bus::name) > 1) {
      throw InputError("there are two buses called " + in_quotes(bus.name));
    }
  }
  std::set<std::pair<std::string_view, std::string_view>> joined;
  for (const Link& link : links_) {
    const std::string owner = "the link from " + in_quotes(link.from) + " to " + in_quotes(link.to);
    for (const std::string& end : {link.from, link.to}) {
      if (!find_memory(end)) throw InputError(owner + " names memory " + in_quotes(end) + ", which no class has");
    }
    if (link.from == link.to) throw InputError(owner + " goes nowhere");
    if (link.latency < 0) throw InputError(owner + " has a negative latency");
    check_bandwidth(link.bandwidth, owner);
    for (const std::string& bus : link.via) {
      if (std::ranges::find(buses_, bus, &Bus::name) == buses_.end()) {
        throw InputError(owner + " goes via bus " + in_quotes(bus) + ", which does not exist");
      }
    }
    if (!joined.emplace(link.from, link.to).second) throw InputError(owner + " is given twice");
  }
}

}  // namespace heddle
