#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "heddle/model/options.hpp"
#include "heddle/policy/kit/queues/worker_queues.hpp"
#include "heddle/policy/kit/ranks/slack.hpp"

namespace heddle::policy {

/// The completion-time family: tasks that become ready together are taken in an order and each is put on the worker
/// that is expected to complete it first (but for slack, below), the whole queue of that worker counted; ties to the
/// smallest worker. A task stays where it was put.
///
/// Members differ in the order of the batch and of the queues, and where data has to be moved in whether they know:
/// a data-aware one expects a task to start when the worker is free and its data has arrived, and adds `beta` times the
/// time that the transfer takes, as the price of using the link (StarPU's dmda with alpha = 1: Augonnet et al. 2011).
/// Without `overlap` the transfer counts in full even if the worker has other tasks to execute meanwhile, for the link
/// serves no other worker then. It expects the links to be busy: the bandwidth of each is divided by twice the number
/// of memories beside ram. It places a task when the data of the tasks before has been asked for, and counts what is on
/// its way as there.
///
/// With slack, tasks that can wait (Slack) do so for others. `cheapest_class`: of the classes on which a task is
/// expected to cost at most half of what it can wait more than on the best, it goes to the one where it is worth least
/// of the machine; the other half is for waiting in the queue. `lets_pass`: a worker takes the task of its queue that
/// misses the fewest bytes before a more urgent one that can wait for as long as that takes.
class CompletionTime {
 public:
  enum class Queues : std::uint8_t { fifo, priority };
  struct Rules {
    Queues queues = Queues::fifo;
    bool data_aware = false;
    bool nearest_first = false;  ///< of equally urgent tasks in a queue, the one that misses the fewest bytes first
    bool overlap = true;
    double beta = 1;
    bool cheapest_class = false;
    bool lets_pass = false;  ///< only with nearest_first

    [[nodiscard]] bool use_slack() const { return cheapest_class || lets_pass; }
  };

  explicit CompletionTime(Rules rules) : rules_(rules) {}

  /// `urgency`: the batch is taken by descending urgency, then by number; so are queues by priority.
  void start(const View& view, Table<TaskId, std::int64_t> urgency);
  void ready(const View& view, std::span<const TaskId> tasks);
  void refused(const View& view, Action action);
  void workers_changed(const View& view) { ready(view, queues_.take_unassigned(view)); }
  [[nodiscard]] Action next(const View& view) {
    if (!batch_.empty()) place_batch(view);
    return rules_.nearest_first && view.moves_data() ? serve_nearest(view) : queues_.serve(view);
  }

 protected:
  [[nodiscard]] std::int64_t urgency(TaskId task) const { return (*urgency_)[task]; }

  /// Where a task is best put, and when it is expected to complete there.
  struct Offer {
    WorkerId worker = kNone<WorkerId>;  ///< kNone when no available worker can run it
    Time end = kMaxTime;
    Time work = 0;  ///< for how long it keeps the worker, waiting for its data included
  };
  [[nodiscard]] Offer best_offer(const View& view, TaskId task);
  /// Of the workers of one class.
  [[nodiscard]] Offer best_offer(const View& view, TaskId task, ClassId c);
  /// Puts the task where it was offered a place; without any it waits until workers come back.
  void put(const View& view, TaskId task, const Offer& offer);
  /// The task runs, so its work is no longer among what is to be placed, even if this policy has not placed it.
  void note_running(const View& view, TaskId task) { slack_.place(view, task); }

 private:
  struct Choice {
    Offer offer;
    Time cost = kMaxTime;
  };

  void place(const View& view, TaskId task);
  void place_batch(const View& view);
  [[nodiscard]] Action serve_nearest(const View& view);
  [[nodiscard]] Time can_wait(const View& view, TaskId task) const;
  [[nodiscard]] Choice cheapest(const View& view, TaskId task);
  [[gnu::always_inline]] inline void consider(const View& view, TaskId task, ClassId c, Choice& best) const;
  void estimate_transfers(const View& view, TaskId task);
  /// By descending urgency, then by number.
  [[nodiscard]] std::shared_ptr<const TaskOrder> order() const;

  Rules rules_;
  Table<ClassId, Choice> choices_;                              ///< kept to save allocations
  Table<MemoryId, Time> transfer_;                              ///< of the task to be placed
  std::shared_ptr<const Table<TaskId, std::int64_t>> urgency_;  ///< clones share it
  WorkerQueues queues_;
  Slack slack_;
  Fifo<TaskId> batch_;          ///< tasks to be placed
  std::vector<TaskId> sorted_;  ///< kept to save allocations
};

/// The options `overlap` and `beta` of data-aware members with these defaults, and the rules with what they chose.
[[nodiscard]] std::vector<Option> transfer_options(bool overlap = true, const char* beta = "1");
[[nodiscard]] CompletionTime::Rules with_transfers(CompletionTime::Rules rules, const Options& options);

}  // namespace heddle::policy
