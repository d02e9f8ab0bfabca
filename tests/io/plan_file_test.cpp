// A schedule that is followed by tasks which become known while they run.
#include "heddle/io/plan_file.hpp"

#include <gtest/gtest.h>

#include "heddle/model/error.hpp"

namespace heddle::test {
namespace {

constexpr const char* kPlan = R"({
  "format": "heddle-schedule", "version": 1,
  "attempts": [
    {"task": "b", "worker": "cpu1", "start": 0.0, "end": 0.5, "outcome": "aborted"},
    {"task": "a", "worker": "cpu0", "start": 0.0, "end": 1.0, "outcome": "completed"},
    {"task": "b", "worker": "cpu0", "start": 1.0, "end": 2.0, "outcome": "completed"}
  ]
})";

/// Tasks of one type on two CPUs.
Instance tasks(std::initializer_list<const char*> names) {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("T");
  for (const char* name : names) builder.add_task(name, type);
  TaskGraph graph = builder.build();
  Platform platform({{.name = "cpu", .workers = 2}});
  Costs costs(graph, 1);
  costs.set_actual(Costs::row(type), make_id<ClassId>(0), kSecond);
  return make_instance("tasks", std::move(graph), std::move(platform), std::move(costs));
}

TEST(PlanFile, PlansForThoseThatAreLeftByTheirNames) {
  const io::PlanFile plan(kPlan, "plan.json");
  const auto all = plan(tasks({"a", "b"})).attempts;
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1], (Attempt{make_id<TaskId>(0), make_id<WorkerId>(0), 0, kSecond, Outcome::completed}));
  const io::PlanFile copy = plan;
  const auto left = copy(tasks({"b"})).attempts;
  ASSERT_EQ(left.size(), 2U);
  EXPECT_EQ(left[0], (Attempt{make_id<TaskId>(0), make_id<WorkerId>(1), 0, kSecond / 2, Outcome::aborted}));
  EXPECT_EQ(left[1], (Attempt{make_id<TaskId>(0), make_id<WorkerId>(0), kSecond, 2 * kSecond, Outcome::completed}));
}

// Data has no names in a run, and where it goes is not planned.
TEST(PlanFile, DoesNotLookAtTransfers) {
  std::string text = kPlan;
  text.insert(text.rfind('}'), R"(, "transfers": [{"data": "d", "from": "ram", "to": "gpu0", "start": 0, "end": 1}])");
  EXPECT_EQ(io::PlanFile(text, "plan.json")(tasks({"a", "b"})).attempts.size(), 3U);
}

std::string sentence(const io::PlanFile& plan, const Instance& instance) {
  try {
    static_cast<void>(plan(instance));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PlanFile, IsOfTheTasksThatRun) {
  EXPECT_NE(sentence({kPlan, "plan.json"}, tasks({"a"})).find("is 'b', but no task is called so"), std::string::npos)
      << sentence({kPlan, "plan.json"}, tasks({"a"}));
  EXPECT_NE(sentence({"{", "plan.json"}, tasks({"a"})).find("plan.json"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
