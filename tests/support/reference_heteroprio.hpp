#pragma once

#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

enum class Correction { none, sp, cgv, pp, pc, pcep, pcept };

/// HeteroPrio with its corrections (Kumar 2017, section 3.7) written a second time, in the plainest way: every decision
/// looks at every ready task and every worker. Two classes that can both run everything in positive time, no noise. It
/// shares nothing with the real one but the model.
[[nodiscard]] std::vector<Attempt> reference_heteroprio(const Instance& instance, Correction correction);

/// HeteroPrio of chapter 5 in the same way: `latest` spoliates the task that would end last, otherwise the most urgent.
[[nodiscard]] std::vector<Attempt> reference_heteroprio_indep(const Instance& instance, bool latest);

}  // namespace heddle::test
