#include "heddle/policy/kit/placement/lp_allocation.hpp"
#include "heddle/policy/kit/ranks/acceleration.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Heterogeneous linear program: a task goes to the CPUs when they have half of it or more. At most 6 times the
/// optimum.
ClassId round_half(const Instance&, const bounds::Shares& shares, TaskId task) {
  constexpr double kHalf = 0.5;
  return shares(task, kCpu) >= kHalf ? kCpu : kGpu;
}

}  // namespace

Entry hlp() {
  return {.name = "hlp",
          .summary =
              "Offline: rounds a linear program of work and paths to allocate tasks to classes, then list scheduling",
          .publication =
              "Kedad-Sidhoum, Monna and Trystram 2015, doi:10.1109/IPDPSW.2015.119; Amaris, Lucarelli, Mommessin "
              "and Trystram 2018, doi:10.1002/cpe.4647",
          .complexity =
              "a linear program of up to n c variables and n + e rows, most of which are seldom needed; then O(e + n "
              "log n)",
          .options = {list_option()},
          .needs = [](const Options&) { return Needs{.whole_graph = true, .two_classes = true}; },
          .make = [](const Setup& setup) { return Policy(LpAllocation(round_half, chosen_list(setup.options))); }};
}

}  // namespace heddle::policy
