#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heddle/policy/policy.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"

namespace heddle::policy {

/// Which context has which worker while they run, how far their tasks are, and when a rule is to be asked.
class Membership {
 public:
  /// Contexts have the workers that the instance gives them. Without a rule, they keep them.
  Membership(const Instance& instance, std::optional<ResizeRule> rule);

  [[nodiscard]] const std::vector<WorkerId>& workers(ContextId context) const { return contexts_[context].workers; }
  /// What moved so far, in the order of time. A worker that has tasks of the context that it left is that one's until
  /// they have ended.
  [[nodiscard]] std::vector<WorkerMove> moves() const;
  [[nodiscard]] const std::optional<ResizeRule>& rule() const { return rule_; }
  /// From now on contexts keep their workers.
  void drop_rule() { rule_.reset(); }

  // What happened, to any context.
  void ready(std::span<const TaskId> tasks);
  void started(const View& view, TaskId task, WorkerId worker);
  void finished(const View& view, std::span<const Completion> completions);
  void aborted(const View& view, TaskId task, WorkerId worker);
  void refused(TaskId task);

  /// How many tasks of the context have not ended.
  [[nodiscard]] std::size_t left(ContextId context) const { return contexts_[context].left; }
  /// Those of them that its policy decides on, in their order: not what a worker has that is not the context's any
  /// more, nor what one was given ahead, which comes after what it runs.
  [[nodiscard]] std::vector<TaskId> own_tasks(const View& view, ContextId context) const;
  [[nodiscard]] bool is_ready(TaskId task) const { return tasks_[task].progress == Progress::ready; }

  /// All has been told that happened until now.
  void settle(Time now);
  /// Whether the rule, if there is one, is to be asked.
  [[nodiscard]] bool is_due() const;
  [[nodiscard]] Situation look(const View& view) const;
  /// The rule was asked.
  void begin_part(Time now);
  /// The worker leaves one context for another, against which there is no objection.
  void move(const View& view, const Move& move);

 private:
  enum class Progress : std::uint8_t { waiting, ready, given, ended };
  struct Task {
    Progress progress = Progress::waiting;
    WorkerId worker = kNone<WorkerId>;  ///< that has it
  };
  struct Worker {
    std::uint32_t tasks = 0;   ///< that it has
    Time free_since = 0;       ///< when it has none
    Time idle = 0;             ///< since the part began, until it last got a task
    std::size_t contexts = 0;  ///< that have it
  };
  struct OfContext {
    std::vector<WorkerId> workers;
    std::size_t left = 0;
    TimeSum work_done = 0;  ///< since the part began
  };
  /// A worker that has tasks of the context that it left.
  struct Leaving {
    std::size_t move;
    std::size_t tasks;
  };

  void take_from(const View& view, TaskId task, WorkerId worker);
  [[nodiscard]] bool is_leaving(WorkerId worker) const;
  [[nodiscard]] ContextId only_context_of(WorkerId worker) const;

  const Instance* instance_;
  std::optional<ResizeRule> rule_;
  Table<ContextId, OfContext> contexts_;
  Table<TaskId, Task> tasks_;
  Table<WorkerId, Worker> workers_;
  std::vector<Leaving> leaving_;
  std::vector<WorkerMove> moves_;
  std::size_t part_;  ///< tasks that end before the rule is asked again
  std::size_t ended_ = 0;
  bool is_done_ = false;  ///< some context has come to its end since
  Time part_began_ = 0;
};

}  // namespace heddle::policy
