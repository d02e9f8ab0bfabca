#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/policy/policy.hpp"

namespace heddle::policy {

/// A choice among policies that know only tasks that are ready, by how they would have done so far: whenever the number
/// of completed tasks has doubled, each is simulated on the part of the graph that is known, from its start, and the
/// one with the smallest makespan takes over what waits, if it is smaller by more than 5 %. The first time is after two
/// tasks per worker.
///
/// What is not ready is never looked at. Graphs repeat themselves; where one does not, the past says little.
class AdaptiveChoice {
 public:
  explicit AdaptiveChoice(std::uint64_t seed) : seed_(seed) {}

  void start(const View& view);
  void ready(const View& view, std::span<const TaskId> tasks);
  void started(const View& view, TaskId task, WorkerId worker);
  void finished(const View& view, std::span<const Completion> completions);
  void aborted(const View& view, TaskId task, WorkerId worker) { policy_->aborted(view, task, worker); }
  void refused(const View& view, Action action);
  void workers_changed(const View& view) { policy_->workers_changed(view); }
  [[nodiscard]] Action next(const View& view);
  [[nodiscard]] std::string note() const;

 private:
  void reconsider(const View& view);
  void take_over(const View& view, const char* name);

  std::uint64_t seed_;
  std::optional<Policy> policy_;  ///< that decides; nothing before the start
  const char* name_ = nullptr;
  std::vector<TaskId> known_;    ///< that are or were ready
  Table<TaskId, bool> seen_;     ///< whether it is one of them
  Table<TaskId, bool> waiting_;  ///< whether it is ready and was not given to a worker
  std::size_t completed_ = 0;
  std::size_t due_ = 0;    ///< after how many completed tasks the choice is made again
  std::size_t since_ = 0;  ///< how many tasks had completed when the policy took over
};

}  // namespace heddle::policy
