#include "heddle/policy/kit/placement/completion_time.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Earliest completion time: a batch of ready tasks by bottom level, first-in first-out queues.
class Ect : public CompletionTime {
 public:
  explicit Ect(Rank rank) : CompletionTime({}), rank_(rank) {}
  void start(const View& view) { CompletionTime::start(view, bottom_levels(view.instance(), rank_)); }

 private:
  Rank rank_;
};

}  // namespace

Entry ect() {
  return {
      .name = "ect",
      .summary = "Each ready task goes to the worker expected to complete it first; urgent tasks choose first",
      .publication = "Canon et al. 2018, doi:10.1007/978-3-319-96983-1_14; Eyraud-Dubois and Kumar 2020, section VI.C",
      .complexity = "O(e + n (w + log n))",
      .options = {rank_option()},
      .needs = [](const Options&) { return Needs{}; },
      .make = [](const Setup& setup) { return Policy(Ect(chosen_rank(setup.options))); }};
}

}  // namespace heddle::policy
