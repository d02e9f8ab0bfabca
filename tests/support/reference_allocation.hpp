#pragma once

#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

// Policies that give each task a class, written a second time on the plain loop: every decision looks at every worker.
// No links, no noise. They share nothing with the real ones but the model.

/// Quick Allocation (Canon et al. 2018, section 5): a ready task goes to the class where it takes least of the machine,
/// there to the worker that is expected to be free first, first in, first out. Two classes, at most a second of work.
[[nodiscard]] std::vector<Attempt> reference_qa(const Instance& instance);

/// ER-LS (Eyraud-Dubois and Kumar 2020, section VI.C): the same after a first rule. `relative`: it compares a duration
/// with the time from now to a date, not with the date.
[[nodiscard]] std::vector<Attempt> reference_er_ls(const Instance& instance, bool relative);

/// MixEFT (Canon et al. 2018): earliest finish time until that is more than lambda times as long as Quick Allocation on
/// the tasks known so far; Quick Allocation counts with the longest that it took when it was looked at.
[[nodiscard]] std::vector<Attempt> reference_mix_eft(const Instance& instance, double lambda);

/// List scheduling after an allocation, on any number of classes: an idle worker takes of its class's ready tasks the
/// one with the largest bottom level on the allocated classes (`by_level`), or the one that became ready first.
[[nodiscard]] std::vector<Attempt> reference_lists(const Instance& instance, const Table<TaskId, ClassId>& allocation,
                                                   bool by_level);

}  // namespace heddle::test
