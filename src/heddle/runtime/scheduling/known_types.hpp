#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/runtime/models/performance_model.hpp"
#include "heddle/runtime/scheduling/afterwards.hpp"
#include "heddle/runtime/submission/submission.hpp"
#include "heddle/runtime/trace/recorder.hpp"

namespace heddle::runtime {

/// The types of tasks that were taken up: new ones are given what is known of their durations, and those without tasks
/// are forgotten.
class KnownTypes {
 public:
  KnownTypes(const Platform& platform, std::optional<History> history, History::Warn warn)
      : durations_(platform, std::move(history), std::move(warn)) {}

  /// Where new ones are put (Submission::take), which adopt() deals with.
  [[nodiscard]] std::vector<TaskType*>& incoming() { return incoming_; }
  void adopt(std::optional<Recorder>& recorder) {
    durations_.adopt(incoming_);
    if (recorder) recorder->know(incoming_);
    count_ += incoming_.size();
    incoming_.clear();
  }
  /// Once there are twice as many as were left the last time, so that each is looked at a few times. `epoch`: the one
  /// that has just been made. Aborted executions may not run any more.
  void forget_unused(Submission& submission, std::uint64_t epoch, Deferred& deferred) {
    if (count_ < forget_at_) return;
    count_ = submission.forget_types(epoch, deferred.add().gone);
    forget_at_ = std::max(2 * count_, kFew);
  }
  /// Keeps what was learnt for the next run.
  void save_history() { durations_.save(); }

 private:
  static constexpr std::size_t kFew = 256;  ///< of which no one is worth forgetting

  std::vector<TaskType*> incoming_;
  std::size_t count_ = 0;  ///< about so many are kept
  std::size_t forget_at_ = kFew;
  PerformanceModel durations_;
};

}  // namespace heddle::runtime
