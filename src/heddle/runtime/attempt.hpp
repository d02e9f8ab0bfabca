#pragma once

#include <cstddef>
#include <exception>
#include <stop_token>
#include <vector>

#include "heddle/model/time.hpp"
#include "heddle/runtime/block.hpp"
#include "heddle/runtime/kernel.hpp"

namespace heddle::runtime {

struct Node;
class Team;

/// One execution of a task on a worker, with all that its thread needs: it may outlive the task, which another attempt
/// may have completed meanwhile. Each worker has one, used again and again.
struct Attempt {
  /// A datum that the attempt writes into a buffer of its own, which becomes the valid copy when it completes.
  struct Replica {
    Block* block;
    Buffer* buffer;
  };
  struct Copy {
    Piece from;
    Piece to;
    Shape shape;
  };

  Node* node = nullptr;      ///< null once it was aborted; guarded by the engine's lock
  Time given = 0;            ///< when the worker got it; guarded by the engine's lock
  Time started = 0;          ///< when its kernel began; the worker's own
  bool was_aborted = false;  ///< guarded by the engine's lock
  const Implementation* implementation = nullptr;
  std::exception_ptr refused;  ///< why it cannot run: there was no memory for what it writes
  std::vector<Copy> copies;    ///< to be made first
  std::vector<Argument> arguments;
  std::vector<std::byte> values;
  std::stop_token until;  ///< the program's
  std::stop_source stop;  ///< the engine's, for an attempt that may be aborted
  bool may_abort = false;
  std::vector<Replica> replicas;
  std::vector<Buffer*> buffers;  ///< of the arguments and the sources of copies

  /// Runs the kernel; what it threw, or null.
  [[nodiscard]] std::exception_ptr execute(WorkerId worker, Team& team);
};

}  // namespace heddle::runtime
