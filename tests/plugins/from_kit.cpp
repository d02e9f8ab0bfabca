// A plug-in made of parts of the kit, which are in the program that opens it: the policy dmdas under another name, and
// with `offline=true` HEFT.
#include <optional>

#include "heddle/policy/kit/placement/completion_time.hpp"
#include "heddle/policy/kit/plans/follow_plan.hpp"
#include "heddle/policy/kit/plans/offline_plans.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/plugin.hpp"

namespace heddle::test {
namespace {

class Online : public policy::CompletionTime {
 public:
  explicit Online(policy::Priority priority)
      : CompletionTime({.queues = Queues::priority, .data_aware = true, .nearest_first = true}), priority_(priority) {}
  void start(const policy::View& view) { CompletionTime::start(view, priorities(view, priority_)); }

 private:
  policy::Priority priority_;
};

class Offline : public policy::FollowPlan {
 public:
  void start(const policy::View& view) { FollowPlan::start(view, policy::heft_plan(view.instance(), Rank::min)); }
};

policy::Entry from_kit() {
  return {.name = "from-kit",
          .summary = "Parts of the kit",
          .publication = "tests/plugins/from_kit.cpp",
          .options = {policy::priority_option(), flag("offline", false, "HEFT")},
          .needs = [](const Options& options) { return policy::Needs{.whole_graph = options.flag("offline")}; },
          .make = [](const policy::Setup& setup) -> policy::Policy {
            if (setup.options.flag("offline")) return Offline();
            return Online(policy::chosen_priority(setup.options));
          }};
}

}  // namespace
}  // namespace heddle::test

HEDDLE_POLICY_PLUGIN("from-kit", heddle::test::from_kit)
