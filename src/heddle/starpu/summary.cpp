#include "heddle/starpu/summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heddle/bounds/bounds.hpp"

namespace heddle::starpu {

std::string summary(const Recorder::Record& record, Time deciding) {
  const std::vector<Attempt>& attempts = record.schedule.attempts;
  if (attempts.empty()) return "no task went through the scheduler";
  const Time makespan = std::ranges::max(attempts, {}, &Attempt::end).end;
  const Time bound = bounds::compute(record.instance, bounds::default_kinds(record.instance)).best();
  const std::string ratio = bound > 0
                                ? fmt::format("{:.3f} times the lower bound", to_seconds(makespan) / to_seconds(bound))
                                : "which nothing bounds from below";
  return fmt::format("{} tasks under {} in {:.6f} s, {}; decisions took {:.6f} s", attempts.size(),
                     record.schedule.policy, to_seconds(makespan), ratio, to_seconds(deciding));
}

}  // namespace heddle::starpu
