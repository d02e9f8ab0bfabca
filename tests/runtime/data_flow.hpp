#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "heddle/model/access.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {

/// A random sequence of tasks that each read two integers and write a third, and what a sequential interpreter makes of
/// them.
class DataFlow {
 public:
  using Value = std::uint64_t;

  /// `pause`: how long each task sleeps at least.
  DataFlow(std::uint64_t seed, std::size_t tasks, std::chrono::microseconds pause = {});

  /// The values after all tasks have run `times` times.
  [[nodiscard]] std::vector<Value> expected(int times = 1) const;
  /// Where the runtime has contexts, each task is submitted to one of these, or to none.
  using ManyContexts = std::vector<SchedulingContext>;
  [[nodiscard]] std::vector<Value> run(Runtime& runtime, const ManyContexts& contexts = {}) const;
  /// `look`, if any, is called with the graph while nothing runs, before each run.
  [[nodiscard]] std::vector<Value> run_recorded(Runtime& runtime, int times, const ManyContexts& contexts = {},
                                                const std::function<void(const Graph&)>& look = {}) const;
  /// How many tasks are submitted to each of so many contexts.
  [[nodiscard]] std::vector<std::size_t> share(std::size_t contexts) const;

 private:
  struct Step {
    AccessMode mode;
    std::array<std::size_t, 2> reads;
    std::size_t target;
    Value constant;
  };

  void submit(Runtime& runtime, const std::vector<Data<Value&>>& data, const ManyContexts& contexts) const;

  std::chrono::microseconds pause_;
  std::vector<Value> initial_;
  std::vector<Step> steps_;
};

}  // namespace heddle::runtime
