#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "contender.hpp"

namespace heddle::bench {

struct Settings {
  std::vector<unsigned> workers{1, 2};
  std::size_t repetitions = 11;
  std::vector<std::string> graphs{};           ///< of the overhead and under load; empty: all
  std::vector<std::size_t> sizes{3072, 4096};  ///< of the matrix to factorize
  std::vector<std::string> contenders{};       ///< parts of their names; empty: all
  std::size_t tasks = 10'000'000;              ///< in waves
  int side = 11;                               ///< of the board of queens
};

/// Nanoseconds per empty task.
void measure_overhead(const Settings& settings, const std::vector<Contender>& contenders);
/// Tiled Cholesky of a matrix, GFlop/s, beside LAPACK's own threads.
void measure_factorization(const Settings& settings, const std::vector<Contender>& contenders);
/// Milliseconds of small graphs while twice as many other processes as cores are busy.
void measure_loaded(const Settings& settings, const std::vector<Contender>& contenders);
/// Contexts of Heddle: tasks per second in several and in one, what a rule that moves workers saves, and how long the
/// scheduling lock is held.
void measure_contexts(const Settings& settings);
/// Bytes that Heddle keeps per waiting task.
void measure_memory();
/// Time and memory of many more tasks than there are at once.
void measure_waves(const Settings& settings);
/// Time and memory of tasks that submit tasks.
void measure_recursion(const Settings& settings);
/// What a task of a new shape costs Heddle, the more shapes there were.
void measure_shapes();

}  // namespace heddle::bench
