#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "heddle/model/instance.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/runtime/threads/mutex.hpp"

namespace heddle::runtime {

/// What the policies of contexts have thrown, each the first. A policy that looks ahead may do so on several threads.
class ContextFailures {
 public:
  explicit ContextFailures(std::size_t contexts) : failures_(contexts) {}

  /// There are so many contexts now.
  void grow(std::size_t contexts) {
    const Lock lock(mutex_);
    failures_.resize(contexts);
  }
  void add(ContextId context, std::exception_ptr failure) {
    const Lock lock(mutex_);
    if (failures_[context]) return;
    failures_[context] = std::move(failure);
    ++count_;
  }
  /// Null: it has not failed.
  [[nodiscard]] std::exception_ptr of(ContextId context) const {
    if (count() == 0) return nullptr;
    const Lock lock(mutex_);
    return failures_[context];
  }
  /// How many contexts have failed.
  [[nodiscard]] std::size_t count() const { return count_.load(std::memory_order_acquire); }

 private:
  mutable Mutex mutex_;
  Table<ContextId, std::exception_ptr> failures_ HEDDLE_GUARDED_BY(mutex_);
  std::atomic<std::size_t> count_{0};
};

/// The policy of a context, whose exceptions do not concern other contexts: it is asked no more, and they go on. What
/// it simulates of others may throw as well; then the failure is theirs, and it waits for its next epoch.
class GuardedPolicy {
 public:
  GuardedPolicy(ContextId context, policy::Policy policy, std::shared_ptr<ContextFailures> failures)
      : context_(context), policy_(std::move(policy)), failures_(std::move(failures)) {}

  void recall(const GuardedPolicy& before) { policy_.recall(before.policy_); }
  void start(const policy::View& view) {
    call([&] { policy_.start(view); });
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    call([&] { policy_.ready(view, tasks); });
  }
  void started(const policy::View& view, TaskId task, WorkerId worker) {
    call([&] { policy_.started(view, task, worker); });
  }
  void finished(const policy::View& view, std::span<const policy::Completion> completions) {
    call([&] { policy_.finished(view, completions); });
  }
  void aborted(const policy::View& view, TaskId task, WorkerId worker) {
    call([&] { policy_.aborted(view, task, worker); });
  }
  void refused(const policy::View& view, policy::Action action) {
    call([&] { policy_.refused(view, action); });
  }
  void workers_changed(const policy::View& view) {
    call([&] { policy_.workers_changed(view); });
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    policy::Action answer = policy::wait();
    call([&] { answer = policy_.next(view); });
    return answer;
  }
  [[nodiscard]] bool keeps_order() const { return policy_.keeps_order(); }
  [[nodiscard]] bool polls() const { return policy_.polls(); }
  [[nodiscard]] bool follows_best() const { return policy_.follows_best(); }
  [[nodiscard]] std::string note() const { return policy_.note(); }

 private:
  template <class Step>
  void call(Step step) {
    if (is_lost_ || failures_->of(context_)) return;
    const std::size_t before = failures_->count();
    try {
      step();
    } catch (...) {
      is_lost_ = true;
      if (failures_->count() == before) failures_->add(context_, std::current_exception());
    }
  }

  ContextId context_;
  policy::Policy policy_;
  std::shared_ptr<ContextFailures> failures_;
  bool is_lost_ = false;  ///< it has thrown, and does not know the run any more
};

}  // namespace heddle::runtime
