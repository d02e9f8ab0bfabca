#include <fmt/format.h>

#include <atomic>
#include <bit>
#include <cstdint>
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>

#include "heddle/runtime/runtime.hpp"
#include "own_process.hpp"
#include "parts.hpp"
#include "queens.hpp"
#include "system.hpp"

namespace heddle::bench {
namespace {

/// A task per placement that is possible.
std::uint64_t queens_on_heddle(int side, const std::string& policy) {
  using namespace runtime;
  std::atomic<std::uint64_t> solutions = 0;
  Runtime system({.workers = "cpu=2", .policy = policy, .history = ""});
  const Kernel<Board>* self = nullptr;
  const Kernel place("place", on_cpu([&](Board board) {
                       if (board.is_full()) ++solutions;
                       board.for_each_next([&](Board next) { system.submit(*self, next); });
                     }));
  self = &place;
  system.submit(place, Board(side));
  system.wait();
  return solutions;
}

void measure_queens(const std::string& name, int side, const std::function<std::uint64_t(int side)>& count) {
  const double most = in_own_process([&] {
    const Stopwatch watch;
    const std::uint64_t solutions = count(side);
    if (solutions != count_queens(Board(side))) throw std::runtime_error(name + ": wrong number of solutions");
    std::cout << fmt::format("{:<24} {:7.1f} ms, ", name, watch.seconds() * 1e3);
  });
  // A board of one place takes what the system needs for itself.
  const double least = in_own_process([&] { static_cast<void>(count(1)); });
  std::cout << fmt::format("{:6.1f} MB\n", (most - least) / 1e6);
}

}  // namespace

void measure_recursion(const Settings& settings) {
  const int side = settings.side;
  std::cout << fmt::format(
      "\n{} queens, a task per placement, submitted by the one before; 2 workers: time, and most "
      "memory at once for tasks\n",
      side);
  for (const std::string policy : {"eager", "lws", "dmdas", "heteroprio-dep"}) {
    measure_queens("heddle, " + policy, side, [&](int board) { return queens_on_heddle(board, policy); });
  }
#ifdef HEDDLE_BENCH_OPENMP
  measure_queens("openmp", side, queens_on_openmp);
#endif
}

}  // namespace heddle::bench
