#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "heddle/host/present.hpp"
#include "heddle/model/access.hpp"
#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"
#include "heddle/runtime/data/block.hpp"
#include "heddle/runtime/submission/task_type.hpp"

namespace heddle::runtime {

/// How the task uses a datum.
struct BlockAccess {
  Block* block;
  AccessMode mode;
};

class Recording;
struct Argument;

/// What few tasks have.
struct Extras {
  std::vector<Ref> after;  ///< explicit predecessors, whose failure is this task's
  std::function<void()> on_done;
  std::string name;
  std::stop_token stop;
  std::shared_ptr<Recording> recording;  ///< of a node that stands for a run of recorded tasks
};

/// All that is kept of a task until it has ended: at most 512 bytes together with its share of an epoch, unless it
/// has many accesses. Nodes are reused; what names a task for good is a Ref.
struct alignas(128) Node {
  static constexpr std::size_t kInlineBytes = 144;
  static constexpr std::size_t kHotBytes = 128;  ///< the first ones: what running it takes

  TaskType* type = nullptr;
  std::unique_ptr<Extras> extras;
  BlockAccess* accesses = nullptr;
  /// Of a recorded task, what its kernel is given, where that is the same in each run; else null.
  const Argument* const* arguments = nullptr;
  TaskId task = kNone<TaskId>;  ///< in the present epoch
  WorkerId worker = kNone<WorkerId>;
  std::uint32_t value_bytes = 0;
  std::uint32_t access_count = 0;
  /// How far it had come when its last epoch ended; `waiting`: it is in its first. In an epoch its session knows.
  host::Status status = host::Status::waiting;
  bool commutes = false;
  bool holds = false;  ///< the data that it commutes on
  bool reduces = false;
  bool recorded = false;   ///< belongs to a Recording
  bool watched = false;    ///< a thread waits for its end
  bool nested = false;     ///< a task has submitted it
  bool held_back = false;  ///< it is nested, and no epoch knows it yet though it is not pending any more
  std::uint32_t ends = 0;  ///< of a recorded task: in so many runs it has ended
  alignas(64) std::byte room[kInlineBytes];

  // A thread that submits tasks after it looks at what running it does not change; of recorded ones none looks at that.
  /// Of the task that is in the node, in the order of submission, or among those recorded with it; 0: none.
  std::atomic<std::uint64_t> sequence{0};
  std::int64_t priority = 0;
  Ref* predecessors = nullptr;
  std::uint32_t predecessor_count = 0;
  std::uint32_t number = 0;               ///< in its pool
  std::unique_ptr<std::byte[]> overflow;  ///< holds accesses, values and predecessors when they do not fit

  [[nodiscard]] std::span<const BlockAccess> uses() const { return {accesses, access_count}; }
  /// Plain arguments, laid out as Job::values, right behind the accesses.
  [[nodiscard]] std::span<const std::byte> values() const {
    return {reinterpret_cast<const std::byte*>(accesses + access_count), value_bytes};
  }
  /// In the order of submission; some may have ended.
  [[nodiscard]] std::span<const Ref> after() const { return {predecessors, predecessor_count}; }
};

/// Fetches the node, or only the first bytes of it, to write to it.
inline void prefetch(const Node& node, std::size_t bytes = sizeof(Node)) {
  const auto* line = reinterpret_cast<const std::byte*>(&node);
  for (std::size_t at = 0; at < bytes; at += 64) {
#if defined(__x86_64__)
    asm volatile("prefetchw %0" : : "m"(line[at]));  // which compilers use only for some processors
#else
    __builtin_prefetch(line + at, 1);
#endif
  }
}

/// What a task is called in traces and in failures: as the program named it, else its kernel's name and its number in
/// the order of submission.
[[nodiscard]] inline std::string task_name(const std::string& given, const KernelInfo& kernel, std::uint64_t number) {
  return given.empty() ? kernel.name + "#" + std::to_string(number) : given;
}

/// Whether its node holds it no more. Of a recorded task only the engine knows (Node::ends).
[[nodiscard]] inline bool has_ended(const Ref& task) {
  return task.node->sequence.load(std::memory_order_acquire) != task.sequence;
}

/// Whether what a task waits for has ended; the task has not. Nodes of recorded tasks are their own for good; others
/// may hold another task.
[[nodiscard]] inline bool is_over(const Node& waiting, const Ref& before) {
  return waiting.recorded ? before.node->ends != waiting.ends : has_ended(before);
}

}  // namespace heddle::runtime
