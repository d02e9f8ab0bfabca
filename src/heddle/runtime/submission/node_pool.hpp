#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "heddle/runtime/submission/node.hpp"

namespace heddle::runtime {

/// Makes nodes, side by side as far as possible, that stay where they are.
class NodePool {
 public:
  [[nodiscard]] Node& add() {
    if (used_ == kPerChunk) chunks_.push_back(std::make_unique<Node[]>(kPerChunk)), used_ = 0;
    return chunks_.back()[used_++];
  }
  /// How many were made.
  [[nodiscard]] std::size_t size() const { return chunks_.size() * kPerChunk - (kPerChunk - used_); }

 private:
  static constexpr std::size_t kPerChunk = 256;

  std::vector<std::unique_ptr<Node[]>> chunks_;
  std::size_t used_ = kPerChunk;  ///< of the last one
};

}  // namespace heddle::runtime
