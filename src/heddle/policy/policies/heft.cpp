#include "heddle/policy/kit/plans/follow_plan.hpp"
#include "heddle/policy/kit/plans/list_planner.hpp"
#include "heddle/policy/kit/plans/offline_plans.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {

/// Heterogeneous earliest finish time: tasks by descending rank, each on the worker that finishes it first.
std::vector<Attempt> heft_plan(const Instance& instance, Rank rank) {
  const Communication communication(instance);
  ListPlanner planner(instance, communication);
  return planner.plan(bottom_levels(instance, rank, communication),
                      [](const ListPlanner& offers, TaskId task) { return offers.earliest_finish(task); });
}

namespace {

class Heft : public FollowPlan {
 public:
  explicit Heft(Rank rank) : rank_(rank) {}
  void start(const View& view) { FollowPlan::start(view, heft_plan(view.instance(), rank_)); }

 private:
  Rank rank_;
};

}  // namespace

Entry heft() {
  return {.name = "heft",
          .summary =
              "Offline: tasks in order of bottom level, each placed where it finishes first, also in gaps between "
              "earlier ones",
          .publication = "Topcuoglu, Hariri and Wu 2002, doi:10.1109/71.993206",
          .complexity = "O(n w log n + e)",
          .options = {rank_option()},
          .needs = [](const Options&) { return Needs{.whole_graph = true}; },
          .make = [](const Setup& setup) { return Policy(Heft(chosen_rank(setup.options))); }};
}

}  // namespace heddle::policy
