#pragma once

#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

enum class Correction { none, sp, cgv, pp, pc, pcep, pcept };

/// HeteroPrio with its corrections (Kumar 2017, section 3.7) written a second time, in the plainest way: every decision
/// looks at every ready task and every worker. Two classes that can both run everything in positive time, no noise.
/// `all_ready`: a GPU spoliates for the sake of the priority constraint only what is more urgent than all ready tasks.
/// It shares nothing with the real one but the model.
[[nodiscard]] std::vector<Attempt> reference_heteroprio(const Instance& instance, Correction correction,
                                                        bool all_ready = false);

/// HeteroPrio of chapter 5 in the same way: `latest` spoliates the task that would end last, otherwise the most urgent.
[[nodiscard]] std::vector<Attempt> reference_heteroprio_indep(const Instance& instance, bool latest);

/// HeteroPrio for several classes (section 4.3.2) in the same way. `fast`: which classes are; they merge queues whose
/// scores differ from the best by less than the part `merge`. `scores`: by class and cost row; none: heterogeneity
/// indices.
[[nodiscard]] std::vector<Attempt> reference_heteroprio_multi(const Instance& instance,
                                                              const Table<ClassId, bool>& fast, double merge,
                                                              const Table<ClassId, std::vector<double>>& scores = {});

}  // namespace heddle::test
