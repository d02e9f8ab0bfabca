#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include "heddle/model/access.hpp"
#include "heddle/model/ids.hpp"
#include "heddle/runtime/data.hpp"
#include "heddle/runtime/data/buffer.hpp"
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

struct Transfer;

/// What a memory has of a datum.
struct Copy {
  Buffer* valid = nullptr;
  Transfer* coming = nullptr;
  std::uint64_t last_use = 0;  ///< orders the copies in the memory of a device
};

/// A registered datum.
class Block {
 public:
  /// `owner`: null where a test has no engine.
  Block(Engine* owner, DataId own, const Shape& form, const Piece& place, std::size_t devices,
        std::shared_ptr<const Reduction> sum)
      : engine(owner),
        id(own),
        shape(form),
        reduction(std::move(sum)),
        home{.argument = {place, form}, .is_home = true, .is_current = true} {
    if (devices > 0) away = std::make_unique<Copy[]>(devices);
  }
  /// Whether the value is valid where the program has the datum.
  [[nodiscard]] bool is_at_home() const { return host.valid == &home; }
  [[nodiscard]] Copy& in(MemoryId memory) { return memory == kHost ? host : away[index(memory) - 1]; }

  Engine* const engine;
  const DataId id;  ///< in the order of registration
  const Shape shape;
  std::shared_ptr<const Reduction> reduction;  ///< null: no task may reduce into it; once one does it stays

  // Guarded by the lock of Submission; threads that submit and threads that run tasks write to lines of their own.
  alignas(64) AccessHistory<Ref> history;
  bool is_reduced = false;    ///< a task that reduces into it was submitted
  std::uint64_t seen = 0;     ///< the last look at the data of a task that met it
  std::size_t prune_at = 64;  ///< when the history is searched for tasks that have ended

  // Guarded by the engine's lock.
  alignas(64) Buffer home;         ///< where the program has it
  Copy host{&home};                ///< in the program's memory
  std::exception_ptr poisoned_by;  ///< why there is no valid value: the failure of the task that should have written it
  bool taken = false;              ///< the value is, by a task that commutes on it, or reduces into it in place
  bool strayed = false;            ///< its home may not hold the only valid copy
  std::uint32_t transfers = 0;     ///< under way
  std::uint32_t writers = 0;       ///< tasks that the scheduler knows and that will write it; only where devices are
  bool in_line = false;            ///< to be sent home
  std::unique_ptr<Copy[]> away;    ///< in the memories of devices
  std::vector<Buffer*> parts;      ///< private copies that tasks have reduced into and none works on, at home
  std::uint64_t epoch = 0;         ///< the last one that knows it
  DataId number = kNone<DataId>;   ///< in that epoch
};

}  // namespace heddle::runtime
