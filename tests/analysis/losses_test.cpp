#include "heddle/analysis/losses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "heddle/model/validate.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/analysis/plain_losses.hpp"
#include "tests/analysis/samples.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

using analysis::Cause;
using analysis::ClassLosses;
using analysis::Interval;
using analysis::Losses;
using analysis::Recording;
using analysis::Span;

constexpr ClassId kCpu = make_id<ClassId>(0);
constexpr ClassId kGpu = make_id<ClassId>(1);
constexpr MemoryId kRam = make_id<MemoryId>(0);
constexpr MemoryId kGpuMemory = make_id<MemoryId>(1);

constexpr Time seconds(double count) {
  return static_cast<Time>(count * static_cast<double>(kSecond));
}

constexpr WorkerId worker(std::size_t number) {
  return make_id<WorkerId>(number);
}

using Totals = std::map<Cause, Time>;

/// Those that are not zero.
Totals totals(const ClassLosses& losses) {
  Totals found;
  for (std::size_t i = 0; i < analysis::kCauseCount; ++i) {
    if (losses.by_cause[i] != 0) found[static_cast<Cause>(i)] = static_cast<Time>(losses.by_cause[i]);
  }
  return found;
}

Table<ClassId, ClassLosses> by_class(const Instance& instance, const Schedule& schedule,
                                     const Recording& recording = {}) {
  return Losses(instance, schedule, recording).by_class();
}

TEST(Losses, OfTheExampleInTheDocs) {
  const Instance instance = four_tasks();
  const Schedule schedule = four_tasks_schedule(instance);
  ASSERT_EQ(validate(instance, schedule), std::vector<std::string>());
  const Losses losses(instance, schedule);
  EXPECT_EQ(totals(losses.by_class()[kCpu]), (Totals{{Cause::kernel, seconds(6)},
                                                     {Cause::aborted, seconds(0.5)},
                                                     {Cause::ready_not_run, seconds(3)},
                                                     {Cause::no_ready_task, seconds(1.5)},
                                                     {Cause::end, seconds(1)}}));
  EXPECT_EQ(totals(losses.by_class()[kGpu]), (Totals{{Cause::kernel, seconds(1)},
                                                     {Cause::data, seconds(1)},
                                                     {Cause::begin, seconds(2)},
                                                     {Cause::end, seconds(2)}}));
  ASSERT_EQ(losses.by_class()[kGpu].data.size(), 1U);
  EXPECT_EQ(losses.by_class()[kGpu].data[0].from, kRam);
  EXPECT_EQ(losses.by_class()[kGpu].data[0].to, kGpuMemory);
  EXPECT_EQ(losses.spans(worker(0)), (std::vector<Span>{{{0, seconds(2)}, Cause::kernel},
                                                        {{seconds(2), seconds(3)}, Cause::ready_not_run},
                                                        {{seconds(3), seconds(4)}, Cause::no_ready_task},
                                                        {{seconds(4), seconds(4.5)}, Cause::aborted},
                                                        {{seconds(4.5), seconds(5)}, Cause::ready_not_run},
                                                        {{seconds(5), seconds(6)}, Cause::end}}));
}

TEST(Losses, WithoutTransfersDataAndOverheadAreNotToldApart) {
  const Instance instance = four_tasks();
  Schedule schedule = four_tasks_schedule(instance);
  schedule.transfers.clear();
  const Losses losses(instance, schedule, {.has_transfers = false});
  EXPECT_EQ(losses.by_class()[kGpu][Cause::data_or_overhead], seconds(1));
  // r waits on cpu1 for a second, and so does s for half a one; q is ready while cpu0 has nothing of its own.
  EXPECT_EQ(losses.by_class()[kCpu][Cause::data_or_overhead], seconds(1.5));
  EXPECT_EQ(losses.by_class()[kCpu][Cause::ready_not_run], seconds(1.5));
}

TEST(Losses, ATaskIsNotReadyBeforeItIsSubmitted) {
  const Instance instance = four_tasks();
  const Schedule schedule = four_tasks_schedule(instance);
  Recording recording;
  recording.submitted.assign(4, 0);
  recording.submitted[make_id<TaskId>(2)] = seconds(1);
  const Losses losses(instance, schedule, recording);
  EXPECT_EQ(losses.by_class()[kCpu][Cause::begin], seconds(1));
  EXPECT_EQ(losses.by_class()[kCpu][Cause::ready_not_run], seconds(2));
}

