#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "heddle/host/present.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/view.hpp"
#include "heddle/sim/network.hpp"

namespace heddle::sim {

/// Where the copies of data are, and the transfers that bring them where tasks need them.
///
/// A copy is valid or not; a task that writes a datum leaves one valid copy, that in its worker's memory. A missing
/// copy is fetched from the valid one with the shortest route. `reduce` accumulates in private copies, one per memory,
/// which are brought together where the datum is next used. Memories with a capacity drop the copies that were least
/// recently used; the only valid copy of a datum is written back to its home before. Homes keep their room for ever.
/// Final values that are to be written back (Datum::write_back) wait for links that carry nothing else.
///
/// A value. Times are those of the view, which is told where copies are.
class DataMover {
 public:
  /// Throws InputError when a memory has no room for the data at home in it, or for a task that may run there.
  explicit DataMover(const Instance& instance);
  /// Takes over in the middle of a run, at the view's time; must come before all else. `copies`: by datum and memory. A
  /// copy that is late, at the pace of its links, is there. Appends to `log` transfers that ended so.
  void resume(policy::HostView& view, std::span<const host::Present::Copy> copies, std::vector<Transfer>& log);
  /// A task that computes has its data, and room for it, until release().
  void hold(TaskId task, MemoryId memory);

  /// Gives the task room for its data in the memory, keeps it there until release(), and asks for what is missing.
  /// False, and nothing done, while there is no room; what is in the way is written back meanwhile.
  [[nodiscard]] bool stage(policy::HostView& view, TaskId task, MemoryId memory);
  /// Whether all that a staged task needs is there. Asks for what can be asked for only now.
  [[nodiscard]] bool supplied(policy::HostView& view, TaskId task, MemoryId memory);
  /// Counts what has happened to the copies in a memory: supplied() gives the same answer until this changes.
  [[nodiscard]] std::uint64_t news(MemoryId memory) const { return rooms_[memory].news; }
  /// Fetches what a ready task reads as far as there is free room.
  void prefetch(policy::HostView& view, TaskId task, MemoryId memory);
  /// A task that completed before all this.
  void skip(TaskId task) { count_writes(task); }
  /// Sends final values home (Datum::write_back) over links that carry nothing else.
  void write_back(policy::HostView& view);
  /// A staged task no longer needs its data; if it has completed, its writes count.
  void release(policy::HostView& view, TaskId task, MemoryId memory, bool completed);

  /// The next instant at which a transfer proceeds; kMaxTime when none does.
  [[nodiscard]] Time next() const { return network_.next(); }
  /// Settles the transfers that end now and appends them to `log`.
  void advance(policy::HostView& view, std::vector<Transfer>& log);

 private:
  enum class State : std::uint8_t { invalid, coming, valid };
  struct Copy {
    State state = State::invalid;
    bool has_room = false;
    bool partial = false;         ///< holds what reducing tasks accumulated here
    bool partial_leaves = false;  ///< and that is on its way elsewhere
    bool partial_anew = false;    ///< and more was accumulated since it left
    std::uint32_t pins = 0;       ///< staged tasks that use it and transfers that read it
    std::uint32_t arrivals = 0;   ///< transfers under way to it, also of values that are outdated
    std::uint64_t last_use = 0;
  };
  struct Value {
    MemoryId home;
    MemoryId gather = kNone<MemoryId>;  ///< where private copies are being brought together
    std::uint32_t partials = 0;         ///< memories that hold one
    std::uint32_t version = 0;          ///< how often the datum has been written
    std::uint32_t writers_left = 0;     ///< tasks that have yet to write or reduce it; if it is to be written back
  };
  /// A copy on its way, over one or two links.
  struct Trip {
    DataId data;
    MemoryId from;    ///< of the present hop
    MemoryId to;      ///< of the present hop
    MemoryId origin;  ///< of the whole trip
    MemoryId end;
    std::uint32_t version;
    bool partial = false;
    bool evicts = false;  ///< the copy at the origin makes room once it has arrived
  };
  struct Room {
    bool limited = false;
    std::uint64_t news = 0;
    std::int64_t left = 0;
    std::int64_t leaving = 0;                              ///< bytes being written back to make room
    std::set<std::pair<std::uint64_t, DataId>> evictable;  ///< by last use; kept only when limited
  };

  [[nodiscard]] Copy& copy(DataId data, MemoryId memory) {
    return copies_[index(data) * rooms_.size() + index(memory)];
  }
  [[nodiscard]] std::int64_t bytes(DataId data) const { return instance_->graph.datum(data).bytes; }
  void reserve_homes();
  void restore(policy::HostView& view, DataId data, std::span<const host::Present::Copy> copies);
  void proceed(policy::HostView& view, Time until, std::vector<Transfer>& log);
  void check_tasks() const;
  void count_writes(TaskId task);
  void pin(DataId data, MemoryId memory);
  void unpin(DataId data, MemoryId memory);
  void update_evictable(DataId data, MemoryId memory);
  void take_room(DataId data, MemoryId memory);
  void leave_room(DataId data, MemoryId memory);
  [[nodiscard]] bool make_room(policy::HostView& view, MemoryId memory, std::int64_t needed);
  void evict(policy::HostView& view, DataId data, MemoryId memory);
  [[nodiscard]] MemoryId nearest(const policy::HostView& view, DataId data, MemoryId to);
  void fetch(policy::HostView& view, DataId data, MemoryId to, bool evicts = false);
  void send_partial(policy::HostView& view, DataId data, MemoryId from, MemoryId to);
  void depart(policy::HostView& view, Trip trip);
  void hop_ends(policy::HostView& view, std::uint32_t ticket);
  [[nodiscard]] bool is_current(const Trip& trip) const { return trip.version == values_[trip.data].version; }
  void go_on(policy::HostView& view, Trip trip);
  void continue_stopovers(policy::HostView& view, DataId data);
  void end_trip(policy::HostView& view, const Trip& trip);
  void arrive(policy::HostView& view, const Trip& trip);
  void arrive_partial(const Trip& trip);
  void accumulate(DataId data, MemoryId memory);
  void request(policy::HostView& view, Access access, MemoryId memory);
  [[nodiscard]] bool is_there(Access access, MemoryId memory);
  [[nodiscard]] bool is_elsewhere(DataId data, MemoryId memory);
  void merge(policy::HostView& view, DataId data, MemoryId memory);
  void written(policy::HostView& view, DataId data, MemoryId memory);
  void invalidate(policy::HostView& view, DataId data, MemoryId memory);

  const Instance* instance_;
  MemoryId ram_;
  Network network_;
  std::vector<Copy> copies_;  ///< by datum and memory
  Table<DataId, Value> values_;
  Table<MemoryId, Room> rooms_;
  std::vector<Trip> trips_;  ///< by ticket
  std::vector<std::uint32_t> free_trips_;
  std::vector<DataId> write_backs_;    ///< data whose final values have not begun to go home
  std::vector<Trip> stopovers_;        ///< trips that wait for the copy in ram which is on its way anyway
  std::uint64_t clock_ = 0;            ///< counts uses
  std::vector<Network::Ended> ended_;  ///< kept to save allocations
};

}  // namespace heddle::sim
