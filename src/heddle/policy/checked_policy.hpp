#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "heddle/policy/policy.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::policy {

/// Decorator for the policy of a context: checks its answers before others act on them. One that cannot be carried out
/// is an InternalError that names the context; what a plug-in does wrong is an InputError that names the plug-in.
class CheckedPolicy {
 public:
  CheckedPolicy(std::string context, Spec spec, Policy policy);

  void recall(const CheckedPolicy& before);
  void start(const View& view);
  void ready(const View& view, std::span<const TaskId> tasks);
  void started(const View& view, TaskId task, WorkerId worker);
  void finished(const View& view, std::span<const Completion> completions);
  void aborted(const View& view, TaskId task, WorkerId worker);
  void refused(const View& view, Action action);
  void workers_changed(const View& view);
  [[nodiscard]] Action next(const View& view);
  [[nodiscard]] bool keeps_order() const { return policy_.keeps_order(); }
  [[nodiscard]] bool polls() const { return policy_.polls(); }
  [[nodiscard]] bool follows_best() const { return policy_.follows_best(); }
  [[nodiscard]] std::string note() const { return policy_.note(); }

 private:
  /// As far as answers are concerned.
  enum class Progress : std::uint8_t { other, ready, runs };
  struct Who {
    std::string context;
    Spec spec;
  };

  template <class Step>
  auto call(Step step) {
    return blaming_plugin(who_->spec, step);
  }
  void check(const View& view, const Action& action);

  std::shared_ptr<const Who> who_;
  Policy policy_;
  Table<TaskId, Progress> tasks_;
  Time instant_ = 0;
  std::size_t actions_ = 0;  ///< in this instant
};

}  // namespace heddle::policy
