#pragma once

#include <cstddef>
#include <vector>

#include "heddle/analysis/losses.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

/// What a simulator is told of a run that really happened.
namespace heddle::judge {

/// In a simulation, attempts start at the beginning or when something ends. Threads that really ran needed time to
/// learn of that: more than one attempt in twenty starts at another moment.
[[nodiscard]] bool really_happened(const Schedule& schedule);

/// The instance, whose tasks take longer by their overhead on the class that ran them, and elsewhere by the mean of the
/// tasks that ran there. Policies know of a task the mean of its type.
[[nodiscard]] Instance with_overhead_of_run(const Instance& instance, const Schedule& schedule);
/// Of a recording without transfers, overhead is what a task lost to data or overhead on its worker before it ran.
/// Where the links are not known, waiting for data that was recorded belongs to it.
[[nodiscard]] Instance with_overhead_of_recording(const Instance& instance, const Schedule& schedule,
                                                  const analysis::Losses& losses);

/// What the tasks of a run might have taken instead, if others had been the slow ones: each takes what the model says
/// of one of its type that ran on that class, drawn at random. Where none of the type ran there, it takes what the
/// model says of it, as many times longer as a task that ran there takes than the mean of its type. So no policy is
/// worth more because it runs elsewhere what happened to take long. What policies know stays the same.
[[nodiscard]] std::vector<Instance> with_drawn_durations(const Instance& model, const Schedule& schedule,
                                                         std::size_t count);

}  // namespace heddle::judge
