#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "heddle/model/access.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {

/// A random sequence of tasks that each read two integers and write a third, and what a sequential interpreter makes of
/// them.
class DataFlow {
 public:
  using Value = std::uint64_t;

  /// `rounds`: how long each task takes, in turns of an idle loop.
  DataFlow(std::uint64_t seed, std::size_t tasks, std::uint32_t rounds = 0);

  [[nodiscard]] const std::vector<Value>& expected() const { return expected_; }
  /// The values after all tasks have run.
  [[nodiscard]] std::vector<Value> run(Runtime& runtime) const;

 private:
  struct Step {
    AccessMode mode;
    std::array<std::size_t, 2> reads;
    std::size_t target;
    Value constant;
  };

  std::uint32_t rounds_;
  std::vector<Value> initial_;
  std::vector<Value> expected_;
  std::vector<Step> steps_;
};

}  // namespace heddle::runtime
