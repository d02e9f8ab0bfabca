#include "heddle/search/search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/search/samples.hpp"
#include "tests/support/brute_force.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::search {
namespace {

std::vector<Schedule> some_schedules(const Instance& instance) {
  std::vector<Schedule> starts;
  for (const std::uint64_t seed : {1, 2, 3}) starts.push_back(some_schedule(instance, seed));
  return starts;
}

TEST(Improve, IsValidAndNoLongerThanAnyStartAndNoShorterThanTheBound) {
  test::Random random(1);
  for (int i = 0; i < test::rounds(300); ++i) {
    const Instance instance = random_sample(random);
    const std::vector<Schedule> starts = some_schedules(instance);
    const Result result = improve(instance, starts, {.moves = 2000});
    EXPECT_EQ(validate(instance, result.schedule), std::vector<std::string>{});
    for (const Schedule& start : starts) EXPECT_LE(result.schedule.makespan(), start.makespan());
    EXPECT_GE(result.schedule.makespan(), bounds::compute(instance, bounds::kAllKinds).best());
    EXPECT_LT(result.start, starts.size());
  }
}

TEST(Improve, FindsTheOptimumOfMostTinyInstances) {
  test::Random random(2);
  std::size_t optimal = 0;
  constexpr std::size_t kInstances = test::rounds(300);
  for (std::size_t i = 0; i < kInstances; ++i) {
    const Instance instance = test::random_instance(random, {.max_tasks = 6, .max_classes = 2});
    const Time optimum = test::optimal_makespan(instance);
    const Time found = improve(instance, some_schedules(instance), {.moves = 4000}).schedule.makespan();
    EXPECT_GE(found, optimum);
    optimal += found == optimum ? 1 : 0;
  }
  EXPECT_GT(optimal, kInstances * 98 / 100);
}

TEST(Improve, DependsOnNeitherThreadsNorTime) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage"));
  const std::vector<Schedule> starts = some_schedules(instance);
  const Result one = improve(instance, starts, {.moves = 20'000, .threads = 1});
  const Result four = improve(instance, starts, {.moves = 20'000, .threads = 4});
  EXPECT_EQ(one.schedule.attempts, four.schedule.attempts);
  EXPECT_EQ(one.start, four.start);
  EXPECT_EQ(one.moves, four.moves);
  const Result other = improve(instance, starts, {.moves = 20'000, .seed = 2});
  EXPECT_NE(one.schedule.attempts, other.schedule.attempts);
}

// A fiftieth of the moves at a time, evenly over four annealings, then over two.
TEST(Improve, TriesTheMovesThatItMay) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage"));
  EXPECT_EQ(improve(instance, some_schedules(instance), {.moves = 20'000}).moves, 20'000U);
}

TEST(Improve, StopsWhenTheTimeIsOver) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage"));
  const std::vector<Schedule> starts = some_schedules(instance);
  const Result result = improve(instance, starts, {.seconds = 0.05});
  EXPECT_GT(result.moves, 0U);
  EXPECT_EQ(validate(instance, result.schedule), std::vector<std::string>{});
}

TEST(Improve, StopsWhenAsked) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage"));
  const std::vector<Schedule> starts = some_schedules(instance);
  std::size_t calls = 0;
  Time told = 0;
  const auto stop = [&](const Progress& progress) {
    told = progress.makespan;
    return ++calls < 3;
  };
  const Result result = improve(instance, starts, {.seconds = 1000, .threads = 2, .progress = stop});
  EXPECT_EQ(validate(instance, result.schedule), std::vector<std::string>{});
  EXPECT_GE(told, result.schedule.makespan());
}

TEST(Improve, StopsWhenItIsGoodEnough) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage"));
  const std::vector<Schedule> starts = some_schedules(instance);
  const Time enough = std::ranges::max(starts, {}, &Schedule::makespan).makespan();
  const Result result = improve(instance, starts, {.moves = 1'000'000, .enough = enough});
  EXPECT_EQ(result.moves, 0U);
  EXPECT_LE(result.schedule.makespan(), enough);
}

TEST(Improve, TakesGraphsWithoutWork) {
  for (const std::size_t tasks : {0, 1, 3}) {
    TaskGraphBuilder builder;
    const TypeId type = builder.add_type("nothing");
    for (std::size_t i = 0; i < tasks; ++i) builder.add_task("t" + std::to_string(i), type);
    TaskGraph graph = builder.build();
    Costs costs(graph, 1);
    costs.set_actual(Costs::row(type), ClassId{0}, 0);
    const Instance instance =
        make_instance("nothing", std::move(graph), Platform({{.name = "cpu", .workers = 2}}), costs);
    EXPECT_EQ(improve(instance, some_schedules(instance), {.moves = 100}).schedule.makespan(), 0);
  }
}

// The first start is too bad to come near in so few moves: its annealings are given up for those of the second.
TEST(Improve, GivesUpWhatIsWorse) {
  const Instance instance = workload::generate("cholesky:tiles=10", platforms::resolve("mirage"));
  const std::vector<Schedule> starts{some_schedule(instance), sim::simulate(instance, policy::Spec("dmdas"))};
  ASSERT_GT(starts[0].makespan(), 2 * starts[1].makespan());
  const Result result = improve(instance, starts, {.moves = 4000});
  EXPECT_EQ(result.start, 1U);
  EXPECT_LT(result.schedule.makespan(), starts[1].makespan());
}

// 15 % of 80 moves are three rounds, in each of which four annealings try one move. Then two are left, which need 34
// rounds.
TEST(Improve, GivesUpHalfOfTheAnnealingsSoon) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage"));
  std::size_t rounds = 0;
  Options options{.moves = 80};
  options.news = [&] {
    ++rounds;
    return News{};
  };
  EXPECT_EQ(improve(instance, some_schedules(instance), options).moves, 80U);
  EXPECT_EQ(rounds, 3U + 34U);
}

TEST(Improve, GoesTheSameWayWithAJudgeWhoAgrees) {
  test::Random random(5);
  for (int i = 0; i < test::rounds(60); ++i) {
    const Instance instance = random_sample(random);
    const std::vector<Schedule> starts = some_schedules(instance);
    Options options{.moves = 600};
    const Result alone = improve(instance, starts, options);
    options.judge = [](const Schedule& plan) { return plan; };
    const Result judged = improve(instance, starts, options);
    EXPECT_EQ(judged.schedule.makespan(), alone.schedule.makespan()) << i;
    EXPECT_EQ(judged.moves, alone.moves) << i;
    EXPECT_EQ(validate(instance, judged.schedule), std::vector<std::string>{});
  }
}

// Plans seem to take as long as without links; what they come to is longer, and counts.
TEST(Improve, CountsWhatTheJudgeMakesOfAPlan) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage:links=measured"));
  const std::vector<Schedule> starts{sim::simulate(instance, policy::Spec("eager"))};
  Time best = starts[0].makespan();
  Time shortest_plan = kMaxTime;
  Options options{.moves = 5000};
  options.judge = [&](const Schedule& plan) {
    shortest_plan = std::min(shortest_plan, plan.makespan());
    Schedule schedule = sim::simulate(instance, policy::Spec("static"), {}, &plan);
    best = std::min(best, schedule.makespan());
    return schedule;
  };
  const Result result = improve(instance, starts, options);
  EXPECT_EQ(validate(instance, result.schedule), std::vector<std::string>{});
  EXPECT_EQ(result.schedule.makespan(), best);
  EXPECT_LT(best, starts[0].makespan());
  ASSERT_LT(shortest_plan, best);
  // A makespan that plans only seem to have does not end a search.
  options.enough = shortest_plan;
  EXPECT_EQ(improve(instance, starts, options).moves, result.moves);
}

TEST(Improve, KeepsAStartThatNoPlanBeatsBeforeTheJudge) {
  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage:links=measured"));
  const std::vector<Schedule> starts{sim::simulate(instance, policy::Spec("dmdas"))};
  Options options{.moves = 500};
  options.judge = [&](const Schedule&) { return sim::simulate(instance, policy::Spec("random")); };
  const Result result = improve(instance, starts, options);
  EXPECT_EQ(result.schedule.attempts, starts[0].attempts);
  EXPECT_EQ(result.start, 0U);
}

TEST(Improve, GoesOnFromABetterStartThatComesInLater) {
  const Instance instance = workload::generate("cholesky:tiles=10", platforms::resolve("mirage"));
  const Schedule late = sim::simulate(instance, policy::Spec("dmdas"));
  std::size_t asked = 0;
  Options options{.moves = 4000};
  options.news = [&] {
    News news{.threads = 2};
    if (++asked == 3) news.starts.push_back(late);
    return news;
  };
  const Result result = improve(instance, std::vector{some_schedule(instance)}, options);
  EXPECT_GT(asked, 30U);
  EXPECT_EQ(result.start, 1U);
  EXPECT_LT(result.schedule.makespan(), late.makespan());
  EXPECT_EQ(validate(instance, result.schedule), std::vector<std::string>{});
}

// In so few moves no chain comes below it.
TEST(Improve, AnswersALateStartThatIsTheBest) {
  const Instance instance = workload::generate("cholesky:tiles=10", platforms::resolve("mirage"));
  const Schedule late = sim::simulate(instance, policy::Spec("dmdas"));
  Options options{.moves = 1, .enough = late.makespan()};
  options.news = [&] { return News{.starts = {late}}; };
  const Result result = improve(instance, std::vector{some_schedule(instance)}, options);
  EXPECT_EQ(result.schedule.makespan(), late.makespan());
  EXPECT_EQ(result.start, 1U);
}

TEST(Improve, NeedsAStartAndAnEnd) {
  test::Random random(4);
  const Instance instance = test::random_instance(random);
  EXPECT_THROW((void)improve(instance, {}, {.moves = 1}), InternalError);
  EXPECT_THROW((void)improve(instance, some_schedules(instance), {}), InternalError);
}

}  // namespace
}  // namespace heddle::search