TEST(Losses, NothingExplainsATimeInWhichNothingRunsAndNothingIsReady) {
  const Instance instance = four_tasks();
  const Schedule schedule = four_tasks_schedule(instance);
  Recording recording;
  recording.submitted.assign(4, 0);
  recording.submitted[make_id<TaskId>(3)] = seconds(4);
  EXPECT_EQ(by_class(instance, schedule, recording)[kCpu][Cause::unexplained], 0);
  // s is aborted at 4.5 and submitted again, as it were, at 5: no task is there in between.
  Schedule late = schedule;
  std::erase_if(late.attempts, [](const Attempt& attempt) { return attempt.outcome == Outcome::aborted; });
  recording.submitted[make_id<TaskId>(3)] = seconds(5);
  const Losses losses(instance, late, recording);
  EXPECT_EQ(losses.by_class()[kCpu][Cause::unexplained], seconds(1));  // cpu1; cpu0 has ended
}

/// Gives ready tasks to random workers, sometimes later than it could, and sometimes restarts or puts back one that
/// runs.
class Capricious {
 public:
  explicit Capricious(std::uint64_t seed) : random_(seed) {}

  void start(const policy::View& view) { aborts_.assign(view.graph().task_count(), 0); }
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] policy::Action next(const policy::View& view) {
    std::vector<WorkerId> idle;
    std::vector<WorkerId> running;
    for (const WorkerId worker : view.platform().workers()) {
      if (view.is_idle(worker)) idle.push_back(worker);
      if (view.running(worker) != kNone<TaskId>) running.push_back(worker);
    }
    if (idle.empty()) return policy::wait();
    if (!running.empty()) {
      if (chance(30)) return policy::wait();
      const WorkerId to = one_of(idle);
      const TaskId victim = view.running(one_of(running));
      const bool may_abort = !view.asks_ahead() && view.can_run(victim, view.platform().class_of(to));
      if (may_abort && chance(30) && aborts_[victim]++ < 2) {
        return chance(25) ? policy::preempt(victim) : policy::restart(victim, to);
      }
    }
    return run_one(view, idle);
  }

 private:
  [[nodiscard]] bool chance(int percent) { return draw(random_, 1, 100) <= percent; }
  template <class T>
  [[nodiscard]] T one_of(const std::vector<T>& all) {
    return all[random_() % all.size()];
  }
  [[nodiscard]] policy::Action run_one(const policy::View& view, std::vector<WorkerId> idle) {
    while (!idle.empty()) {
      const WorkerId worker = one_of(idle);
      std::erase(idle, worker);
      std::vector<TaskId> fit;
      std::ranges::copy_if(ready_, std::back_inserter(fit),
                           [&](TaskId task) { return view.can_run(task, view.platform().class_of(worker)); });
      if (fit.empty()) continue;
      const TaskId task = one_of(fit);
      std::erase(ready_, task);
      return policy::run(task, worker);
    }
    return policy::wait();
  }

  Random random_;
  std::vector<TaskId> ready_;
  Table<TaskId, int> aborts_;
};

RandomShape shape_of_round(std::uint64_t round) {
  RandomShape shape;
  shape.max_tasks = 12;
  shape.max_workers = 3;
  shape.max_duration = 12;
  shape.data = round % 4 != 0;
  shape.max_data = 5;
  shape.any_home = round % 5 == 0;
  shape.write_back = round % 3 == 0;
  return shape;
}

/// Submitted at some moment before the first attempt.
Table<TaskId, Time> random_submission(Random& random, const Instance& instance, const Schedule& schedule) {
  Table<TaskId, Time> submitted(instance.graph.task_count(), kMaxTime);
  for (const Attempt& attempt : schedule.attempts) {
    submitted[attempt.task] = std::min(submitted[attempt.task], attempt.start);
  }
  for (Time& time : submitted) time = draw(random, time / 2, time);
  return submitted;
}

std::vector<Span> joined(const std::vector<Span>& spans) {
  std::vector<Span> joined;
  for (const Span& span : spans) {
    const bool same = !joined.empty() && joined.back().cause == span.cause && joined.back().from == span.from &&
                      joined.back().to == span.to && joined.back().time.end == span.time.start;
    if (same) {
      joined.back().time.end = span.time.end;
    } else {
      joined.push_back(span);
    }
  }
  return joined;
}

/// The worker's spans from what Losses::held_up() tells of them.
std::vector<Span> unpacked(const Schedule& schedule, const Losses& losses, WorkerId worker, ClassId c) {
  std::vector<Attempt> attempts;
  std::ranges::copy_if(schedule.attempts, std::back_inserter(attempts),
                       [&](const Attempt& attempt) { return attempt.worker == worker; });
  std::ranges::sort(attempts, {}, [](const Attempt& a) { return std::pair(a.start, a.end); });
  std::vector<Span> fixed = losses.held_up(worker);
  for (const Attempt& attempt : attempts) {
    fixed.push_back(
        {{attempt.start, attempt.end}, attempt.outcome == Outcome::completed ? Cause::kernel : Cause::aborted});
  }
  std::ranges::sort(fixed, {}, [](const Span& span) { return std::pair(span.time.start, span.time.end); });
  std::vector<Span> spans;
  const auto add_idle = [&](Interval gap) {
    losses.times().ready[c].split(gap, [&](Interval part, bool is_ready) {
      if (is_ready) return spans.push_back({part, Cause::ready_not_run});
      if (attempts.empty()) return spans.push_back({part, Cause::no_ready_task});
      if (part.end <= attempts.front().start) return spans.push_back({part, Cause::begin});
      if (part.start >= attempts.back().end) return spans.push_back({part, Cause::end});
      spans.push_back({part, Cause::no_ready_task});
    });
  };
  Time now = 0;
  for (const Span& span : fixed) {
    add_idle({now, span.time.start});
    if (span.time.start < span.time.end) spans.push_back(span);
    now = span.time.end;
  }
  add_idle({now, schedule.makespan()});
  std::vector<Span> split;
  for (const Span& span : spans) {
    if (span.cause != Cause::no_ready_task) {
      split.push_back(span);
      continue;
    }
    losses.times().stalled.split(span.time, [&](Interval part, bool is_stalled) {
      split.push_back({part, is_stalled ? Cause::unexplained : Cause::no_ready_task});
    });
  }
  return split;
}

