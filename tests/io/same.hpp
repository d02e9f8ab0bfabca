#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/model/instance.hpp"

namespace heddle::test {

inline void expect_same(const Platform& a, const Platform& b) {
  ASSERT_EQ(a.class_count(), b.class_count());
  for (const ClassId c : a.classes()) {
    EXPECT_EQ(a.class_name(c), b.class_name(c));
    EXPECT_EQ(a.worker_count(c), b.worker_count(c));
    EXPECT_EQ(a.resource_class(c).memory, b.resource_class(c).memory);
    EXPECT_EQ(a.resource_class(c).memory_bytes, b.resource_class(c).memory_bytes);
    EXPECT_EQ(a.resource_class(c).watts, b.resource_class(c).watts);
  }
  const auto same_bus = [](const Bus& x, const Bus& y) { return x.name == y.name && x.bandwidth == y.bandwidth; };
  EXPECT_TRUE(std::ranges::equal(a.buses(), b.buses(), same_bus));
  const auto same_link = [](const Link& x, const Link& y) {
    return x.from == y.from && x.to == y.to && x.bandwidth == y.bandwidth && x.latency == y.latency && x.via == y.via;
  };
  EXPECT_TRUE(std::ranges::equal(a.links(), b.links(), same_link));
}

inline void expect_same(const TaskGraph& a, const TaskGraph& b) {
  ASSERT_EQ(a.task_count(), b.task_count());
  ASSERT_EQ(a.type_count(), b.type_count());
  ASSERT_EQ(a.data_count(), b.data_count());
  for (const TypeId type : a.types()) EXPECT_EQ(a.type_name(type), b.type_name(type));
  for (const TaskId task : a.tasks()) {
    EXPECT_EQ(a.name(task), b.name(task));
    EXPECT_EQ(a.type(task), b.type(task));
    EXPECT_EQ(a.priority(task), b.priority(task));
    EXPECT_TRUE(std::ranges::equal(a.predecessors(task), b.predecessors(task))) << a.name(task);
    EXPECT_TRUE(std::ranges::equal(a.accesses(task), b.accesses(task))) << a.name(task);
  }
  for (const DataId data : a.data().ids()) {
    EXPECT_EQ(a.datum(data).name, b.datum(data).name);
    EXPECT_EQ(a.datum(data).bytes, b.datum(data).bytes);
    EXPECT_EQ(a.datum(data).home, b.datum(data).home);
  }
}

inline void expect_same(const Instance& a, const Instance& b) {
  EXPECT_EQ(a.name, b.name);
  expect_same(a.platform, b.platform);
  expect_same(a.graph, b.graph);
  EXPECT_EQ(a.contexts, b.contexts);
  for (const TaskId task : a.graph.tasks()) {
    for (const ClassId c : a.platform.classes()) {
      EXPECT_EQ(a.costs.actual(task, c), b.costs.actual(task, c)) << a.graph.name(task);
      EXPECT_EQ(a.costs.estimate(task, c), b.costs.estimate(task, c)) << a.graph.name(task);
    }
  }
}

}  // namespace heddle::test
