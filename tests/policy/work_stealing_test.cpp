#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "heddle/model/levels.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using policy::Action;
using policy::View;

/// ws and lws in the plainest way: lists that are searched from front to back.
class PlainStealing {
 public:
  explicit PlainStealing(bool nearest) : nearest_(nearest) {}

  void start(const View& view) {
    queues_.resize(view.platform().worker_count());
    last_.assign(view.graph().task_count(), {-1, kNone<WorkerId>});
    level_ = bottom_levels(view.instance(), Rank::min);
  }

  void finished(const View&, std::span<const policy::Completion> done) {
    for (const auto& [task, worker] : done) last_[index(task)] = {clock_++, worker};
  }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) queues_[index(home(view, task))].push_back(task);
  }

  [[nodiscard]] Action next(const View& view) {
    for (const bool stealing : {false, true}) {
      Action action = policy::wait();
      view.visit_idle([&](WorkerId worker) {
        const std::size_t from = stealing ? victim(view, worker) : index(worker);
        const auto task = first(view, from, worker);
        if (task == queues_[from].end()) return false;
        action = policy::run(*task, worker);
        queues_[from].erase(task);
        return true;
      });
      if (action.kind != Action::Kind::wait) return action;
    }
    return policy::wait();
  }

 private:
  [[nodiscard]] WorkerId home(const View& view, TaskId task) {
    std::pair<int, WorkerId> latest{-1, kNone<WorkerId>};
    for (const TaskId before : view.graph().predecessors(task)) latest = std::max(latest, last_[index(before)]);
    const auto runs = [&](WorkerId w) { return view.can_run(task, view.platform().class_of(w)); };
    if (latest.first >= 0 && runs(latest.second)) return latest.second;
    WorkerId worker{};
    do worker = make_id<WorkerId>(turn_++ % queues_.size());
    while (!runs(worker));
    return worker;
  }

  [[nodiscard]] std::size_t loot(const View& view, std::size_t from, WorkerId thief) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        queues_[from], [&](TaskId task) { return view.can_run(task, view.platform().class_of(thief)); }));
  }

  [[nodiscard]] std::vector<TaskId>::iterator first(const View& view, std::size_t from, WorkerId worker) {
    auto best = queues_[from].end();
    for (auto task = queues_[from].begin(); task != queues_[from].end(); ++task) {
      if (!view.can_run(*task, view.platform().class_of(worker))) continue;
      const bool more_urgent = best != queues_[from].end() &&
                               (level_[*task] > level_[*best] || (level_[*task] == level_[*best] && *task < *best));
      if (best == queues_[from].end() || (nearest_ && more_urgent)) best = task;
    }
    return best;
  }

  [[nodiscard]] std::size_t victim(const View& view, WorkerId thief) const {
    const auto far = [&](std::size_t worker) {
      const bool stranger = view.platform().class_of(make_id<WorkerId>(worker)) != view.platform().class_of(thief);
      return std::pair(stranger, std::labs(static_cast<long>(worker) - static_cast<long>(index(thief))));
    };
    std::size_t best = index(thief);
    for (std::size_t worker = 0; worker < queues_.size(); ++worker) {
      const std::size_t here = loot(view, worker, thief);
      if (here == 0) continue;
      const bool better = nearest_ ? far(worker) < far(best) : here > loot(view, best, thief);
      if (best == index(thief) || better) best = worker;
    }
    return best;
  }

  bool nearest_;
  std::vector<std::vector<TaskId>> queues_;
  std::vector<std::pair<int, WorkerId>> last_;
  Table<TaskId, std::int64_t> level_;
  int clock_ = 0;
  std::size_t turn_ = 0;
};

std::vector<Attempt> finish(const Instance& instance, policy::Policy policy) {
  sim::Simulation simulation(instance, std::move(policy));
  while (!simulation.finished()) simulation.step();
  return simulation.attempts();
}

TEST(WorkStealing, MeetsThePlainVersions) {
  Random random(42);
  for (int round = 0; round < rounds(1000); ++round) {
    const Instance instance = random_instance(random, {.max_tasks = 60});
    ASSERT_EQ(finish(instance, make_policy("ws", instance).value()), finish(instance, PlainStealing(false)));
    ASSERT_EQ(finish(instance, make_policy("lws", instance).value()), finish(instance, PlainStealing(true)));
  }
}

