#include <array>
#include <atomic>

#include "queens.hpp"
#include "system.hpp"

namespace heddle::bench {
namespace {

/// Tasks with depend clauses. One thread of the team submits; it, too, runs tasks.
class Team : public Session {
 public:
  Team(const Problem& problem, unsigned threads) : problem_(problem), threads_(static_cast<int>(threads)) {}

  double run() override {
    double seconds = 0;
#pragma omp parallel num_threads(threads_)
#pragma omp single
    {
      const Stopwatch watch;
      for (const TaskId task : problem_.graph.tasks()) submit(task);
#pragma omp taskwait
      seconds = watch.seconds();
    }
    return seconds;
  }

 private:
  void submit(TaskId task) const {
    const Problem& problem = problem_;
    const std::span<const Access> uses = problem.graph.accesses(task);
    const auto address = [&](std::size_t i) { return problem.tile(uses[i]).data; };
    const std::size_t reads = uses.size() - 1;
    double* const written = address(reads);
    if (reads == 0) {
#pragma omp task firstprivate(task) shared(problem) depend(inout : *written)
      problem.run(task);
    } else if (reads == 1) {
      const double* const a = address(0);
#pragma omp task firstprivate(task) shared(problem) depend(in : *a) depend(inout : *written)
      problem.run(task);
    } else if (reads == 2) {
      const double* const a = address(0);
      const double* const b = address(1);
#pragma omp task firstprivate(task) shared(problem) depend(in : *a, *b) depend(inout : *written)
      problem.run(task);
    } else {
      std::array<const double*, Problem::kMostReads> read{};
      for (std::size_t i = 0; i < reads; ++i) read[i] = address(i);
#pragma omp task firstprivate(task) shared(problem) depend(iterator(std::size_t i = 0 : reads), in : *read[i]) \
    depend(inout : *written)
      problem.run(task);
    }
  }

  const Problem& problem_;
  int threads_;
};

void place_queens(const Board& board, std::atomic<std::uint64_t>* solutions) {
  if (board.is_full()) ++*solutions;
  board.for_each_next([solutions](const Board& next) {
    // What a lambda captures is gone when the task runs.
    std::atomic<std::uint64_t>* const counter = solutions;
    const Board copy = next;
#pragma omp task firstprivate(copy, counter)
    place_queens(copy, counter);
  });
}

}  // namespace

std::uint64_t queens_on_openmp(int side) {
  std::atomic<std::uint64_t> solutions = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  place_queens(Board(side), &solutions);
  return solutions;
}

System openmp() {
  return {.name = "openmp",
          .variants = {"tasks"},
          .start = [](const Problem& problem, unsigned workers, const std::string&) -> std::unique_ptr<Session> {
            return std::make_unique<Team>(problem, workers);
          }};
}

}  // namespace heddle::bench
