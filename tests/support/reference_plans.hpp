#pragma once

#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/levels.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

// The offline list schedulers written a second time, in the plainest way: every gap between the placed attempts of
// every worker is tried. Attempts stand in the order in which they were decided. Tasks take time; ties go to the
// smallest task, then to the smallest worker. They share nothing with the real ones but the model.

/// HEFT (Topcuoglu et al. 2002, section 4.1).
[[nodiscard]] std::vector<Attempt> reference_heft(const Instance& instance, Rank rank);
/// CPOP (section 4.2): one critical path on the worker that runs it fastest.
[[nodiscard]] std::vector<Attempt> reference_cpop(const Instance& instance);
/// PEFT (Arabnejad and Barbosa 2014), with a row of the optimistic cost table for every pair of task and worker.
[[nodiscard]] std::vector<Attempt> reference_peft(const Instance& instance);

}  // namespace heddle::test
