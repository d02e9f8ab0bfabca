#pragma once

#include <optional>
#include <string>

#include "heddle/experiment/study.hpp"
#include "heddle/host/present.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

/// What studies have in common: the cells most of them are made of.
namespace heddle::experiment {

/// The workload on the platform, both built in.
[[nodiscard]] Instance make_instance(const Cell& cell);

/// Simulates the cell's policy on an instance, under its noise and seed, and checks the schedule: InternalError when it
/// is not valid.
[[nodiscard]] Schedule run_policy(const Cell& cell, const Instance& instance, const Schedule* plan = nullptr,
                                  host::Aborts aborts = host::Aborts::allowed);

/// `makespan` in seconds, `aborted` attempts, `transferred` bytes, and of each class C `idle C` in seconds and, where
/// metrics.hpp defines it, `acceleration C`.
[[nodiscard]] Values summary(const Instance& instance, const Schedule& schedule);

/// A policy's schedule: summary().
[[nodiscard]] Cell schedule_cell(std::string workload, std::string platform, std::string policy, std::string noise = "",
                                 std::uint64_t seed = 1);

/// The iterative bound, as `bound` in seconds, and the seconds of work that its solution gives to each class C, `use
/// C`.
[[nodiscard]] Cell bound_cell(std::string workload, std::string platform);

/// Makespan of the cell over the iterative bound of its instance, both from the results.
[[nodiscard]] double ratio_to_bound(const Results& results, const Cell& schedule);

/// Idle seconds of a class over the seconds that the bound's solution uses of it (Kumar 2017, section 5.6); absent
/// where it uses none.
[[nodiscard]] std::optional<double> normalized_idle(const Results& results, const Cell& schedule,
                                                    const std::string& class_name);

}  // namespace heddle::experiment
