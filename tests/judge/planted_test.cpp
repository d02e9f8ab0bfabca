// Losses that are planted: does the diagnosis name the larger one, and how large does it say it is?

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/judge/diagnosis.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/sim/simulate.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::judge {
namespace {

using analysis::Cause;

constexpr std::array kPlanted{Cause::aborted,       Cause::data,  Cause::ready_not_run,
                              Cause::no_ready_task, Cause::begin, Cause::end};
constexpr ClassId kGpu = make_id<ClassId>(1);
constexpr MemoryId kRam = make_id<MemoryId>(0);

struct Planted {
  Cause cause;
  Time percent;     ///< of the makespan that has only this loss
  Time length = 0;  ///< what that comes to
};

/// A run in which all workers work all the time, but for what is planted: each worker loses that time once, or while a
/// gate runs on the first of them, all others do. What comes after a gate waits for it.
class PlantedRun {
 public:
  PlantedRun(test::Random& random, std::vector<Planted> planted)
      : random_(random), planted_(std::move(planted)), workers_(static_cast<std::size_t>(test::draw(random, 4, 8))) {
    type_ = builder_.add_type("WORK");
    const Time length = test::draw(random, 50'000, 100'000);
    for (Planted& planted : planted_) planted.length = kPhases * length * planted.percent / (100 - planted.percent);
    gate_if(Cause::begin);
    work(length, {});
    for (const Cause cause : {Cause::aborted, Cause::data, Cause::ready_not_run}) work(length, length_of(cause));
    gate_if(Cause::no_ready_task);
    work(length, {});
    gate_if(Cause::end);
    build();
  }

  [[nodiscard]] const Instance& instance() const { return instance_; }
  [[nodiscard]] const Schedule& schedule() const { return schedule_; }

  /// The makespan in the simulator once the cause is taken away: data is everywhere, gates take no time, attempts are
  /// not aborted, and workers begin tasks as soon as they can. The other causes stay: what they lose is part of the
  /// tasks.
  [[nodiscard]] Time makespan_without(Cause cause) const {
    Instance without = test::unlinked(instance_);
    for (const auto& [task, lost_to, time] : lost_) {
      Time duration = without.costs.actual(task, kGpu);
      if (lost_to == cause) duration -= is_gate(lost_to) ? time : 0;
      if (lost_to != cause) duration += is_gate(lost_to) ? 0 : time;
      without.costs.set_actual(without.costs.own_row(task), kGpu, duration);
    }
    return sim::simulate(without, policy::Spec("static"), {}, &schedule_).makespan();
  }

 private:
  static constexpr Time kPhases = 5;

  struct Lost {
    TaskId task;
    Cause cause;
    Time time;
  };

  [[nodiscard]] static bool is_gate(Cause cause) {
    return cause == Cause::no_ready_task || cause == Cause::begin || cause == Cause::end;
  }
  [[nodiscard]] std::optional<Planted> length_of(Cause cause) const {
    const auto found = std::ranges::find(planted_, cause, &Planted::cause);
    return found == planted_.end() ? std::nullopt : std::optional(*found);
  }

  TaskId add_task(Time duration, const std::vector<Access>& accesses = {}) {
    const TaskId task = builder_.add_task("t" + std::to_string(builder_.task_count()), type_, accesses);
    if (gate_) builder_.add_edge(*gate_, task);
    durations_.push_back(duration);
    return task;
  }

  void run(TaskId task, std::size_t worker, Time start) {
    schedule_.attempts.push_back(
        {task, make_id<WorkerId>(worker + 1), start, start + durations_[index(task)], Outcome::completed});
  }

  void gate_if(Cause cause) {
    const std::optional<Planted> planted = length_of(cause);
    if (!planted) return;
    const TaskId gate = add_task(planted->length);
    for (const TaskId last : last_) builder_.add_edge(last, gate);
    lost_.push_back({gate, cause, planted->length});
    run(gate, 0, now_);
    gate_ = gate;
    now_ += planted->length;
  }

  /// Each worker runs tasks for so long, after it has lost something.
  void work(Time length, const std::optional<Planted>& planted) {
    const Time lost = planted ? planted->length : 0;
    last_.clear();
    for (std::size_t worker = 0; worker < workers_; ++worker) {
      Time done = 0;
      while (done < length) {
        const Time duration = std::min(length - done, test::draw(random_, length / 8, length / 3));
        std::vector<Access> accesses;
        const bool fetches = done == 0 && planted && planted->cause == Cause::data;
        if (fetches) accesses.push_back({fetch(worker, lost), AccessMode::read});
        const TaskId task = add_task(duration, accesses);
        if (done == 0 && planted) lost_.push_back({task, planted->cause, lost});
        if (done == 0 && planted && planted->cause == Cause::aborted) abort(task, worker, lost);
        run(task, worker, now_ + lost + done);
        done += duration;
        if (done == length) last_.push_back(task);
      }
    }
    now_ += lost + length;
  }

  /// A datum that reaches the worker as late as that; its link carries a byte in a picosecond.
  DataId fetch(std::size_t worker, Time time) {
    const DataId data = builder_.add_datum({"d" + std::to_string(builder_.data_count()), time});
    schedule_.transfers.push_back({data, kRam, make_id<MemoryId>(worker + 1), now_, now_ + time, time});
    return data;
  }

  /// As often as it takes, each time half-way.
  void abort(TaskId task, std::size_t worker, Time time) {
    const Time half = durations_[index(task)] / 2;
    for (Time lost = 0; lost < time;) {
      const Time end = std::min(time, lost + half);
      schedule_.attempts.push_back({task, make_id<WorkerId>(worker + 1), now_ + lost, now_ + end, Outcome::aborted});
      lost = end;
    }
  }

  void build() {
    std::vector<ResourceClass> classes{{"cpu", 1, "ram", {}},
                                       {"gpu", static_cast<std::uint32_t>(workers_), "each", {}}};
    std::vector<Link> links;
    for (std::size_t worker = 0; worker < workers_; ++worker) {
      const std::string gpu = "gpu" + std::to_string(worker);
      links.push_back({"ram", gpu, 1e12, 0, {}});
      links.push_back({gpu, "ram", 1e12, 0, {}});
    }
    TaskGraph graph = builder_.build();
    Costs costs(graph, 2);
    for (const TaskId task : graph.tasks()) costs.set_actual(costs.own_row(task), kGpu, durations_[index(task)]);
    instance_ =
        make_instance("planted", std::move(graph), Platform(std::move(classes), std::move(links)), std::move(costs));
    EXPECT_EQ(validate(instance_, schedule_), std::vector<std::string>());
  }

  test::Random& random_;
  std::vector<Planted> planted_;
  std::size_t workers_;
  TaskGraphBuilder builder_;
  TypeId type_{};
  std::vector<Time> durations_;  ///< by task
  std::vector<TaskId> last_;     ///< of each worker
  std::optional<TaskId> gate_;
  std::vector<Lost> lost_;
  Time now_ = 0;
  Instance instance_;
  Schedule schedule_;
};

Time draw_percent(test::Random& random) {
  return test::draw(random, 5, 60);
}

Diagnosis diagnosis_of(const PlantedRun& run) {
  return diagnose(run.instance(), run.schedule(), bounds::area_bound(run.instance()).value);
}

double claimed(const Diagnosis& diagnosis, Cause cause) {
  const auto found = std::ranges::find(diagnosis.causes, std::optional(cause), &CauseCost::cause);
  return found == diagnosis.causes.end() ? 0 : found->cost;
}

constexpr std::uint64_t kRounds = 40;

/// Other instances with every seed that is given (--gtest_random_seed).
test::Random random_of(std::uint64_t round) {
  return test::Random(round + 1000 * static_cast<std::uint64_t>(testing::UnitTest::GetInstance()->random_seed()));
}

TEST(PlantedLosses, OfOneCauseAreNamedAndAsLargeAsTheSimulatorSays) {
  for (const Cause cause : kPlanted) {
    std::size_t named = 0;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      SCOPED_TRACE(std::string(to_string(cause)) + " " + std::to_string(round));
      test::Random random = random_of(round);
      const PlantedRun run(random, {{cause, draw_percent(random)}});
      const Diagnosis diagnosis = diagnosis_of(run);
      ASSERT_FALSE(diagnosis.causes.empty());
      named += diagnosis.causes.front().cause == cause ? 1U : 0U;
      const auto gain = static_cast<double>(run.schedule().makespan() - run.makespan_without(cause));
      EXPECT_GE(gain, 0.0499 * static_cast<double>(run.schedule().makespan()));
      // While a gate runs, one of four to eight workers does not lose anything.
      EXPECT_NEAR(claimed(diagnosis, cause), gain, 0.26 * gain);
    }
    EXPECT_GE(named, kRounds * 95 / 100) << to_string(cause);
  }
}

TEST(PlantedLosses, OfTwoCausesTheLargerIsNamed) {
  std::size_t named = 0;
  std::size_t clear = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    test::Random random = random_of(round);
    const std::size_t first = random() % kPlanted.size();
    const std::size_t second = (first + 1 + random() % (kPlanted.size() - 1)) % kPlanted.size();
    const PlantedRun run(random, {{kPlanted[first], draw_percent(random)}, {kPlanted[second], draw_percent(random)}});
    const Diagnosis diagnosis = diagnosis_of(run);
    ASSERT_FALSE(diagnosis.causes.empty());
    const Time gain_of_first = run.schedule().makespan() - run.makespan_without(kPlanted[first]);
    const Time gain_of_second = run.schedule().makespan() - run.makespan_without(kPlanted[second]);
    // Where they are nearly alike, either name is right.
    if (4 * std::abs(gain_of_first - gain_of_second) < std::max(gain_of_first, gain_of_second)) continue;
    ++clear;
    const Cause larger = kPlanted[gain_of_first > gain_of_second ? first : second];
    named += diagnosis.causes.front().cause == larger ? 1U : 0U;
  }
  EXPECT_GE(clear, kRounds / 2);
  EXPECT_GE(named, clear * 95 / 100);
}

TEST(PlantedLosses, WhereThereIsNoneNoneIsClaimed) {
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    SCOPED_TRACE(round);
    test::Random random = random_of(round);
    const PlantedRun run(random, {});
    const Diagnosis diagnosis = diagnosis_of(run);
    EXPECT_EQ(diagnosis.verdict, "The makespan is optimal.");
    const auto makespan = static_cast<double>(run.schedule().makespan());
    for (const CauseCost& cause : diagnosis.causes) EXPECT_LE(cause.cost, 0.05 * makespan);
  }
}

}  // namespace
}  // namespace heddle::judge