/// Lets another policy decide and checks that no worker stays idle while a ready task waits that it could run.
class Diligence {
 public:
  explicit Diligence(policy::Policy policy) : policy_(std::move(policy)) {}

  void start(const View& view) { policy_.start(view); }
  void ready(const View& view, std::span<const TaskId> tasks) {
    ready_.insert(tasks.begin(), tasks.end());
    policy_.ready(view, tasks);
  }
  void started(const View& view, TaskId task, WorkerId worker) {
    ready_.erase(task);
    policy_.started(view, task, worker);
  }
  void finished(const View& view, std::span<const policy::Completion> done) { policy_.finished(view, done); }
  [[nodiscard]] Action next(const View& view) {
    const Action action = policy_.next(view);
    if (action.kind != Action::Kind::wait) return action;
    for (const ClassId c : view.platform().classes()) {
      if (!view.has_idle(c)) continue;
      for (const TaskId task : ready_) EXPECT_FALSE(view.can_run(task, c)) << view.graph().name(task) << " waits";
    }
    return action;
  }

 private:
  policy::Policy policy_;
  std::set<TaskId> ready_;
};

TEST(WorkStealing, NoWorkerIsIdleBesideATaskThatItCouldRun) {
  Random random(43);
  for (int round = 0; round < rounds(300); ++round) {
    const Instance instance = random_instance(random);
    for (const char* spec : {"ws", "lws", "xkaapi-ws", "prio"}) {
      finish(instance, Diligence(make_policy(spec, instance).value()));
      ASSERT_FALSE(HasFailure()) << spec;
    }
  }
}

/// One CPU, two GPUs with memories of their own; the task reads a large datum that only gpu0 has and writes a small one
/// that only gpu1 has.
class Locality : public testing::Test {
 protected:
  static Instance instance() {
    TaskGraphBuilder builder;
    const DataId large = builder.add_datum({"large", 1000});
    const DataId small = builder.add_datum({"small", 10});
    const std::vector<Access> accesses{{large, AccessMode::read}, {small, AccessMode::read_write}};
    builder.add_task("task", builder.add_type("type"), accesses);
    TaskGraph graph = builder.build();
    std::vector<Link> links;
    for (const char* gpu : {"gpu0", "gpu1"}) {
      links.push_back({"ram", gpu, 1e9, 0, {}});
      links.push_back({gpu, "ram", 1e9, 0, {}});
    }
    Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 2, .memory = "each"}}, links);
    Costs costs(graph, 2);
    for (const ClassId c : platform.classes()) costs.set_actual(0, c, 5);
    return make_instance("locality", std::move(graph), std::move(platform), std::move(costs));
  }

  /// The worker whose queue the task is pushed to: it alone is given it without stealing.
  static std::string chosen(const std::string& spec, WorkerId gone = kNone<WorkerId>) {
    const Instance in = instance();
    policy::HostView view(in);
    const MemoryId ram = in.platform.find_memory("ram").value();
    for (const auto& [data, gpu] : {std::pair(0, "gpu0"), std::pair(1, "gpu1")}) {
      view.set_copy(make_id<DataId>(static_cast<std::size_t>(data)), ram, policy::HostView::Copy::none);
      view.set_copy(make_id<DataId>(static_cast<std::size_t>(data)), in.platform.find_memory(gpu).value(),
                    policy::HostView::Copy::valid);
    }
    policy::Policy policy = make_policy(spec, in).value();
    policy.start(view);
    if (gone != kNone<WorkerId>) {
      view.set_available(gone, false);
      policy.workers_changed(view);
    }
    const TaskId task{};
    policy.ready(view, std::span(&task, 1));
    return in.platform.worker_name(policy.next(view).worker);
  }
};

TEST_F(Locality, VolumePushesToWhereTheBytesAre) {
  EXPECT_EQ(chosen("xkaapi-ws:locality=volume"), "gpu0");
}

TEST_F(Locality, VolumePassesOverAWorkerThatHasLeft) {
  const WorkerId gpu0{1};
  EXPECT_EQ(chosen("xkaapi-ws:locality=volume", gpu0), "gpu1");
}

TEST_F(Locality, WritesPushToTheOwner) {
  EXPECT_EQ(chosen("xkaapi-ws:locality=writes"), "gpu1");
}

TEST_F(Locality, WithoutAHeuristicWorkersTakeTurns) {
  EXPECT_EQ(chosen("xkaapi-ws:locality=none"), "cpu0");
}

}  // namespace
}  // namespace heddle::test
