#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heddle/model/routes.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/view.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {

/// Which memory of a host has which datum, and the transfers that bring more: one at a time, in any order, and as long
/// as the host likes. Without links all data is everywhere. Memories are never full.
class HostCopies {
 public:
  using State = policy::HostView::Copy;

  /// All is at home.
  explicit HostCopies(const Instance& instance);

  /// Tells the view of all that there is now, and of all changes from then on.
  void observe(policy::HostView& view);
  [[nodiscard]] bool are_free() const { return routes_.free(); }
  [[nodiscard]] bool has(DataId data, MemoryId memory) const { return are_free() || at(data, memory) == State::valid; }
  /// Asks for a valid copy, unless there is one or it was asked for.
  void fetch(DataId data, MemoryId memory);
  /// The memory has the only valid copy; what is on its way is abandoned.
  void written(DataId data, MemoryId memory);

  /// Begins a transfer, if none is under way and one was asked for.
  void begin(Random& random, Time now);
  [[nodiscard]] bool is_under_way() const { return under_way_.has_value(); }
  /// Ends the one that is under way.
  void end(Time now);
  /// Those that have ended.
  [[nodiscard]] const std::vector<Transfer>& transfers() const { return transfers_; }

 private:
  struct Request {
    DataId data;
    MemoryId to;
  };

  [[nodiscard]] State at(DataId data, MemoryId memory) const {
    return states_[index(data) * memories_ + index(memory)];
  }
  void set(DataId data, MemoryId memory, State state);

  const Instance& instance_;
  const Routes routes_;
  const std::size_t memories_;
  std::vector<State> states_;  ///< by datum and memory
  std::vector<Request> requests_;
  std::optional<Transfer> under_way_;
  std::vector<Transfer> transfers_;
  policy::HostView* view_ = nullptr;
};

}  // namespace heddle::test
