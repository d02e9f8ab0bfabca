// Runs of random instances, with all that policies see meanwhile: the same as when last looked at (known_runs.txt).
// Other tests say what is right; this one notices whatever makes a run go another way.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "heddle/model/validate.hpp"
#include "heddle/sim/lookahead.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/policy/witness.hpp"
#include "tests/support/checksum.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kRounds = 150;

/// Decides at random: it also restarts, preempts and prefetches, and writes down all that it is told and sees.
class Wild {
 public:
  Wild(std::uint64_t seed, bool keeps_order, std::shared_ptr<Checksum> seen)
      : random_(seed), keeps_order_(keeps_order), seen_(std::move(seen)) {}

  /// What it would have been told so far.
  void know(const host::Present& present) {
    for (const TaskId task : present.status.ids()) {
      if (present.status[task] == host::Status::ready) ready_.push_back(task);
      if (present.status[task] == host::Status::running) given_.push_back(task);
    }
  }

  void start(const policy::View& view) { look(view); }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    seen_->add(tasks);
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
    look(view);
  }
  void started(const policy::View& view, TaskId task, WorkerId worker) {
    seen_->add(task);
    seen_->add(worker);
    std::erase(ready_, task);
    given_.push_back(task);
    look(view);
  }
  void finished(const policy::View& view, std::span<const policy::Completion> completions) {
    for (const policy::Completion& one : completions) {
      seen_->add(one.task);
      seen_->add(one.worker);
      std::erase(given_, one.task);
    }
    look(view);
  }
  void aborted(const policy::View& view, TaskId task, WorkerId worker) {
    seen_->add(task);
    seen_->add(worker);
    std::erase(given_, task);
    look(view);
  }
  void workers_changed(const policy::View& view) {
    seen_->add("workers changed");
    look(view);
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    look(view);
    policy::Action action = any(view);
    const bool harmless = action.kind == policy::Action::Kind::wait || action.kind == policy::Action::Kind::run;
    if (!harmless && --pranks_ < 0) action = policy::wait();
    // A run in which no worker has a task would never end.
    if (action.kind == policy::Action::Kind::wait && given_.empty()) action = some_run(view);
    return action;
  }
  [[nodiscard]] bool keeps_order() const { return keeps_order_; }

 private:
  [[nodiscard]] policy::Action any(const policy::View& view) {
    const std::int64_t dice = draw(random_, 1, 20);
    const WorkerId worker = make_id<WorkerId>(random_() % view.platform().worker_count());
    if (dice == 1 && !given_.empty()) return policy::preempt(given_[random_() % given_.size()]);
    if (dice <= 3 && !ready_.empty()) return policy::prefetch(ready_[random_() % ready_.size()], worker);
    if (dice == 4 && !given_.empty() && !view.asks_ahead() && view.is_idle(worker)) {
      const TaskId task = given_[random_() % given_.size()];
      if (view.can_run(task, view.platform().class_of(worker))) return policy::restart(task, worker);
    }
    return dice == 5 ? policy::wait() : some_run(view);
  }

  /// The last ready task that an idle worker can run.
  [[nodiscard]] policy::Action some_run(const policy::View& view) const {
    for (std::size_t i = ready_.size(); i-- > 0;) {
      for (const WorkerId worker : view.platform().workers()) {
        if (!view.is_idle(worker) || !view.can_run(ready_[i], view.platform().class_of(worker))) continue;
        return policy::run(ready_[i], worker);
      }
    }
    return policy::wait();
  }

  void look(const policy::View& view) const {
    seen_->add(view.now());
    seen_->add(view.asks_ahead());
    for (const WorkerId worker : view.platform().workers()) {
      seen_->add(view.is_idle(worker));
      seen_->add(view.running(worker));
      seen_->add(view.expected_end(worker));
    }
    for (const DataId data : ids<DataId>(view.graph().data_count())) {
      for (const MemoryId memory : view.platform().memories().ids()) {
        seen_->add(view.has(data, memory));
        seen_->add(view.holds(data, memory));
      }
    }
  }

  Random random_;
  bool keeps_order_;
  int pranks_ = 40;
  std::vector<TaskId> ready_;
  std::vector<TaskId> given_;
  std::shared_ptr<Checksum> seen_;
};

/// Few data or many, with links or without, in small memories or not.
RandomShape shape_of(std::uint64_t round) {
  return {.wrong_estimates = round % 3 == 1,
          .data = round % 8 != 7,
          .max_data = round % 7 < 3 ? 3 : 40,
          .any_home = round % 5 < 2,
          .limited = round % 4 != 0};
}

sim::Config config_of(std::uint64_t round) {
  constexpr const char* kNoises[] = {"none", "uniform:0.5", "lognormal:0.4,per=execution", "none",
                                     "lognormal:0.3,per=execution,normalized=true"};
  sim::Config config{.noise = sim::Noise(kNoises[round % 5]), .seed = round};
  config.ahead = static_cast<std::uint32_t>(round % 4);
  return config;
}

Schedule schedule_of(const sim::Simulation& simulation) {
  Schedule schedule;
  schedule.attempts = simulation.attempts();
  schedule.transfers = simulation.transfers();
  return schedule;
}

void add_valid_run(Checksum& checksum, const Instance& instance, policy::Policy policy, const sim::Config& config) {
  sim::Simulation simulation(instance, std::move(policy), config);
  while (!simulation.finished()) {
    simulation.step();
    checksum.add(simulation.now());
  }
  const Schedule schedule = schedule_of(simulation);
  const Durations durations = config.noise.none() ? Durations::exact : Durations::free;
  EXPECT_EQ(validate(instance, schedule, durations), std::vector<std::string>());
  checksum.add(schedule);
}

