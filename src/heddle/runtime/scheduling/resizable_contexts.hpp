#pragma once

#include <span>
#include <utility>

#include "heddle/runtime/submission/job_contexts.hpp"
#include "heddle/runtime/submission/node.hpp"

namespace heddle::runtime {

/// The scheduling contexts with the workers that the program gave them, and with those that they have now: a resizing
/// rule may move workers.
class ResizableContexts {
 public:
  /// The program makes them so.
  void set(const JobContexts& contexts) {
    now_ = home_ = contexts;
    is_resized_ = false;
  }
  /// A rule has moved workers between contexts, which are `all` without these moves.
  void move(const Platform& platform, Table<ContextId, Context> all, std::span<const WorkerMove> moves);
  /// Workers that a rule has moved are where the program put them.
  void bring_home() {
    if (std::exchange(is_resized_, false)) now_ = home_;
  }

  [[nodiscard]] const JobContexts& now() const { return now_; }
  [[nodiscard]] const JobContexts& home() const { return home_; }
  /// Whether a rule has moved workers so that one of these tasks cannot run on any worker that its context has now.
  [[nodiscard]] bool lack_workers(std::span<Node* const> nodes) const;

 private:
  JobContexts now_;
  JobContexts home_;
  bool is_resized_ = false;  ///< some workers are not where the program put them
};

}  // namespace heddle::runtime
