#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "heddle/runtime/submission/node.hpp"

namespace heddle::runtime {

/// Makes nodes, side by side as far as possible, that stay where they are, and hands out again those that were given
/// back: neighbours after each other, in whatever order they came back. Tasks that are submitted one after the other
/// are then side by side, too, and threads that go through them wait less for memory.
class NodePool {
 public:
  /// One that was never used.
  [[nodiscard]] Node& add() {
    if (made_ % kPerChunk == 0) chunks_.push_back(std::make_unique<Node[]>(kPerChunk));
    if (made_ % kPerGroup == 0) free_.push_back(0);
    Node& node = at(made_);
    node.number = made_++;
    return node;
  }
  /// One that was given back; else one that was never used.
  [[nodiscard]] Node& take() {
    if (groups_.empty()) return add();
    const std::uint32_t group = groups_.back();
    std::uint64_t& free = free_[group];
    Node& node = first(group, free);
    free &= free - 1;
    // Workers have written to it: so many are on their way at once.
    constexpr int kPrefetched = 4;
    std::uint64_t later = free;
    for (int i = 1; i < kPrefetched; ++i) later &= later - 1;
    if (free == 0) groups_.pop_back();
    if (later != 0) {
      prefetch(first(group, later));
    } else if (!groups_.empty()) {
      prefetch(first(groups_.back(), free_[groups_.back()]));
    }
    return node;
  }
  /// The node of this number, which was taken, is free.
  void give_back(std::uint32_t number) {
    std::uint64_t& free = free_[number / kPerGroup];
    if (free == 0) groups_.push_back(number / kPerGroup);
    free |= std::uint64_t{1} << number % kPerGroup;
  }
  /// How many were made.
  [[nodiscard]] std::size_t size() const { return made_; }

 private:
  static constexpr std::uint32_t kPerGroup = 64;
  static constexpr std::uint32_t kPerChunk = 4 * kPerGroup;

  [[nodiscard]] Node& at(std::uint32_t number) const { return chunks_[number / kPerChunk][number % kPerChunk]; }
  [[nodiscard]] Node& first(std::uint32_t group, std::uint64_t of) const {
    return at(group * kPerGroup + static_cast<std::uint32_t>(std::countr_zero(of)));
  }

  std::vector<std::unique_ptr<Node[]>> chunks_;
  std::uint32_t made_ = 0;
  std::vector<std::uint64_t> free_;    ///< of each group, a bit for each node
  std::vector<std::uint32_t> groups_;  ///< with free nodes
};

}  // namespace heddle::runtime
