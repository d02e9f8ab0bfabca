#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "heddle/model/time.hpp"

namespace heddle::search {

/// The nodes that were searched: the tasks that had started, and the front (PartialSchedule). Memory is bounded; when
/// it is used up, the older half is forgotten.
class SeenStates {
 public:
  /// `words`: of the bits that tell which tasks have started.
  SeenStates(std::size_t words, std::size_t bytes);

  /// Whether there is a node of the same tasks whose front is nowhere later.
  [[nodiscard]] bool dominates(std::span<const std::int64_t> tasks, std::span<const Time> front) const;
  void insert(std::span<const std::int64_t> tasks, std::span<const Time> front);

 private:
  /// A hash table by tasks.
  class Generation {
   public:
    explicit Generation(std::size_t words);

    [[nodiscard]] std::size_t size() const { return states_.size(); }
    [[nodiscard]] bool dominates(std::span<const std::int64_t> tasks, std::span<const Time> front) const;
    void insert(std::span<const std::int64_t> tasks, std::span<const Time> front);

   private:
    static constexpr std::size_t kFirstSlots = 1024;  // a power of two

    [[nodiscard]] std::size_t slot(std::span<const std::int64_t> tasks) const;
    [[nodiscard]] std::span<const std::int64_t> tasks_at(std::size_t position) const;
    void add_to_slot(std::uint32_t position);
    void grow();

    std::size_t words_;
    std::size_t count_ = 0;
    std::vector<std::int64_t> states_;  ///< one after the other: where the next of the slot is, tasks, front
    std::vector<std::uint32_t> slots_;  ///< where the slot's newest state is; 0 when it has none
  };

  std::size_t words_;
  std::size_t capacity_;  ///< of a generation
  Generation young_;
  Generation old_;
};

}  // namespace heddle::search
