#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "heddle/model/time.hpp"
#include "heddle/runtime/data/block.hpp"
#include "heddle/runtime/history.hpp"
#include "heddle/runtime/kernel.hpp"

namespace heddle::runtime {

struct Node;
struct Transfer;
class Team;

/// One execution of a task on a worker (an attempt, for policies and in schedules), with all that its thread needs: it
/// may outlive the task, which another one may have completed meanwhile. Each worker has its own, used again and again.
struct Execution {
  /// A datum that the execution writes into a buffer of its own, which becomes the valid copy when it completes.
  struct Replica {
    Block* block;
    Buffer* buffer;
  };
  /// What a replica begins with.
  struct Original {
    Piece from;
    Piece to;
    Shape shape;
  };

  /// A datum that the execution reduces into: in a private copy, or, where that is null, in place.
  struct Part {
    Block* block;
    Buffer* buffer;
    Buffer* older;  ///< the private copy of others that it goes on with: the same, unless it may be aborted; or null
  };
  /// A private copy that begins as neutral.
  struct Fresh {
    Piece copy;
    Block* block;
  };

  struct PassOn {
    std::stop_source* to;
    void operator()() const { to->request_stop(); }
  };

  // Of the worker that it belongs to:
  WorkerId worker{};
  ClassId resource_class{};
  MemoryId memory{};

  // Guarded by the engine's lock:
  Node* node = nullptr;           ///< null once it was aborted
  Time given = 0;                 ///< when the worker got it; once its thread has it, when that was
  Time estimate = 0;              ///< how long it is believed to take
  bool overran = false;           ///< longer than the policy was told when its epoch began
  Estimate* durations = nullptr;  ///< of tasks of the type, with the implementation
  bool was_aborted = false;
  bool has_room = false;          ///< its data have, in the worker's memory
  std::vector<Transfer*> awaits;  ///< that bring what it misses there
  std::vector<Buffer*> held;      ///< that it relies on
  std::vector<Buffer*> reserved;  ///< in the memory of a device, for what it writes

  // The worker's own, from when it begins until it begins another one or takes the lock:
  Time started = 0;  ///< when its kernel began
  Time ended = 0;
  std::exception_ptr failure;  ///< what its kernel threw, or null
  const Implementation* implementation = nullptr;
  std::exception_ptr refused;       ///< why it cannot run: there was no memory for what it writes
  std::vector<Original> originals;  ///< to be copied first
  std::vector<Fresh> fresh;         ///< to be filled first
  std::span<const Argument* const> arguments;
  std::vector<const Argument*> own_arguments;  ///< these, unless the task has them
  const std::byte* values = nullptr;           ///< of the plain arguments
  std::vector<std::byte> kept_values;          ///< these, of an execution that may outlive its task
  std::stop_token until;                       ///< the program's
  std::atomic<bool> may_have_stopped = false;  ///< its function has looked whether it shall
  std::stop_source stop;                       ///< the engine's, for an execution that may be aborted
  std::optional<std::stop_callback<PassOn>> chain;
  bool may_abort = false;
  std::vector<Replica> replicas;
  std::vector<Part> parts;
  Block* combines = nullptr;      ///< the datum whose private copies it brings together
  std::vector<Buffer*> combined;  ///< these
  bool chose_buffers = false;     ///< replicas, originals, fresh and buffers may not be empty
  /// Of an execution that may be aborted: those of the arguments and of the originals; once it was, all that it uses.
  std::vector<Buffer*> buffers;

  /// Whether nothing is missing.
  [[nodiscard]] bool has_data() const { return node != nullptr && has_room && awaits.empty() && !refused; }
  /// Before it began.
  [[nodiscard]] bool is_aborted() const { return may_abort && stop.stop_requested(); }
  /// What the kernel is given. A stop of the program becomes one of the execution, until `chain` is reset.
  [[nodiscard]] Job begin(Team& team) {
    if (!may_abort) return {worker, team, arguments, values, until, &may_have_stopped};
    if (until.stop_possible()) chain.emplace(until, PassOn{&stop});
    return {worker, team, arguments, values, stop.get_token(), &may_have_stopped};
  }
  /// Runs the kernel on the calling thread; what it throws is the failure.
  void execute(Team& team);
};

}  // namespace heddle::runtime
