#pragma once

#include <vector>

#include "heddle/runtime/attempt.hpp"
#include "heddle/runtime/buffer.hpp"
#include "heddle/runtime/node.hpp"

namespace heddle::runtime {

/// Where the valid value of each datum is, and which buffers attempts write into. An attempt that may be aborted writes
/// into buffers of its own, which take the place of the originals when it completes; so does one that would write where
/// the kernel of an aborted attempt still reads. Guarded by the engine's lock.
class DataStore {
 public:
  /// Chooses the buffers of an attempt at the task. Throws std::bad_alloc.
  void prepare(Attempt& attempt, const Node& node);
  /// What the attempt wrote becomes the value of its data.
  void commit(const Attempt& attempt);
  /// What the attempt wrote is of no use.
  void drop(const Attempt& attempt);
  /// The attempt was aborted, but its kernel still runs: its buffers stay as they are until it has returned.
  static void abandon(const Attempt& attempt);
  void returned(const Attempt& attempt);

  /// Whether the value is elsewhere than in the program's memory, or the kernel of an aborted attempt may still use
  /// that.
  [[nodiscard]] static bool is_away(const Block& block) { return block.away || block.home.pins > 0; }
  /// Brings values back into the program's memory; no task and no kernel may use them.
  void bring_home(Block& block);
  void bring_all_home();

 private:
  void let_go(Buffer& buffer);

  BufferPool pool_;
  std::vector<Block*> away_;  ///< blocks whose value may not be at home
};

}  // namespace heddle::runtime
