#include "heddle/model/platform.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "heddle/model/error.hpp"
#include "heddle/model/instance.hpp"

namespace heddle::test {
namespace {

TEST(Platform, NumbersWorkersClassByClass) {
  const Platform platform({{.name = "cpu", .workers = 2}, {.name = "gpu", .workers = 1, .memory = "each"}});
  EXPECT_EQ(platform.worker_count(), 3U);
  EXPECT_EQ(platform.worker_name(make_id<WorkerId>(1)), "cpu1");
  EXPECT_EQ(platform.worker_name(make_id<WorkerId>(2)), "gpu0");
  EXPECT_EQ(index(platform.class_of(make_id<WorkerId>(2))), 1U);
  EXPECT_EQ(platform.memories()[platform.memory_of(make_id<WorkerId>(2))].name, "gpu0");
  EXPECT_EQ(platform.memory_of(make_id<WorkerId>(0)), platform.memory_of(make_id<WorkerId>(1)));
}

TEST(Platform, NamesStayDifferentWhereClassNamesEndInDigits) {
  const Platform plain({{.name = "cpu", .workers = 10}, {.name = "cpu5", .workers = 2}});
  EXPECT_EQ(plain.worker_name(make_id<WorkerId>(10)), "cpu50");
  const Platform clashing({{.name = "cpu", .workers = 22}, {.name = "cpu2", .workers = 2}});
  EXPECT_EQ(clashing.worker_name(make_id<WorkerId>(21)), "cpu21");
  EXPECT_EQ(clashing.worker_name(make_id<WorkerId>(23)), "cpu2.1");
}

TEST(Platform, AlwaysHasAMainMemory) {
  const Platform platform({{.name = "gpu", .workers = 1, .memory = "each"}});
  EXPECT_TRUE(platform.find_memory("ram"));
}

TEST(Platform, RefusesWhatDoesNotFitTogether) {
  const Link link{.from = "ram", .to = "gpu0", .bandwidth = 1e9, .latency = 0, .via = {}};
  const auto changed = [&](const std::function<void(Link&)>& change) {
    Link other = link;
    change(other);
    return std::vector<Link>{other};
  };
  const std::vector<ResourceClass> classes{{.name = "cpu", .workers = 1},
                                           {.name = "gpu", .workers = 1, .memory = "each"}};
  EXPECT_NO_THROW(Platform(classes, {link}));
  EXPECT_THROW(Platform(std::vector<ResourceClass>()), InputError);
  EXPECT_THROW(Platform({{.name = "cpu", .workers = 0}}), InputError);
  EXPECT_THROW(Platform({{.name = "", .workers = 1}}), InputError);
  EXPECT_THROW(Platform({{.name = "a", .workers = 1}, {.name = "a", .workers = 1}}), InputError);
  EXPECT_THROW(Platform({{.name = "a", .workers = 1, .memory = "m", .memory_bytes = 5},
                         {.name = "b", .workers = 1, .memory = "m"}}),
               InputError);
  EXPECT_THROW(Platform(classes, changed([](Link& l) { l.to = "gpu1"; })), InputError);
  EXPECT_THROW(Platform(classes, changed([](Link& l) { l.to = "ram"; })), InputError);
  EXPECT_THROW(Platform(classes, changed([](Link& l) { l.bandwidth = 0; })), InputError);
  EXPECT_THROW(Platform(classes, changed([](Link& l) { l.latency = -1; })), InputError);
  EXPECT_THROW(Platform(classes, changed([](Link& l) { l.via = {"bus"}; })), InputError);
  EXPECT_THROW(Platform(classes, {link, link}), InputError);
  EXPECT_THROW(Platform(classes, {link}, {{"bus", 1}, {"bus", 1}}), InputError);
}

/// One task that takes `duration` on one class of `workers`.
Instance single(Time duration, std::uint32_t workers) {
  TaskGraphBuilder builder;
  builder.add_task("only", builder.add_type("work"));
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  costs.set_actual(0, make_id<ClassId>(0), duration);
  Platform platform({{.name = "cpu", .workers = workers}, {.name = "other", .workers = 1}});
  return make_instance("single", std::move(graph), std::move(platform), std::move(costs));
}

TEST(Instance, RefusesWhatCannotRun) {
  EXPECT_NO_THROW(single(5, 1));
  EXPECT_THROW(single(5, 0), InputError);   // the only class that can run it has no worker
  EXPECT_THROW(single(-5, 1), InputError);  // negative
  EXPECT_THROW(single(kMaxTime / 4, 1), InputError);
}

}  // namespace
}  // namespace heddle::test
