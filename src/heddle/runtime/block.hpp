#pragma once

#include <cstdint>
#include <exception>

#include "heddle/model/access_history.hpp"
#include "heddle/model/ids.hpp"
#include "heddle/runtime/buffer.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

class Engine;
struct Node;

/// Names a task for good: the node it was in, and its place in the order of submission.
struct Ref {
  Node* node = nullptr;
  std::uint64_t sequence = 0;

  bool operator==(const Ref&) const = default;
};

/// A registered datum.
class Block {
 public:
  Block(Engine& owner, DataId number, const Shape& form, const Piece& place)
      : engine(&owner), id(number), shape(form), home{.piece = place, .is_home = true, .is_current = true} {}

  Engine* const engine;
  const DataId id;  ///< in the order of registration
  const Shape shape;

  // Guarded by the lock of Submission.
  AccessHistory<Ref> history;
  std::uint64_t submitted = 0;  ///< accesses by tasks so far
  std::size_t prune_at = 64;    ///< when the history is searched for tasks that have ended

  // Guarded by the engine's lock.
  Buffer home;                 ///< in the program's memory
  Buffer* current = &home;     ///< where the valid value is
  bool away = false;           ///< the engine knows that it is not at home
  std::uint64_t ended = 0;     ///< of the accesses
  std::exception_ptr void_of;  ///< why there is no valid value: the failure of the task that should have written it
  bool taken = false;          ///< by a task that commutes on it
  bool watched = false;        ///< somebody waits for the end of its tasks
};

}  // namespace heddle::runtime
