// What every study promises; a study is tested by being there.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "heddle/experiment/study.hpp"
#include "heddle/model/error.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::experiment {
namespace {

std::set<std::string> keys(const Study& study, Scale scale) {
  std::set<std::string> keys;
  for (const Cell& cell : study.cells(scale)) keys.insert(cell.key());
  return keys;
}

TEST(Studies, SayWhatTheyAre) {
  EXPECT_FALSE(studies().empty());
  for (const Study& study : studies()) {
    for (const std::string& text : {study.name, study.summary, study.publication, study.full, study.quick}) {
      EXPECT_FALSE(text.empty()) << study.name;
    }
    EXPECT_EQ(find(study.name).name, study.name);
  }
  EXPECT_THROW((void)find("spoliation-order"), InputError);
}

TEST(Studies, QuickIsAPartOfFull) {
  for (const Study& study : studies()) {
    const auto quick = keys(study, Scale::quick);
    const auto full = keys(study, Scale::full);
    EXPECT_LT(quick.size(), full.size()) << study.name;
    EXPECT_TRUE(std::ranges::includes(full, quick)) << study.name;
  }
}

TEST(Studies, KeysFitInALineOfTheJournal) {
  for (const Study& study : studies()) {
    for (const std::string& key : keys(study, Scale::full)) {
      EXPECT_EQ(key.find_first_of("\t\n"), std::string::npos) << study.name << ": " << key;
    }
  }
}

TEST(Studies, PoliciesAreKnown) {
  for (const Study& study : studies()) {
    std::set<std::string> policies;
    for (const Cell& cell : study.cells(Scale::full)) policies.insert(cell.policy);
    policies.erase("");
    for (const std::string& policy : policies) EXPECT_NO_THROW(policy::Spec spec(policy)) << study.name << policy;
  }
}

/// Results in which every bound is 1 second and `makespan` says how long each schedule is.
template <class Makespan>
Results made_up(const Study& study, Makespan makespan) {
  Results results;
  for (const Cell& cell : study.cells(Scale::quick)) {
    results.set(cell.key(), {{"bound", 1}, {"makespan", makespan(cell)}, {"aborted", 0}, {"simulations", 1}});
  }
  return results;
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::vector<bool> verdicts(const Study& study, double (*makespan)(const Cell&)) {
  std::vector<bool> holds;
  const Results results = made_up(study, makespan);
  for (const auto& claim : report_on(study, Scale::quick, results).claims) holds.push_back(claim.holds);
  return holds;
}

TEST(SpoliationOrders, VerdictsFollowFromTheNumbers) {
  const Study& study = find("spoliation-orders");
  const auto as_published = [](const Cell& cell) {
    if (has(cell.platform, "cpu=4,")) return 1.5;
    return has(cell.policy, has(cell.workload, "fork-join") ? "latest" : "priority") ? 1.1 : 1.2;
  };
  EXPECT_EQ(verdicts(study, as_published), (std::vector<bool>{true, true, true, true}));
  const auto the_other_way_round = [](const Cell& cell) {
    if (has(cell.platform, "cpu=4,")) return has(cell.policy, "latest") ? 1.0 : 1.05;
    return has(cell.policy, has(cell.workload, "fork-join") ? "priority" : "latest") ? 1.1 : 1.2;
  };
  EXPECT_EQ(verdicts(study, the_other_way_round), (std::vector<bool>{false, false, false, false}));
}

TEST(AutomaticPriorities, VerdictsFollowFromTheNumbers) {
  const Study& study = find("automatic-priorities");
  const auto as_published = [](const Cell& cell) {
    if (has(cell.policy, "offset")) return 0.99;
    return cell.policy.empty() ? 1.0 : 1.05;
  };
  EXPECT_EQ(verdicts(study, as_published), (std::vector<bool>{true, true, true, true}));
  const auto far_and_apart = [](const Cell& cell) {
    if (has(cell.policy, "prws")) return 1.9;
    return cell.policy.empty() ? 1.0 : 1.5;
  };
  EXPECT_EQ(verdicts(study, far_and_apart), (std::vector<bool>{false, false, false, false}));
}

TEST(Studies, ReportOnlyOnCellsTheyListed) {
  for (const Study& study : studies()) {
    EXPECT_THROW((void)report_on(study, Scale::quick, Results()), InternalError) << study.name;
  }
}

}  // namespace
}  // namespace heddle::experiment
