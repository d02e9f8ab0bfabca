#include <gtest/gtest.h>

#include "heddle/model/instance.hpp"

namespace heddle {
namespace costs_test {
namespace {

const ClassId kCpu = make_id<ClassId>(0);
const ClassId kGpu = make_id<ClassId>(1);
const TaskId kTaskA = make_id<TaskId>(0);
const TaskId kTaskB = make_id<TaskId>(1);

/// Two tasks of a type of 2 on the cpu and 5 on the gpu, which has no workers.
Costs without_gpu() {
  TaskGraphBuilder graph;
  const TypeId type = graph.add_type("T");
  graph.add_task("a", type);
  graph.add_task("b", type);
  Costs costs(graph.build(), 2);
  costs.set_actual(0, kCpu, 2);
  costs.set_actual(0, kGpu, 5);
  costs.close(kGpu);
  return costs;
}

TEST(Costs, AClassThatIsClosedGetsItsDurationsBack) {
  const Costs costs = without_gpu();
  EXPECT_FALSE(costs.can_run(kTaskA, kGpu));
  EXPECT_EQ(costs.actual(kTaskA, kCpu), 2);
  EXPECT_EQ(costs.reopened().actual(kTaskA, kGpu), 5);
}

TEST(Costs, WhatIsSetWhileAClassIsClosedStays) {
  Costs costs = without_gpu();
  const std::uint32_t row = costs.own_row(kTaskB);
  costs.set_actual(row, kCpu, 3);
  costs.set_estimate(row, kCpu, 4);
  EXPECT_FALSE(costs.can_run(kTaskB, kGpu));
  const Costs open = costs.reopened();
  EXPECT_EQ(open.actual(kTaskA, kCpu), 2);
  EXPECT_EQ(open.actual(kTaskA, kGpu), 5);
  EXPECT_EQ(open.estimate(kTaskA, kGpu), 5);
  EXPECT_EQ(open.actual(kTaskB, kCpu), 3);
  EXPECT_EQ(open.estimate(kTaskB, kCpu), 4);
  EXPECT_EQ(open.actual(kTaskB, kGpu), 5);
  EXPECT_EQ(open.estimate(kTaskB, kGpu), 5);
}

}  // namespace
}  // namespace costs_test
}  // namespace heddle
