// What searches and proofs find and how they find it, on random instances: the same as when last looked at
// (known_results.txt). Other tests say what is right; this one notices whatever makes a search go another way.

#include <gtest/gtest.h>

#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/search/annealing.hpp"
#include "heddle/search/search.hpp"
#include "heddle/search/time_windows.hpp"
#include "tests/search/samples.hpp"
#include "tests/support/checksum.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::search {
namespace {

void expect_valid(const Instance& instance, const Schedule& schedule) {
  EXPECT_EQ(validate(instance, schedule), std::vector<std::string>{});
}

std::vector<Schedule> starts_of(const Instance& instance, std::uint64_t count) {
  std::vector<Schedule> starts;
  for (std::uint64_t seed = 1; seed <= count; ++seed) starts.push_back(some_schedule(instance, seed));
  return starts;
}

TEST(KnownResults, OfImprove) {
  test::Random random(101);
  test::Checksum checksum;
  for (std::uint64_t round = 0; round < test::rounds(60U); ++round) {
    const Instance instance = random_sample(random);
    Options options{.moves = 100 * (round % 30), .seed = round, .threads = round % 10 == 9 ? std::size_t{3} : 1};
    if (round % 4 == 1) options.seconds = 1e9;
    if (round % 5 == 1) options.enough = bounds::critical_path_bound(instance).value * 5 / 4;
    double done = 0;
    options.progress = [&](const Progress& progress) {
      EXPECT_GE(progress.done, done);
      EXPECT_LE(progress.done, 1);
      done = progress.done;
      return true;
    };
    const Result result = improve(instance, starts_of(instance, 1 + round % 6), options);
    expect_valid(instance, result.schedule);
    checksum.add(result.schedule);
    checksum.add(result.start);
    checksum.add(result.moves);
    checksum.add(static_cast<int>(1000 * done));  // a little time goes by
  }
  test::expect_known(HEDDLE_KNOWN_RESULTS, "improve", checksum);
}

TEST(KnownResults, OfAnnealing) {
  test::Random random(102);
  test::Checksum checksum;
  for (std::uint64_t round = 0; round < test::rounds(60U); ++round) {
    const Instance instance = random_sample(random);
    Annealing annealing(instance, some_schedule(instance), round, round % 4);
    checksum.add(annealing.mean_duration());
    for (std::uint64_t moves : {1, 20, 300, 600}) {
      std::uint64_t asked = 0;
      const auto stop = [&] { return ++asked == 3; };
      checksum.add(annealing.run(moves, 20, 1, stop));
      checksum.add(asked);
      checksum.add(annealing.makespan());
      checksum.add(annealing.best_makespan());
      const Schedule best = annealing.best();
      EXPECT_EQ(best.makespan(), annealing.best_makespan());
      expect_valid(instance, best);
      checksum.add(best);
    }
  }
  test::expect_known(HEDDLE_KNOWN_RESULTS, "annealing", checksum);
}

TEST(KnownResults, OfProve) {
  test::Random random(103);
  test::Checksum checksum;
  for (std::uint64_t round = 0; round < test::rounds(300U); ++round) {
    Instance instance = random_sample(random);
    if (round % 2 == 1) instance = test::random_instance(random, {.max_tasks = 12, .max_duration = 100'000});
    ProveOptions options;
    options.nodes = 150;
    if (round % 3 == 0) options.memory_bytes = 2000;
    options.progress = [&](const ProveProgress& progress) {
      checksum.add(progress.makespan);
      checksum.add(progress.lower_bound);
      checksum.add(progress.nodes);
      return true;
    };
    const Proof proof = prove(instance, some_schedule(instance), 0, options);
    EXPECT_LE(proof.lower_bound, proof.schedule.makespan());
    expect_valid(instance, proof.schedule);
    checksum.add(proof.schedule);
    checksum.add(proof.lower_bound);
    checksum.add(proof.nodes);
  }
  test::expect_known(HEDDLE_KNOWN_RESULTS, "prove", checksum);
}

TEST(KnownResults, OfTimeWindows) {
  test::Random random(104);
  test::Checksum checksum;
  for (std::uint64_t round = 0; round < test::rounds(200U); ++round) {
    Instance instance = random_sample(random);
    if (round % 2 == 1) instance = test::random_instance(random, {.max_tasks = 12, .max_duration = 100'000});
    const Time makespan = some_schedule(instance).makespan();
    const ExactProblem problem(instance);
    const Duals duals(problem, makespan);
    for (const Time percent : {25, 50, 75, 100}) {
      TimeWindows windows(problem, duals);
      std::uint64_t asked = 0;
      const auto stop = [&] { return ++asked == 10 * (round + 1); };
      const Time deadline = makespan * percent / 100;
      const bool open = round % 4 < 2 ? windows.tighten(deadline, stop) : windows.shave(deadline, stop);
      checksum.add(open);
      checksum.add(asked);
      if (!open) continue;
      for (ExactProblem::Task task = 0; task < problem.task_count(); ++task) {
        checksum.add(windows.head(task));
        checksum.add(windows.tail(task));
        checksum.add(windows.shortest(task));
        for (ExactProblem::Class c = 0; c < problem.class_count(); ++c) checksum.add(windows.allowed(task, c));
      }
    }
  }
  test::expect_known(HEDDLE_KNOWN_RESULTS, "time-windows", checksum);
}

TEST(KnownResults, OfInsertionsAndMoves) {
  test::Random random(105);
  test::Checksum checksum;
  for (int round = 0; round < test::rounds(200); ++round) {
    const Instance instance = random_sample(random);
    DisjunctiveGraph graph(instance, some_schedule(instance));
    InsertionSearch search(graph);
    for (const TaskId task : instance.graph.tasks()) {
      search.choose(task);
      std::optional<Insertion> last;
      for (const WorkerId worker : instance.platform.workers()) {
        const auto place = search.best(worker);
        checksum.add(place.has_value());
        if (!place) continue;
        checksum.add(place->position);
        checksum.add(place->longest);
        last = place;
      }
      if (last) checksum.add(graph.move(task, last->worker, last->position));
      checksum.add(graph.makespan());
    }
    for (const TaskId task : instance.graph.tasks()) {
      checksum.add(graph.start(task));
      checksum.add(graph.rest(task));
    }
    expect_valid(instance, graph.schedule());
    checksum.add(graph.schedule());
  }
  test::expect_known(HEDDLE_KNOWN_RESULTS, "insertions-and-moves", checksum);
}

}  // namespace
}  // namespace heddle::search