TEST(KnownRuns, OfWildPolicies) {
  Random random(201);
  const auto seen = std::make_shared<Checksum>();
  for (std::uint64_t round = 0; round < rounds(2 * kRounds); ++round) {
    SCOPED_TRACE(round);
    const Instance instance = random_instance(random, shape_of(round));
    add_valid_run(*seen, instance, Wild(round, round % 3 == 0, seen), config_of(round));
  }
  expect_known(HEDDLE_KNOWN_RUNS, "wild", *seen);
}

TEST(KnownRuns, OfPoliciesThatLookAtDataOrAhead) {
  Random random(202);
  Checksum checksum;
  for (std::uint64_t round = 0; round < rounds(kRounds); ++round) {
    SCOPED_TRACE(round);
    RandomShape shape = shape_of(round);
    shape.min_classes = shape.max_classes = 2;
    const Instance instance = random_instance(random, shape);
    for (const char* spec :
         {"dmdar", "lws", "heteroprio:correction=sp", "heteroprio-dep:order=best", "heftp:correction=gb"}) {
      add_valid_run(checksum, instance, policy::Spec(spec).make(round), config_of(round));
    }
  }
  expect_known(HEDDLE_KNOWN_RUNS, "policies", checksum);
}

/// Makes tasks ready that wait for no other and commute on nothing that those before have.
void make_ready(const Instance& instance, host::Present& present) {
  using Status = host::Status;
  std::set<DataId> taken;
  for (const Status status : {Status::running, Status::waiting}) {
    for (const TaskId task : instance.graph.tasks()) {
      if (present.status[task] != status || !instance.graph.predecessors(task).empty()) continue;
      std::set<DataId> commuting;
      for (const Access access : instance.graph.accesses(task)) {
        if (access.mode == AccessMode::commute) commuting.insert(access.data);
      }
      const bool free = std::ranges::none_of(commuting, [&](DataId data) { return taken.contains(data); });
      if (status == Status::waiting && free) present.status[task] = Status::ready;
      taken.insert(commuting.begin(), commuting.end());
    }
  }
}

/// A moment at which some tasks run, before a policy has started or, if any do, when it knows them.
host::Present present_of(Random& random, const Instance& instance, std::uint64_t round) {
  host::Present present = random_present(random, instance);
  const auto has_work = [](const host::Present::Work& work) { return !work.tasks.empty(); };
  present.started = round % 2 == 0 && std::ranges::any_of(present.work, has_work);
  present.keeps_order = round % 3 == 0;
  present.workers_return = round % 5 == 0;
  if (round % 4 == 3) present.copies.clear();
  if (present.started) make_ready(instance, present);
  return present;
}

TEST(KnownRuns, FromTheMiddle) {
  Random random(203);
  const auto seen = std::make_shared<Checksum>();
  for (std::uint64_t round = 0; round < rounds(2 * kRounds); ++round) {
    SCOPED_TRACE(round);
    const Instance instance = random_instance(random, shape_of(round));
    const host::Present present = present_of(random, instance, round);
    Wild policy(round, present.keeps_order, seen);
    if (present.started) policy.know(present);
    sim::Simulation simulation(instance, policy, present, config_of(round));
    while (!simulation.finished()) simulation.step();
    EXPECT_EQ(validate(unlinked(instance), schedule_of(simulation), Durations::free), std::vector<std::string>());
    seen->add(schedule_of(simulation));
  }
  expect_known(HEDDLE_KNOWN_RUNS, "from-the-middle", *seen);
}

TEST(KnownRuns, Ahead) {
  Random random(204);
  const auto seen = std::make_shared<Checksum>();
  for (std::uint64_t round = 0; round < rounds(kRounds); ++round) {
    SCOPED_TRACE(round);
    const Instance instance = random_instance(random, shape_of(round));
    const Instance other = random_instance(random, shape_of(round));
    host::Present present = present_of(random, instance, round);
    Wild policy(round, present.keeps_order, seen);
    if (present.started) policy.know(present);
    const sim::AheadOfOthers ahead(instance, [&] { return present; });
    const auto eager = [&] { return policy::Spec("eager").make(1); };
    seen->add(ahead.makespan(policy));
    seen->add(ahead.events());
    std::uint64_t told = 0;
    const auto observe = [&](const Attempt& attempt) {
      seen->add(attempt);
      return ++told < 5 + round % 5;
    };
    seen->add(ahead.run(policy, observe).value_or(-1));
    seen->add(ahead.events());
    seen->add(ahead.makespan_on(other, eager()));
    seen->add(ahead.events());
  }
  expect_known(HEDDLE_KNOWN_RUNS, "ahead", *seen);
}

TEST(KnownRuns, DurationsUnderNoise) {
  Random random(205);
  Checksum checksum;
  for (std::uint64_t round = 0; round < rounds(kRounds); ++round) {
    RandomShape shape = shape_of(round);
    shape.max_duration = 1'000'000'000;
    const Instance instance = random_instance(random, shape);
    for (const char* noise : {"uniform:0.3", "lognormal:0.5", "uniform:0.7,normalized=true", "uniform:1,per=execution",
                              "lognormal:0.5,per=execution,normalized=true"}) {
      const auto durations = sim::Noise(noise).durations(instance, round);
      for (const TaskId task : instance.graph.tasks()) {
        for (const ClassId c : instance.platform.classes()) {
          if (!instance.costs.can_run(task, c)) continue;
          for (const std::uint32_t attempt : {0, 1, 2}) checksum.add(durations(task, c, attempt));
        }
      }
    }
  }
  expect_known(HEDDLE_KNOWN_RUNS, "noise", checksum);
}

}  // namespace
}  // namespace heddle::test
