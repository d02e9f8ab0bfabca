#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::linalg {

/// The tasks of an instance in a runtime: each takes as long as the instance says, on cores as on its first class, on
/// OpenCL devices as on its second. It only waits meanwhile, so the time is the same on a slow or busy machine. Its
/// data has the size that the instance says and goes where the tasks need it.
class TimedTasks {
 public:
  /// Throws InputError when the instance has more than two classes, or a task with more than 64 data. Must go before
  /// the runtime does.
  TimedTasks(runtime::Runtime& runtime, Instance instance);

  /// Submits the tasks, once, in their order.
  void submit();
  /// How many data do not have the value that their tasks give them; after Runtime::wait().
  [[nodiscard]] std::size_t wrong_data() const;

 private:
  using Word = std::uint64_t;
  /// What a task is told.
  struct Order {
    Time durations[2];   ///< on cores, on devices
    Word number;         ///< of the task
    Word reads, writes;  ///< which of its data: bits
    Word commutes;       ///< which of those it does both to, in any order
  };
  using TimedKernel = runtime::Kernel<Order>;

  static Word update(const Order& order, Word sum, Word before, std::size_t datum);
  static void execute(const runtime::Job& job, const Order& order, std::size_t processor);
  [[nodiscard]] Order order_of(TaskId task) const;
  [[nodiscard]] const TimedKernel& kernel_of(TaskId task);

  runtime::Runtime& runtime_;
  const Instance instance_;
  std::vector<std::vector<Word>> memory_;  ///< by datum
  std::vector<runtime::Data<std::span<Word>>> data_;
  /// By name of the type, and whether cores and devices can run it.
  std::map<std::tuple<std::string, bool, bool>, TimedKernel> kernels_;
};

}  // namespace heddle::linalg
