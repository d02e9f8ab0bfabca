#pragma once

#include <string>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/report/study_page.hpp"

namespace heddle::report::test {

/// Four tasks a -> b, a -> c, {b, c} -> d on two cpus and a gpu with a memory of its own, a second each on a cpu and
/// half a second on the gpu. The data are A(0,0) and A(1,0).
[[nodiscard]] Instance diamond();

/// a on the gpu, b on cpu0, c first on cpu1, aborted after half a second and restarted on the gpu, d on the gpu:
///
///     cpu0        bbbb
///     cpu1        cc
///     gpu0      aa  ccdd       (a letter is a quarter of a second, d waits for b until 1.5)
[[nodiscard]] Schedule diamond_schedule();

/// The diamond's machine draws 10 W busy and 1 W idle per CPU, 100 W and 20 W for the GPU.
[[nodiscard]] Instance diamond_with_watts();
/// The same schedule, of a context "main" with cpu1 and gpu0, and a context "side" of cpu0, which has b alone.
[[nodiscard]] Schedule diamond_schedule_in_contexts();
/// The same, and a worker that goes from one context to the other.
[[nodiscard]] Schedule diamond_schedule_with_move();

/// The same with transfers of A(0,0), 256 MiB, here x, and A(1,0), 128 MiB, here y:
///
///     ram > gpu0   y xx
///     gpu0 > ram      y
[[nodiscard]] Schedule diamond_schedule_with_transfers();

/// Names that would run a script, end one, or break JSON if they were not escaped.
[[nodiscard]] const std::vector<std::string>& hostile_names();
/// Independent tasks with hostile names, types, classes, data, a memory and an instance name of that kind.
[[nodiscard]] Instance hostile_instance();
/// Copies all data from the first memory to the second, one after the other, a tenth of a second each.
void add_transfers(Schedule& schedule, const Instance& instance);

/// The graph of a tiled Cholesky factorization: tiles = 64 has 45,760 tasks. 20 cpus and 4 gpus.
[[nodiscard]] Instance cholesky(std::size_t tiles);

/// Each task in topological order on the worker where it ends first; every `abort_every`-th is first tried on a cpu and
/// aborted (0: none is).
[[nodiscard]] Schedule greedy_schedule(const Instance& instance, std::string policy, std::size_t abort_every = 0);

/// A study with every kind of figure: lines with bands, points, a logarithmic axis, gaps. `words` are its names.
[[nodiscard]] StudyReport sample_study(const std::vector<std::string>& words);

}  // namespace heddle::report::test