void expect_agreement(const Instance& instance, const Schedule& schedule, const Recording& recording) {
  const Losses losses(instance, schedule, recording);
  const auto plain = plain_losses(instance, schedule, recording);
  Table<ClassId, ClassLosses> sums(instance.platform.class_count());
  for (const WorkerId worker : instance.platform.workers()) {
    const std::vector<PlainUse>& expected = plain[index(worker)];
    ASSERT_EQ(joined(unpacked(schedule, losses, worker, instance.platform.class_of(worker))),
              joined(losses.spans(worker)));
    Time now = 0;
    for (const Span& span : losses.spans(worker)) {
      ASSERT_EQ(span.time.start, now);
      for (; now < span.time.end; ++now) {
        const PlainUse found{span.cause, span.from, span.to};
        ASSERT_EQ(found, expected[static_cast<std::size_t>(now)])
            << instance.platform.worker_name(worker) << " at " << now << ": " << to_string(found.cause) << ", not "
            << to_string(expected[static_cast<std::size_t>(now)].cause);
        ++sums[instance.platform.class_of(worker)].by_cause[static_cast<std::size_t>(span.cause)];
      }
    }
    ASSERT_EQ(now, schedule.makespan());
  }
  for (const ClassId c : instance.platform.classes()) {
    ASSERT_EQ(losses.by_class()[c].by_cause, sums[c].by_cause);
    TimeSum data = 0;
    for (const analysis::LinkLoss& link : losses.by_class()[c].data) data += link.time;
    ASSERT_EQ(data, losses.by_class()[c][Cause::data]);
  }
}

TEST(Losses, AgreeWithAPlainLookAtEveryPicosecond) {
  std::map<Cause, std::size_t> seen;
  for (std::uint64_t round = 0; round < rounds(10'000U); ++round) {
    SCOPED_TRACE(round);
    Random random(round);
    const Instance instance = random_instance(random, shape_of_round(round));
    const Schedule schedule = sim::simulate(instance, Capricious(round), "capricious");
    ASSERT_EQ(validate(instance, schedule), std::vector<std::string>());
    Recording recording{.has_transfers = round % 3 != 1};
    if (round % 2 == 1) recording.submitted = random_submission(random, instance, schedule);
    expect_agreement(instance, schedule, recording);
    if (HasFatalFailure()) return;
    for (const ClassLosses& losses : by_class(instance, schedule, recording)) {
      for (const auto& [cause, time] : totals(losses)) ++seen[cause];
    }
  }
  // Each cause comes up often enough for the comparison to mean something.
  for (std::size_t cause = 0; cause < analysis::kCauseCount; ++cause) {
    EXPECT_GE(seen[static_cast<Cause>(cause)], rounds(100U)) << to_string(static_cast<Cause>(cause));
  }
}

TEST(Losses, OfEverySimulatedPolicyAreExplained) {
  for (const policy::Entry& entry : policy::entries()) {
    if (entry.name == "static") continue;
    const policy::Spec spec(entry.name);
    for (std::uint64_t round = 0; round < rounds(40U); ++round) {
      SCOPED_TRACE(entry.name + " " + std::to_string(round));
      Random random(round);
      RandomShape shape = shape_of_round(round);
      shape.max_classes = round % 2 == 0 ? 2 : 3;
      const Instance instance = random_instance(random, shape);
      if (!spec.objection(instance).empty()) continue;
      const Schedule schedule = sim::simulate(instance, spec);
      ASSERT_EQ(validate(instance, schedule), std::vector<std::string>());
      expect_agreement(instance, schedule, {});
      if (HasFatalFailure()) return;
      for (const ClassLosses& losses : by_class(instance, schedule)) {
        EXPECT_EQ(losses[Cause::unexplained], 0);
        EXPECT_EQ(losses[Cause::data_or_overhead], 0);
      }
    }
  }
}

}  // namespace
}  // namespace heddle::test
