#include "heddle/starpu/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "heddle/model/error.hpp"

namespace heddle::starpu {
namespace {

using testing::HasSubstr;

const Platform kCores({{.name = "cpu", .workers = 4}});
const Platform kTwoKinds({{.name = "cpu", .workers = 2}, {.name = "other", .workers = 2}});
const Platform kWithDevice({{.name = "cpu", .workers = 4},
                            {.name = "cuda", .workers = 1, .memory = std::string(ResourceClass::kEach)}});

std::string objection_to(const std::string& policy, const Platform& platform) {
  try {
    static_cast<void>(choose_policy({.policy = policy}, platform));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StarpuSettings, AWrongNameIsToldWithTheNearest) {
  EXPECT_THAT(objection_to("dmdaz", kCores),
              HasSubstr("HEDDLE_POLICY: there is no policy 'dmdaz'; did you mean 'dmda'"));
}

TEST(StarpuSettings, WhatStarpuDoesNotOfferIsToldAtOnce) {
  EXPECT_EQ(objection_to("heteroprio-dep:order=best", kTwoKinds), "");
  EXPECT_THAT(objection_to("static", kCores), HasSubstr("plan"));
}

TEST(StarpuSettings, TheDefaultDependsOnTheMachine) {
  EXPECT_EQ(choose_policy({}, kCores).text(), "prio:priority=due");
  EXPECT_EQ(choose_policy({}, kTwoKinds).text(), "dmda");
  EXPECT_EQ(choose_policy({}, kWithDevice).text(), "dmdas");
}

TEST(StarpuSettings, APolicyForTwoClassesSeesAnEmptySecondOne) {
  const policy::Spec spec = choose_policy({.policy = "dual-hp"}, kCores);
  EXPECT_EQ(shown_to(spec, kCores).class_count(), 2U);
  EXPECT_EQ(shown_to(spec, kTwoKinds).class_count(), 2U);
  EXPECT_EQ(shown_to(choose_policy({.policy = "heft"}, kCores), kCores).class_count(), 1U);
}

TEST(StarpuSettings, FilesAreNamedAfterTheFirst) {
  EXPECT_EQ(instance_path("a/run.json", 0), "a/run.json");
  EXPECT_EQ(schedule_path("a/run.json", 0), "a/run.schedule.json");
  EXPECT_EQ(instance_path("run", 2), "run.2.json");
  EXPECT_EQ(schedule_path("run", 2), "run.2.schedule.json");
}

}  // namespace
}  // namespace heddle::starpu
