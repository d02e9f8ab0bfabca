#include "heddle/policy/follow_plan.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// Replays the allocation and the order of a given schedule; its aborted attempts are left out.
class Static : public FollowPlan {
 public:
  explicit Static(const Schedule& plan) {
    for (const Attempt& attempt : plan.attempts) {
      if (attempt.outcome == Outcome::completed) plan_.push_back(attempt);
    }
  }
  void start(const View& view) { FollowPlan::start(view, plan_); }

 private:
  std::vector<Attempt> plan_;
};

}  // namespace

// `static` is a keyword: the build calls this function by the file's name.
Entry static_() {
  return {.name = "static",
          .summary = "Replays the allocation and the order of a given schedule",
          .publication = "Kumar 2017, section 3.5",
          .options = {text("file", "", "the schedule to replay, a heddle-schedule file")},
          .needs = [](const Options&) { return Needs{.whole_graph = true, .plan = true}; },
          .make = [](const Setup& setup) { return Policy(Static(*setup.plan)); }};
}

}  // namespace heddle::policy
