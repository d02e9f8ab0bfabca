#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/policy/policy.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"

namespace heddle::policy {

/// Which context has which worker while they run, how far their tasks are, and when a rule is to be asked.
class Membership {
 public:
  /// Contexts have the workers that the instance gives them, from `now` on. Without a rule, they keep them.
  Membership(const Instance& instance, std::optional<ResizeRule> rule, Time now = 0);
  /// Before anything has happened: the run goes on from one on the same workers, which ends now, where the rule was
  /// asked last. Contexts have the workers that they have here, and those that come later are new.
  void recall(const Membership& before, Time now);

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
    std::uint32_t kind = 0;
  };
  /// Tasks of a context that are alike to a rule.
  struct Kind {
    ContextId context;
    std::vector<bool> runs;               ///< by class, whether it can run them
    std::size_t left = 0;                 ///< that have not ended
    std::size_t waiting = 0;              ///< of these, those that no worker has
    Table<ClassId, TimeSum> estimates{};  ///< sums of those that wait; 0 where they cannot run
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
    std::size_t ready = 0;
    TimeSum work_left = 0;
    TimeSum work_done = 0;  ///< since the part began
    Time since = 0;         ///< when it got the first task after it had none
  };
  /// A worker that has tasks of the context that it left.
  struct Leaving {
    std::size_t move;
    std::size_t tasks;
  };

  void sort_tasks();
  void become(TaskId task, Progress progress, WorkerId worker = kNone<WorkerId>);
  void take_from(const View& view, TaskId task, WorkerId worker);
  [[nodiscard]] bool is_leaving(WorkerId worker) const;
  [[nodiscard]] ContextId only_context_of(WorkerId worker) const;

  const Instance* instance_;
  std::optional<ResizeRule> rule_;
  Table<ContextId, OfContext> contexts_;
  Table<TaskId, Task> tasks_;
  std::vector<Kind> kinds_;  ///< by context, type, and classes that run them
  Table<WorkerId, Worker> workers_;
  std::vector<Leaving> leaving_;
  std::vector<WorkerMove> moves_;
  std::size_t part_;  ///< tasks that end before the rule is asked again
  std::size_t ended_ = 0;
  bool is_done_ = false;  ///< some context has come to its end since
  Time part_began_;
  Time now_;  ///< of what it was told last
};

}  // namespace heddle::policy
