#include "heddle/sim/data_mover.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "heddle/model/error.hpp"

namespace heddle::sim {
namespace {

std::int64_t largest_datum(const TaskGraph& graph) {
  std::int64_t largest = 0;
  for (const Datum& datum : graph.data()) largest = std::max(largest, datum.bytes);
  return largest;
}

}  // namespace

DataMover::DataMover(const Instance& instance)
    : instance_(&instance),
      ram_(instance.platform.find_memory("ram").value()),
      network_(instance.platform, largest_datum(instance.graph)),
      rooms_(instance.platform.memories().size()) {
  copies_.resize(instance.graph.data_count() * rooms_.size());
  for (const MemoryId memory : rooms_.ids()) {
    const std::optional<std::int64_t> capacity = instance.platform.memories()[memory].bytes;
    rooms_[memory].limited = capacity.has_value();
    rooms_[memory].left = capacity.value_or(std::numeric_limits<std::int64_t>::max());
  }
  reserve_homes();
  check_tasks();
  for (const TaskId task : instance.graph.tasks()) {
    for (const Access access : instance.graph.accesses(task)) {
      if (access.mode != AccessMode::read && instance.graph.datum(access.data).write_back) {
        ++values_[access.data].writers_left;
      }
    }
  }
}

void DataMover::reserve_homes() {
  const Table<DataId, MemoryId> homes = home_memories(*instance_);
  for (const DataId data : homes.ids()) {
    const Datum& datum = instance_->graph.datum(data);
    const MemoryId home = homes[data];
    values_.push_back({.home = home});
    if (rooms_[home].limited && rooms_[home].left < datum.bytes) {
      throw InputError("memory '" + datum.home + "' has no room for datum '" + datum.name +
                       "', which is at home there");
    }
    take_room(data, home);
    copy(data, home).state = State::valid;
  }
}

void DataMover::check_tasks() const {
  const auto check = [&](TaskId task, MemoryId memory) {
    std::int64_t left = rooms_[memory].left;
    std::int64_t needed = 0;
    for (const Access access : instance_->graph.accesses(task)) {
      if (values_[access.data].home == memory) continue;
      needed += bytes(access.data);
      left -= bytes(access.data);
      if (left >= 0) continue;
      throw InputError("task '" + std::string(instance_->graph.name(task)) + "' needs " + std::to_string(needed) +
                       " bytes or more at once in memory '" + instance_->platform.memories()[memory].name +
                       "', which has " + std::to_string(rooms_[memory].left) + " beside the data at home there");
    }
  };
  for (const ClassId c : instance_->platform.classes()) {
    std::vector<MemoryId> memories;
    for (const WorkerId worker : instance_->platform.workers(c)) {
      const MemoryId memory = instance_->platform.memory_of(worker);
      if (rooms_[memory].limited && (memories.empty() || memories.back() != memory)) memories.push_back(memory);
    }
    for (const TaskId task : instance_->graph.tasks()) {
      if (!instance_->costs.can_run(task, c)) continue;
      for (const MemoryId memory : memories) check(task, memory);
    }
  }
}

void DataMover::resume(policy::HostView& view, std::span<const host::Present::Copy> copies,
                       std::vector<Transfer>& log) {
  struct Arrival {
    Time since;
    DataId data;
    MemoryId memory;
  };
  std::vector<Arrival> arrivals;
  for (const DataId data : values_.ids()) {
    const auto row = copies.subspan(index(data) * rooms_.size(), rooms_.size());
    restore(view, data, row);
    for (const MemoryId memory : rooms_.ids()) {
      const host::Present::Copy& there = row[index(memory)];
      if (there.state == policy::HostView::Copy::coming) arrivals.push_back({there.since, data, memory});
    }
  }
  std::ranges::stable_sort(arrivals, {}, &Arrival::since);
  const Time now = view.now();
  for (const Arrival& arrival : arrivals) {
    const Time since = std::min(arrival.since, now);
    proceed(view, since, log);
    view.set_now(since);
    // What goes by way of ram may have left, or be about to leave, a copy there.
    const Copy& here = copy(arrival.data, arrival.memory);
    if (here.state == State::invalid) fetch(view, arrival.data, arrival.memory);
  }
  proceed(view, now, log);
  view.set_now(now);
}

/// Puts the copies of a datum where they are. What is valid nowhere is taken to be valid at home.
void DataMover::restore(policy::HostView& view, DataId data, std::span<const host::Present::Copy> copies) {
  constexpr auto kValid = policy::HostView::Copy::valid;
  const bool exists = std::ranges::find(copies, kValid, &host::Present::Copy::state) != copies.end();
  for (const MemoryId memory : rooms_.ids()) {
    const host::Present::Copy& there = copies[index(memory)];
    const bool valid = there.state == kValid || (!exists && memory == values_[data].home);
    Copy& here = copy(data, memory);
    here.state = valid ? State::valid : State::invalid;
    here.partial = there.partial;
    if (there.partial) ++values_[data].partials;
    if (valid || there.partial) take_room(data, memory);
    view.set_copy(data, memory, valid ? kValid : policy::HostView::Copy::none);
    update_evictable(data, memory);
  }
  for (const MemoryId memory : rooms_.ids()) merge(view, data, memory);
}

/// Transfers go on up to a moment that is past.
void DataMover::proceed(policy::HostView& view, Time until, std::vector<Transfer>& log) {
  while (network_.next() < until) {
    view.set_now(network_.next());
    advance(view, log);
  }
}

void DataMover::hold(TaskId task, MemoryId memory) {
  for (const Access access : instance_->graph.accesses(task)) {
    pin(access.data, memory);
    take_room(access.data, memory);
  }
}

void DataMover::update_evictable(DataId data, MemoryId memory) {
  Room& room = rooms_[memory];
  if (!room.limited) return;
  const Copy& here = copy(data, memory);
  const std::pair entry(here.last_use, data);
  const bool may_go = here.has_room && here.pins == 0 && here.arrivals == 0 && !here.partial_leaves &&
                      memory != values_[data].home && (here.state == State::valid || here.partial);
  if (may_go) {
    room.evictable.insert(entry);
  } else {
    room.evictable.erase(entry);
  }
}

void DataMover::pin(DataId data, MemoryId memory) {
  ++copy(data, memory).pins;
  update_evictable(data, memory);
}

void DataMover::unpin(DataId data, MemoryId memory) {
  Copy& here = copy(data, memory);
  --here.pins;
  if (here.pins > 0) return;
  here.last_use = ++clock_;
  update_evictable(data, memory);
  leave_room(data, memory);
  Value& value = values_[data];
  if (value.gather != memory) return;
  // No task waits here any more for what was being gathered: others may.
  value.gather = kNone<MemoryId>;
  for (Room& room : rooms_) ++room.news;
}

void DataMover::take_room(DataId data, MemoryId memory) {
  Copy& here = copy(data, memory);
  if (here.has_room) return;
  here.has_room = true;
  if (rooms_[memory].limited) rooms_[memory].left -= bytes(data);
}

/// Gives the room of a copy back when nothing keeps it.
void DataMover::leave_room(DataId data, MemoryId memory) {
  Copy& here = copy(data, memory);
  const bool kept = here.state != State::invalid || here.pins > 0 || here.arrivals > 0 || here.partial;
  if (!here.has_room || kept || memory == values_[data].home) return;
  here.has_room = false;
  if (rooms_[memory].limited) rooms_[memory].left += bytes(data);
}

/// Drops or writes back copies, those not used for the longest time first, until `needed` bytes are or will be free.
/// Whether they are.
bool DataMover::make_room(policy::HostView& view, MemoryId memory, std::int64_t needed) {
  Room& room = rooms_[memory];
  while (room.left + room.leaving < needed && !room.evictable.empty()) {
    evict(view, room.evictable.begin()->second, memory);
  }
  return room.left >= needed;
}

bool DataMover::is_elsewhere(DataId data, MemoryId memory) {
  return std::ranges::any_of(
      rooms_.ids(), [&](MemoryId other) { return other != memory && copy(data, other).state == State::valid; });
}

/// Drops a copy, after writing it home if it is the only one. Leaves it no longer evictable.
void DataMover::evict(policy::HostView& view, DataId data, MemoryId memory) {
  const MemoryId home = values_[data].home;
  if (copy(data, memory).partial) {
    send_partial(view, data, memory, home);
  } else if (is_elsewhere(data, memory)) {
    invalidate(view, data, memory);
  } else {
    rooms_[memory].leaving += bytes(data);
    fetch(view, data, home, true);
  }
}

/// Where the valid copy is that is there first.
MemoryId DataMover::nearest(const policy::HostView& view, DataId data, MemoryId to) {
  MemoryId nearest = kNone<MemoryId>;
  Time least = 0;
  for (const MemoryId from : rooms_.ids()) {
    if (copy(data, from).state != State::valid) continue;
    const Time duration = view.routes().duration(from, to, bytes(data));
    if (nearest != kNone<MemoryId> && duration >= least) continue;
    nearest = from;
    least = duration;
  }
  return nearest;
}

void DataMover::fetch(policy::HostView& view, DataId data, MemoryId to, bool evicts) {
  const MemoryId from = nearest(view, data, to);
  take_room(data, to);
  copy(data, to).state = State::coming;
  view.set_copy(data, to, policy::HostView::Copy::coming);
  depart(view, {.data = data,
                .from = from,
                .to = to,
                .origin = from,
                .end = to,
                .version = values_[data].version,
                .evicts = evicts});
}

void DataMover::send_partial(policy::HostView& view, DataId data, MemoryId from, MemoryId to) {
  copy(data, from).partial_leaves = true;
  depart(view, {.data = data,
                .from = from,
                .to = to,
                .origin = from,
                .end = to,
                .version = values_[data].version,
                .partial = true});
}

/// Starts the next hop of a trip. A trip by way of ram leaves a valid copy there if that is the datum's home, and waits
/// for one that is on its way already.
void DataMover::depart(policy::HostView& view, Trip trip) {
  const auto hops = view.routes().hops(trip.from, trip.end);
  if (trip.from == trip.origin) ++copy(trip.data, trip.end).arrivals;
  if (hops.size() == 2) {
    trip.to = ram_;
    Copy& stopover = copy(trip.data, ram_);
    if (!trip.partial && values_[trip.data].home == ram_) {
      if (stopover.state == State::coming) {
        stopovers_.push_back(trip);
        return;
      }
      stopover.state = State::coming;
      view.set_copy(trip.data, ram_, policy::HostView::Copy::coming);
    }
  }
  pin(trip.data, trip.from);
  std::uint32_t ticket = 0;
  if (free_trips_.empty()) {
    ticket = static_cast<std::uint32_t>(trips_.size());
    trips_.push_back(trip);
  } else {
    ticket = free_trips_.back();
    free_trips_.pop_back();
    trips_[ticket] = trip;
  }
  network_.submit(view.now(), hops[0], bytes(trip.data), ticket);
}

void DataMover::advance(policy::HostView& view, std::vector<Transfer>& log) {
  if (network_.next() != view.now()) return;
  ended_.clear();
  network_.advance(view.now(), ended_);
  for (const Network::Ended& ended : ended_) {
    const Trip& trip = trips_[ended.ticket];
    log.push_back({trip.data, trip.from, trip.to, ended.start, view.now(), bytes(trip.data)});
    hop_ends(view, ended.ticket);
  }
}

void DataMover::hop_ends(policy::HostView& view, std::uint32_t ticket) {
  const Trip trip = trips_[ticket];
  ++rooms_[trip.to].news;
  free_trips_.push_back(ticket);
  unpin(trip.data, trip.from);
  if (trip.to == trip.end) {
    end_trip(view, trip);
  } else {
    Copy& stopover = copy(trip.data, trip.to);
    if (!trip.partial && is_current(trip) && stopover.state == State::coming) {
      stopover.state = State::valid;
      view.set_copy(trip.data, trip.to, policy::HostView::Copy::valid);
      merge(view, trip.data, trip.to);
    }
    go_on(view, trip);
  }
  if (trip.to == ram_) continue_stopovers(view, trip.data);
}

/// From the stopover to the end; what has become outdated meanwhile is dropped.
void DataMover::go_on(policy::HostView& view, Trip trip) {
  trip.from = trip.to;
  trip.to = trip.end;
  if (is_current(trip)) {
    depart(view, trip);
  } else {
    end_trip(view, trip);
  }
}

void DataMover::continue_stopovers(policy::HostView& view, DataId data) {
  if (copy(data, ram_).state == State::coming) return;
  const auto waits = std::ranges::stable_partition(stopovers_, [&](const Trip& trip) { return trip.data != data; });
  const std::vector<Trip> free(waits.begin(), waits.end());
  stopovers_.erase(waits.begin(), waits.end());
  for (const Trip& trip : free) go_on(view, trip);
}

void DataMover::end_trip(policy::HostView& view, const Trip& trip) {
  --copy(trip.data, trip.end).arrivals;
  if (trip.evicts) rooms_[trip.origin].leaving -= bytes(trip.data);
  if (is_current(trip)) {
    if (trip.partial) {
      arrive_partial(trip);
    } else {
      arrive(view, trip);
    }
  }
  // Also what came too late kept the copy there from being dropped.
  update_evictable(trip.data, trip.end);
  leave_room(trip.data, trip.end);
  merge(view, trip.data, trip.end);
}

void DataMover::arrive(policy::HostView& view, const Trip& trip) {
  copy(trip.data, trip.end).state = State::valid;
  view.set_copy(trip.data, trip.end, policy::HostView::Copy::valid);
  const Copy& origin = copy(trip.data, trip.origin);
  if (trip.evicts && origin.pins == 0 && !origin.partial) invalidate(view, trip.data, trip.origin);
}

void DataMover::arrive_partial(const Trip& trip) {
  Copy& source = copy(trip.data, trip.origin);
  source.partial = source.partial_anew;
  source.partial_leaves = source.partial_anew = false;
  if (!source.partial) --values_[trip.data].partials;
  accumulate(trip.data, trip.end);
  update_evictable(trip.data, trip.origin);
  leave_room(trip.data, trip.origin);
  // It may have been on its way home when it was asked for.
  const MemoryId gather = values_[trip.data].gather;
  if (gather != kNone<MemoryId>) ++rooms_[gather].news;
}

/// Adds to the private copy in a memory.
void DataMover::accumulate(DataId data, MemoryId memory) {
  Copy& here = copy(data, memory);
  if (!here.partial) ++values_[data].partials;
  here.partial = true;
  here.partial_anew = here.partial_leaves;
}

bool DataMover::stage(policy::HostView& view, TaskId task, MemoryId memory) {
  const auto accesses = instance_->graph.accesses(task);
  std::int64_t needed = 0;
  for (const Access access : accesses) {
    pin(access.data, memory);
    if (!copy(access.data, memory).has_room) needed += bytes(access.data);
  }
  Room& room = rooms_[memory];
  if (room.limited && room.left < needed && !make_room(view, memory, needed)) {
    for (const Access access : accesses) unpin(access.data, memory);
    return false;
  }
  for (const Access access : accesses) take_room(access.data, memory);
  return true;
}

bool DataMover::supplied(policy::HostView& view, TaskId task, MemoryId memory) {
  bool all = true;
  for (const Access access : instance_->graph.accesses(task)) {
    request(view, access, memory);
    all = all && is_there(access, memory);
  }
  return all;
}

bool DataMover::is_there(Access access, MemoryId memory) {
  return !reads(access.mode) || (values_[access.data].partials == 0 && copy(access.data, memory).state == State::valid);
}

void DataMover::request(policy::HostView& view, Access access, MemoryId memory) {
  if (!reads(access.mode)) return;
  Value& value = values_[access.data];
  if (value.partials > 0) {
    // One memory gathers the private copies; others that need the datum wait for the result.
    if (value.gather == kNone<MemoryId>) value.gather = memory;
    if (value.gather != memory) return;
    for (const MemoryId other : rooms_.ids()) {
      const Copy& there = copy(access.data, other);
      if (other != memory && there.partial && !there.partial_leaves) send_partial(view, access.data, other, memory);
    }
  }
  if (copy(access.data, memory).state == State::invalid) fetch(view, access.data, memory);
}

/// Where the value and all that was accumulated have met, the new value is.
void DataMover::merge(policy::HostView& view, DataId data, MemoryId memory) {
  const Copy& here = copy(data, memory);
  if (here.partial && here.state == State::valid && values_[data].partials == 1) written(view, data, memory);
}

void DataMover::prefetch(policy::HostView& view, TaskId task, MemoryId memory) {
  for (const Access access : instance_->graph.accesses(task)) {
    const Copy& here = copy(access.data, memory);
    const Room& room = rooms_[memory];
    if (!reads(access.mode) || here.state != State::invalid || values_[access.data].partials > 0) continue;
    if (!here.has_room && room.limited && room.left < bytes(access.data)) continue;
    fetch(view, access.data, memory);
  }
}

void DataMover::count_writes(TaskId task) {
  for (const Access access : instance_->graph.accesses(task)) {
    std::uint32_t& left = values_[access.data].writers_left;
    if (access.mode == AccessMode::read || left == 0) continue;
    --left;
    if (left == 0) write_backs_.push_back(access.data);
  }
}

void DataMover::write_back(policy::HostView& view) {
  const auto is_done = [&](DataId data) {
    const MemoryId home = values_[data].home;
    if (copy(data, home).state != State::invalid) return true;
    const auto hops = view.routes().hops(nearest(view, data, home), home);
    if (!network_.is_free(hops.front())) return false;
    fetch(view, data, home);
    return true;
  };
  // std::erase_if is not bound to ask in order.
  write_backs_.erase(std::remove_if(write_backs_.begin(), write_backs_.end(), is_done), write_backs_.end());
}

void DataMover::release(policy::HostView& view, TaskId task, MemoryId memory, bool completed) {
  if (completed) count_writes(task);
  for (const Access access : instance_->graph.accesses(task)) {
    if (completed && access.mode == AccessMode::reduce) {
      accumulate(access.data, memory);
      merge(view, access.data, memory);
    } else if (completed && writes(access.mode)) {
      written(view, access.data, memory);
    }
    unpin(access.data, memory);
  }
}

/// The memory has the only valid copy from now on.
void DataMover::written(policy::HostView& view, DataId data, MemoryId memory) {
  Value& value = values_[data];
  ++value.version;
  value.partials = 0;
  value.gather = kNone<MemoryId>;
  for (const MemoryId other : rooms_.ids()) {
    if (other != memory) invalidate(view, data, other);
  }
  Copy& here = copy(data, memory);
  here.state = State::valid;
  here.partial = here.partial_leaves = here.partial_anew = false;
  for (Room& room : rooms_) ++room.news;
  view.set_copy(data, memory, policy::HostView::Copy::valid);
  update_evictable(data, memory);
}

void DataMover::invalidate(policy::HostView& view, DataId data, MemoryId memory) {
  Copy& there = copy(data, memory);
  there.state = State::invalid;
  there.partial = there.partial_leaves = there.partial_anew = false;
  view.set_copy(data, memory, policy::HostView::Copy::none);
  update_evictable(data, memory);
  leave_room(data, memory);
}

}  // namespace heddle::sim
