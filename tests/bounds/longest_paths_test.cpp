#include "heddle/bounds/longest_paths.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "tests/bounds/samples.hpp"

namespace heddle::bounds {
namespace {

TEST(LongestPaths, GoThroughEveryTask) {
  // 0 -> 1 -> 3 and 0 -> 2 -> 3; 4 alone.
  const Instance instance = test::sample_instance(
      {1}, {{"x", {1}, {}}, {"x", {1}, {0}}, {"x", {1}, {0}}, {"x", {1}, {1, 2}}, {"x", {1}, {}}});
  Table<TaskId, double> duration(5, 1.0);
  duration[make_id<TaskId>(2)] = 5;
  const LongestPaths paths(instance.graph, duration);
  EXPECT_EQ(paths.longest(), 7.0);
  EXPECT_EQ(paths.length(make_id<TaskId>(1)), 3.0);
  EXPECT_EQ(paths.length(make_id<TaskId>(4)), 1.0);
  EXPECT_EQ(paths.path(make_id<TaskId>(0)),
            (std::vector<TaskId>{make_id<TaskId>(0), make_id<TaskId>(2), make_id<TaskId>(3)}));
  EXPECT_EQ(paths.path(make_id<TaskId>(1)),
            (std::vector<TaskId>{make_id<TaskId>(0), make_id<TaskId>(1), make_id<TaskId>(3)}));
}

TEST(LongestPaths, TakeNoDurationsThatAreSoonGone) {
  EXPECT_FALSE((std::is_constructible_v<LongestPaths, const TaskGraph&, Table<TaskId, double>>));
}

}  // namespace
}  // namespace heddle::bounds
