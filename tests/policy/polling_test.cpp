#include "heddle/policy/kit/queues/polling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "heddle/sim/simulation.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {
namespace {

/// A task that is pushed, or a worker that comes.
using Event = std::pair<TaskId, WorkerId>;

Event push_of(TaskId task) {
  return {task, kNone<WorkerId>};
}
Event visit_of(WorkerId worker) {
  return {kNone<TaskId>, worker};
}

/// A second version of the order in which workers poll: writes down what happens in each step of an instant.
class PlainPolling {
 public:
  void acts(const policy::View& view, WorkerId worker) { acted_[worker] = view.now(); }
  void finished(const policy::View& view, std::span<const policy::Completion> completions) {
    ended_.assign(completions.begin(), completions.end());
    for (const policy::Completion& completion : completions) acts(view, completion.worker);
    planned_.reset();
  }
  void ready(std::span<const TaskId> tasks) {
    pushed_.assign(tasks.begin(), tasks.end());
    planned_.reset();
  }

  /// What happens next if no worker takes anything.
  std::vector<Event> rest(const policy::View& view) {
    std::vector<Event> events;
    if (view.asks_ahead()) {
      if (!planned_) plan(view);
      for (const Event& event : *planned_) {
        if (event.second == kNone<WorkerId> || view.is_idle(event.second)) events.push_back(event);
      }
    }
    for (const TaskId task : pushed_) {
      if (std::ranges::find(events, push_of(task)) == events.end()) events.push_back(push_of(task));
    }
    const std::vector<WorkerId> idle = idle_workers(view);
    for (const WorkerId worker : idle) {
      if (!view.asks_ahead() || sleeps(view, worker)) events.push_back(visit_of(worker));
    }
    for (const WorkerId worker : idle) {
      if (view.asks_ahead() && !sleeps(view, worker)) events.push_back(visit_of(worker));
    }
    return events;
  }
  /// These happened; `all`: no worker took anything.
  void forget(std::span<const Event> events, bool all) {
    for (const Event& event : events) {
      std::erase(pushed_, event.first);
      if (!planned_) continue;
      // Workers that are busy now were passed over.
      const auto found = std::ranges::find(*planned_, event);
      if (found != planned_->end()) planned_->erase(planned_->begin(), found + 1);
    }
    if (planned_ && all) planned_->clear();
  }

 private:
  static std::vector<WorkerId> idle_workers(const policy::View& view) {
    std::vector<WorkerId> idle;
    view.visit_idle([&](WorkerId worker) {
      idle.push_back(worker);
      return false;
    });
    return idle;
  }
  [[nodiscard]] bool sleeps(const policy::View& view, WorkerId worker) const {
    const auto last = acted_.find(worker);
    return last == acted_.end() || last->second != view.now();
  }
  static bool is_device(const policy::View& view, WorkerId worker) {
    return view.memory_of(worker) != view.memory_of(make_id<WorkerId>(0));
  }
  /// Whether no later task writes some datum that the task writes and that is to be written back.
  static bool writes_back(const TaskGraph& graph, TaskId task) {
    return std::ranges::any_of(graph.accesses(task), [&](Access access) {
      if (!writes(access.mode) || !graph.datum(access.data).write_back) return false;
      return std::ranges::none_of(graph.tasks(), [&](TaskId later) {
        return later > task && std::ranges::any_of(graph.accesses(later), [&](Access other) {
                 return other.data == access.data && writes(other.mode);
               });
      });
    });
  }

  void plan(const policy::View& view) {
    std::map<std::uint32_t, std::vector<Event>> steps;
    // The last of its predecessors that ended now pushes a task; the program pushes those that have none.
    std::map<std::optional<std::size_t>, std::uint32_t> pushes;
    for (const TaskId task : pushed_) {
      std::optional<std::size_t> by;
      for (std::size_t i = 0; i < ended_.size(); ++i) {
        const auto predecessors = view.graph().predecessors(task);
        if (std::ranges::find(predecessors, ended_[i].task) != predecessors.end()) by = i;
      }
      steps[++pushes[by]].push_back(push_of(task));
    }
    const auto pushes_by_step = steps;
    std::set<WorkerId> woken;
    for (const auto& [step, events] : pushes_by_step) {
      for (const Event& event : events) {
        for (const WorkerId worker : idle_workers(view)) {
          const bool fits = view.can_run(event.first, view.platform().class_of(worker));
          if (!fits || !sleeps(view, worker) || woken.contains(worker)) continue;
          woken.insert(worker);
          steps[step + (is_device(view, worker) ? 2 : 1)].push_back(visit_of(worker));
          break;
        }
      }
    }
    for (std::size_t i = 0; i < ended_.size(); ++i) {
      const std::uint32_t own = is_device(view, ended_[i].worker) ? 2 : 0;
      const std::uint32_t home = writes_back(view.graph(), ended_[i].task) ? 2 : 0;
      steps[pushes[i] + 1 + own + home].push_back(visit_of(ended_[i].worker));
    }
    planned_.emplace();
    for (const auto& [step, events] : steps) planned_->insert(planned_->end(), events.begin(), events.end());
    ended_.clear();
  }

  std::map<WorkerId, Time> acted_;
  std::vector<policy::Completion> ended_;
  std::vector<TaskId> pushed_;
  std::optional<std::vector<Event>> planned_;
};

/// A queue first come first served that looks whether both versions agree.
struct Compared {
  static constexpr bool kPolls = true;

