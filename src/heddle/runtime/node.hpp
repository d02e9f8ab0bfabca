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

#include "heddle/model/access.hpp"
#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"
#include "heddle/runtime/block.hpp"
#include "heddle/runtime/task_type.hpp"

namespace heddle::runtime {

/// `pending`: submitted, not taken up. `waiting`: for predecessors. `done`: completed, failed or cancelled.
enum class State : std::uint8_t { pending, waiting, ready, running, done };

/// A dependency. It lies in the successor's node and first names the predecessor; when the engine links it, it becomes
/// an item in the predecessor's list of successors.
struct Link {
  Node* node;
  union {
    std::uint64_t sequence;  ///< of the predecessor; before linking
    Link* next;              ///< after linking
  };
};

/// How the task uses a datum.
struct BlockAccess {
  Block* block;
  AccessMode mode;
};

/// Tasks that reduce into a datum add to it one after the other, as if they commuted.
constexpr AccessMode as_run(AccessMode mode) {
  return mode == AccessMode::reduce ? AccessMode::commute : mode;
}

class Recording;

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
struct alignas(64) Node {
  static constexpr std::size_t kInlineBytes = 144;

  std::atomic<std::uint64_t> sequence{0};  ///< of the task that is in the node, in the order of submission; 0: none
  TaskType* type = nullptr;
  Node* next_free = nullptr;
  Link* successors = nullptr;  ///< the last linked first
  BlockAccess* accesses = nullptr;
  Link* links = nullptr;
  std::byte* values = nullptr;
  std::uint32_t value_bytes = 0;
  std::uint32_t link_count = 0;
  std::uint32_t unmet = 0;  ///< predecessors that have not ended
  std::uint16_t access_count = 0;
  State state = State::pending;
  bool commutes = false;
  bool holds = false;           ///< the data that it commutes on
  bool recorded = false;        ///< belongs to a Recording
  bool watched = false;         ///< somebody waits for its end
  TaskId task = kNone<TaskId>;  ///< in the present epoch
  WorkerId worker = kNone<WorkerId>;
  std::int64_t priority = 0;
  std::unique_ptr<Extras> extras;
  std::unique_ptr<std::byte[]> overflow;  ///< holds accesses, links and values when they do not fit
  alignas(std::max_align_t) std::byte room[kInlineBytes];

  [[nodiscard]] std::span<const BlockAccess> uses() const { return {accesses, access_count}; }
};

/// Makes the successor's link an item of the predecessor's list.
inline void add_successor(Node& predecessor, Node& successor, Link& link) {
  link.node = &successor;
  link.next = predecessor.successors;
  predecessor.successors = &link;
}

}  // namespace heddle::runtime
