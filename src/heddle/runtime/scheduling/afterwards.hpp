#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "heddle/runtime/kernel.hpp"

namespace heddle::runtime {

/// What is to be done once the engine's lock is free.
struct Afterwards {
  /// A function that the program asked to be called at the end of a task (on_done).
  struct Call {
    std::function<void()> function;
    std::shared_ptr<const KernelInfo> kernel;
    std::string name;  ///< of the task, as the program named it
    std::uint64_t number;
  };

  std::vector<std::stop_source> stops;  ///< of kernels whose executions were aborted
  std::vector<Call> calls;
  /// What is to be destroyed: it may have parts of the program's, which may call back as they go.
  std::vector<std::shared_ptr<const void>> gone;
  bool wakes = false;  ///< an idle worker, which then asks again when to look around

  /// How much of it is the program's.
  [[nodiscard]] std::size_t program_parts() const { return calls.size() + gone.size(); }
};

/// Collects it while the lock is held; mostly there is nothing.
class Deferred {
 public:
  /// To add something.
  [[nodiscard]] Afterwards& add() {
    some_ = true;
    return afterwards_;
  }
  [[nodiscard]] bool some() const { return some_; }
  [[nodiscard]] Afterwards take() {
    some_ = false;
    under_way_ += afterwards_.program_parts();
    return std::exchange(afterwards_, {});
  }
  /// So many of the program's parts that were taken are done. Whether these were the last.
  [[nodiscard]] bool returned(std::size_t parts) { return (under_way_ -= parts) == 0; }
  /// How many of the program's parts were taken and are not done.
  [[nodiscard]] std::size_t under_way() const { return under_way_; }

 private:
  Afterwards afterwards_;
  bool some_ = false;
  std::size_t under_way_ = 0;
};

}  // namespace heddle::runtime
