#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "heddle/runtime/scheduling/afterwards.hpp"
#include "heddle/runtime/scheduling/progress.hpp"
#include "heddle/runtime/submission/node.hpp"
#include "heddle/runtime/submission/recording.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::runtime {

/// The runs of recorded graphs, and how their tasks are numbered beside those that are submitted one by one.
class RecordedRuns {
 public:
  /// What is not needed any more is destroyed by `deferred`. Both must outlive it.
  RecordedRuns(Progress& progress, Deferred& deferred) : progress_(progress), deferred_(deferred) {}

  /// A run begins; nothing else is left. `before`: how many tasks were submitted before it.
  void begin(const std::shared_ptr<Recording>& recording, std::uint64_t before) {
    if (recording_ != recording) let_go();
    recording_ = recording;
    progress_.in_recording = true;
    ++count_;
    before_ = before;
    ++recording->runs;
  }
  /// The run, if any, has ended.
  void end() {
    progress_.in_recording = false;
    let_go();
  }
  /// The next run of the recording that ran last needs another epoch than this one.
  void forget_epoch() {
    if (recording_) recording_->epoch = nullptr;
  }
  [[nodiscard]] bool under_way() const { return progress_.in_recording; }
  /// Whether no task of the runs up to this one uses the datum any more. `nothing_left`: of any run.
  [[nodiscard]] bool is_done_with(Block& block, std::uint64_t run, bool nothing_left) const {
    return count_ > run || (count_ == run && (!under_way() || nothing_left || recording_->is_done_with(&block)));
  }

  /// How many tasks were submitted before the run of recorded ones that the task belongs to, otherwise 0.
  [[nodiscard]] std::uint64_t before(const Node& node) const { return node.recorded ? before_ : 0; }
  /// In the order of submission.
  [[nodiscard]] std::uint64_t number_of(const Node& node) const {
    return before(node) + node.sequence.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::string name_of(const Node& node) const {
    return task_name(node.extras ? node.extras->name : "", *node.type->kernel, number_of(node));
  }

 private:
  void let_go() {
    if (recording_) deferred_.add().gone.push_back(std::exchange(recording_, nullptr));
  }

  Progress& progress_;
  Deferred& deferred_;
  std::shared_ptr<Recording> recording_;  ///< the last one that ran, whose nodes the epoch may know
  std::uint64_t count_ = 0;               ///< of the runs begun so far
  std::uint64_t before_ = 0;              ///< so many tasks were submitted before the last of these
};

}  // namespace heddle::runtime
