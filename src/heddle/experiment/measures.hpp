#pragma once

#include <string>
#include <string_view>

#include "heddle/bounds/bounds.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/sim/simulation.hpp"

/// What studies have in common: the cells most of them are made of.
namespace heddle::experiment {

/// The workload on the platform, both built in.
[[nodiscard]] Instance make_instance(const Cell& cell);

/// Simulates the cell's policy on an instance, under its noise and seed, and checks the schedule: InternalError when it
/// is not valid.
[[nodiscard]] Schedule run_policy(const Cell& cell, const Instance& instance, const Schedule* plan = nullptr);

/// `makespan` in seconds and `aborted`, the number of aborted attempts.
[[nodiscard]] Values summary(const Schedule& schedule);

/// A policy's schedule: summary().
[[nodiscard]] Cell schedule_cell(std::string workload, std::string platform, std::string policy, std::string noise = "",
                                 std::uint64_t seed = 1);

/// The iterative bound, as `bound` in seconds.
[[nodiscard]] Cell bound_cell(std::string workload, std::string platform);

/// Makespan of the cell over the iterative bound of its instance, both from the results.
[[nodiscard]] double ratio_to_bound(const Results& results, const Cell& schedule);

/// "name:key=value" for an option with a number: with("cholesky:tiles", 12) is "cholesky:tiles=12".
[[nodiscard]] std::string with(std::string_view name, std::size_t value);

}  // namespace heddle::experiment