  void start(const policy::View& view) { polling.start(view); }
  void started(const policy::View& view, TaskId, WorkerId worker) {
    polling.started(view, worker);
    plain.acts(view, worker);
  }
  void finished(const policy::View& view, std::span<const policy::Completion> completions) {
    polling.finished(view, completions);
    plain.finished(view, completions);
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    polling.ready(view, tasks, [&](TaskId task) {
      EXPECT_FALSE(view.moves_data()) << "a task arrived before the step in which it is pushed";
      early.push_back(push_of(task));
      queue.push_back(task);
    });
    plain.ready(tasks);
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    std::vector<Event> expected = plain.rest(view);
    std::vector<Event> events = std::exchange(early, {});
    const policy::Action action = polling.next(
        view,
        [&](TaskId task) {
          events.push_back(push_of(task));
          queue.push_back(task);
        },
        [&](WorkerId worker) {
          events.push_back(visit_of(worker));
          const auto found = std::ranges::find_if(
              queue, [&](TaskId ready) { return view.can_run(ready, view.platform().class_of(worker)); });
          if (found == queue.end()) return kNone<TaskId>;
          const TaskId task = *found;
          queue.erase(found);
          return task;
        });
    if (action.kind != policy::Action::Kind::wait) {
      expected.resize(std::min(events.size(), expected.size()));
      *visits += view.asks_ahead() ? 1 : 0;
    }
    EXPECT_EQ(events, expected);
    plain.forget(events, action.kind == policy::Action::Kind::wait);
    return action;
  }

  policy::Polling polling;
  PlainPolling plain;
  std::deque<TaskId> queue;
  std::vector<Event> early;  ///< arrived since it was asked last
  std::size_t* visits;       ///< counts those at which workers that may ask ahead took a task
};

TEST(Polling, IsInTheOrderOfThePlainVersion) {
  Random random(47);
  std::size_t visits = 0;
  for (int round = 0; round < 500 && !HasFailure(); ++round) {
    const Instance instance =
        random_instance(random, {.min_classes = 2, .max_duration = 5, .data = true, .write_back = true});
    static_cast<void>(sim::simulate(
        instance, Compared{.polling = {}, .plain = {}, .queue = {}, .early = {}, .visits = &visits}, "compared"));
  }
  EXPECT_GT(visits, 1000U);
}

/// Two tasks and two cores; `moves_data`: and a device with a memory of its own.
Instance two_tasks(bool moves_data) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  builder.add_task("first", type);
  builder.add_task("second", type);
  TaskGraph graph = builder.build();
  std::vector<ResourceClass> classes{{.name = "cpu", .workers = 2}};
  std::vector<Link> links;
  if (moves_data) {
    classes.push_back({.name = "gpu", .workers = 1, .memory = "gpu"});
    links.push_back({.from = "ram", .to = "gpu", .bandwidth = 1e9, .latency = 0, .via = {}});
    links.push_back({.from = "gpu", .to = "ram", .bandwidth = 1e9, .latency = 0, .via = {}});
  }
  Costs costs(graph, classes.size());
  costs.set_actual(Costs::row(type), ClassId{0}, 10);
  return make_instance("two", std::move(graph), Platform(classes, links), std::move(costs));
}

/// The first worker that comes; none takes anything.
WorkerId first_to_come(const policy::View& view, policy::Polling& polling) {
  WorkerId first = kNone<WorkerId>;
  static_cast<void>(polling.next(
      view, [](TaskId) {},
      [&](WorkerId worker) {
        if (first == kNone<WorkerId>) first = worker;
        return kNone<TaskId>;
      }));
  return first;
}

constexpr WorkerId kFirst{0};
constexpr WorkerId kSecond{1};
constexpr policy::Completion kEndedOnTheSecond{TaskId{0}, kSecond};
constexpr TaskId kAgain{1};

/// Workers ask ahead, and a task has ended on the second one at 10.
struct AskedAhead {
  explicit AskedAhead(const Instance& instance) : view(instance) {
    view.set_asks_ahead(true);
    polling.start(view);
    view.set_now(10);
    polling.finished(view, std::span(&kEndedOnTheSecond, 1));
  }
  policy::HostView view;
  policy::Polling polling;
};

// A task whose worker has left is ready again, and none has ended: the program pushes it, which wakes the first worker.
TEST(Polling, ForgetsWhatEndedAtAnEarlierInstant) {
  const Instance instance = two_tasks(true);
  AskedAhead asked(instance);
  asked.view.mark_idle(WorkerId{2}, false);
  EXPECT_EQ(first_to_come(asked.view, asked.polling), kSecond);
  asked.view.set_now(20);
  asked.polling.ready(asked.view, std::span(&kAgain, 1), [](TaskId) {});
  EXPECT_EQ(first_to_come(asked.view, asked.polling), kFirst);
}

TEST(Polling, IsInTheServiceOrderWhereDataDoesNotMove) {
  const Instance instance = two_tasks(false);
  AskedAhead asked(instance);
  EXPECT_EQ(first_to_come(asked.view, asked.polling), kFirst);
}

TEST(Polling, WhereDataDoesNotMoveTasksArriveAtOnce) {
  const Instance instance = two_tasks(false);
  AskedAhead asked(instance);
  const std::vector tasks{TaskId{0}, TaskId{1}};
  std::vector<TaskId> arrived;
  const auto arrive = [&](TaskId task) { arrived.push_back(task); };
  asked.polling.ready(asked.view, tasks, arrive);
  EXPECT_EQ(arrived, tasks);
  static_cast<void>(asked.polling.next(asked.view, arrive, [](WorkerId) { return kNone<TaskId>; }));
  EXPECT_EQ(arrived, tasks) << "once";
}

}  // namespace
}  // namespace heddle::test
