// Policies that a program adds to the registry, or uses without: in a program of their own, as they stay there.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/policy/search_starts.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::test {
namespace {

/// Gives the first idle worker the oldest ready task, if it can run it.
struct Oldest {
  std::vector<TaskId> ready_tasks{};

  void ready(const policy::View& /*view*/, std::span<const TaskId> tasks) {
    ready_tasks.insert(ready_tasks.end(), tasks.begin(), tasks.end());
  }
  policy::Action next(const policy::View& view) {
    policy::Action action = policy::wait();
    if (ready_tasks.empty()) return action;
    view.visit_idle([&](WorkerId worker) {
      if (!view.can_run(ready_tasks.front(), view.platform().class_of(worker))) return false;
      action = policy::run(ready_tasks.front(), worker);
      return true;
    });
    if (action.kind == policy::Action::Kind::run) ready_tasks.erase(ready_tasks.begin());
    return action;
  }
};

policy::Entry oldest(const std::string& name) {
  return {.name = name,
          .summary = "The oldest task first",
          .publication = "here",
          .options = {},
          .needs = [](const Options&) { return policy::Needs{}; },
          .make = [](const policy::Setup&) { return policy::Policy(Oldest()); }};
}

std::string refusal(policy::Entry entry) {
  try {
    policy::add(std::move(entry));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(AddedPolicy, HasANameLikeAnyOther) {
  const policy::Spec before("heft");
  const policy::Entry* heft = &before.entry();
  std::vector<std::string> calls;
  policy::Entry entry = oldest("oldest");
  entry.make = [&](const policy::Setup&) {  // it may keep what it likes
    calls.emplace_back("make");
    return policy::Policy(Oldest());
  };
  policy::add(entry);
  policy::add(oldest("a-first-one"));
  EXPECT_EQ(&before.entry(), heft);
  EXPECT_TRUE(std::ranges::is_sorted(policy::entries(), {}, &policy::Entry::name));
  EXPECT_EQ(policy::entries().front().name, "a-first-one");
  EXPECT_EQ(std::ranges::count(policy::search_starts(false), "oldest"), 1);

  const Instance instance = workload::generate("cholesky:tiles=6", platforms::resolve("mirage"));
  const Schedule named = sim::simulate(instance, policy::Spec("oldest"));
  EXPECT_EQ(calls, std::vector<std::string>{"make"});
  EXPECT_EQ(named.policy, "oldest");
  EXPECT_EQ(validate(instance, named), std::vector<std::string>{});
  const Schedule unnamed = sim::simulate(instance, Oldest(), "no name");
  EXPECT_EQ(unnamed.policy, "no name");
  EXPECT_EQ(unnamed.attempts, named.attempts);
}

TEST(AddedPolicy, IsCompleteAndHasANewName) {
  EXPECT_EQ(refusal(oldest("heft")), "there is a policy 'heft' already");
  for (const char* name : {"", "Big", "with space", "a:b", "a,b"}) {
    EXPECT_NE(refusal(oldest(name)).find("expected small letters, digits and dashes"), std::string::npos) << name;
  }
  policy::Entry deaf = oldest("deaf");
  deaf.needs = nullptr;
  EXPECT_EQ(refusal(deaf), "policy 'deaf' has no function that makes it");
  EXPECT_THROW(policy::Spec("deaf"), InputError);
}

TEST(AddedPolicy, IsReplacedByOneOfItsName) {
  std::vector<std::string> made;
  const auto entry_that_notes = [&](const std::string& note) {
    policy::Entry entry = oldest("defined-twice");
    entry.options = {integer("depth", "1", 0, 9, "nothing")};
    if (note == "second") entry.options = {flag("wide", false, "nothing")};
    entry.make = [&made, note](const policy::Setup&) {
      made.push_back(note);
      return policy::Policy(Oldest());
    };
    return entry;
  };
  EXPECT_THROW(policy::replace(entry_that_notes("first")), InputError);
  policy::add(entry_that_notes("first"));
  const policy::Spec before("defined-twice:depth=2");
  policy::Entry deaf = oldest("defined-twice");
  deaf.make = nullptr;
  EXPECT_THROW(policy::replace(deaf), InputError);
  policy::replace(entry_that_notes("second"));
  const policy::Spec after("defined-twice:wide=true");
  EXPECT_THROW(policy::Spec("defined-twice:depth=2"), InputError);
  EXPECT_EQ(std::ranges::count(policy::entries(), "defined-twice", &policy::Entry::name), 1);
  EXPECT_TRUE(std::ranges::is_sorted(policy::entries(), {}, &policy::Entry::name));

  const Instance instance = workload::generate("lu:tiles=3", platforms::resolve("mirage"));
  const Schedule one = sim::simulate(instance, before);
  const Schedule other = sim::simulate(instance, after);
  EXPECT_EQ(validate(instance, one), std::vector<std::string>{});
  EXPECT_EQ(validate(instance, other), std::vector<std::string>{});
  EXPECT_EQ(made, (std::vector<std::string>{"first", "second"}));
}

TEST(AddedPolicy, NeedsNoNameUnderNoise) {
  const Instance instance = workload::generate("lu:tiles=5", platforms::resolve("mirage"));
  sim::Config config{.noise = sim::Noise("uniform:0.2"), .seed = 7};
  const Schedule schedule = sim::simulate(instance, Oldest(), "oldest of all", config);
  EXPECT_EQ(schedule.seed, 7U);
  EXPECT_EQ(schedule.noise, "uniform:0.2");
  EXPECT_EQ(validate(instance, schedule, Durations::free), std::vector<std::string>{});
}

}  // namespace
}  // namespace heddle::test
