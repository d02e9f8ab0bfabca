#pragma once

#include <cstdint>
#include <string_view>

#include "heddle/model/random.hpp"
#include "heddle/workload/workload.hpp"

/// The workloads, one function each; entries() lists them. A new generator adds its function here and there.
namespace heddle::workload {

[[nodiscard]] Entry cholesky();
[[nodiscard]] Entry lu();
[[nodiscard]] Entry qr();
[[nodiscard]] Entry gemm();
[[nodiscard]] Entry fork_join();
[[nodiscard]] Entry independent();
[[nodiscard]] Entry layered();
[[nodiscard]] Entry predecessor_matrix();

/// The machine's workers and links.
[[nodiscard]] Platform platform_of(const Machine& machine);

/// Keeps the random numbers of workloads apart that are made with the same seed (Random's word `stream`).
enum class Stream : std::uint64_t { fork_join = 101, independent = 102, layered = 103, predecessor_matrix = 104 };

/// The draws of a workload for one purpose, e.g. for task number `item` in round `purpose`.
[[nodiscard]] Random draws(const Options& options, Stream stream, std::uint64_t purpose, std::uint64_t item);

/// The option `seed` of every workload that draws random numbers.
[[nodiscard]] Option seed_option();

/// Seconds, at least half a picosecond and below 10^6, to the nearest picosecond.
[[nodiscard]] Time to_time(double seconds);

/// Throws InputError when `tasks` passes kMaxTasks.
void check_task_count(const Options& options, std::uint64_t tasks);

/// Throws InputError when option `low` is above option `high`.
void check_order(const Options& options, std::string_view low, std::string_view high);

}  // namespace heddle::workload
