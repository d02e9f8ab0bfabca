// The study contexts-measured, on two cores, which every machine of the tests has.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/experiment/study.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::experiment {
namespace {

TEST(ContextsMeasured, ExecutesEachWayToDivideTheWorkers) {
  if constexpr (test::kSanitized) GTEST_SKIP() << "up to a minute of loops, in code that the runtime's tests reach";
  const std::vector<Cell> cells = find("contexts-measured").cells(Scale::quick);
  for (Cell cell : cells) {
    cell.platform = "cpu=2";
    cell.workload = "four-kernels:tasks=12";
    const Values values = cell.measure.compute(cell);
    for (const char* what : {"estimate", "simulated", "measured"}) {
      // One context of both cores, and one of each.
      for (const char* configuration : {" 1", " 2"}) EXPECT_GT(values.at(std::string(what) + configuration), 0) << what;
      EXPECT_FALSE(values.contains(std::string(what) + " 3"));
    }
    // Nothing computes faster than both cores together at their measured speeds; 12 tasks are 3 of each kernel.
    EXPECT_LE(values.at("estimate 1"), values.at("estimate 2") * (1 + 1e-9));
  }
}

/// Verdicts where configuration i is estimated at `estimate[i]` and takes `measured[i]` seconds.
std::vector<bool> verdicts(const std::vector<double>& estimate, const std::vector<double>& measured) {
  const Study& study = find("contexts-measured");
  Results results;
  for (const Cell& cell : study.cells(Scale::quick)) {
    Values values{{"decision", 0.001}};
    for (std::size_t i = 0; i < estimate.size(); ++i) {
      const std::string number = " " + std::to_string(i + 1);
      const double factor = cell.policy == "random" ? 4 : 1;
      values.emplace("estimate" + number, estimate[i]);
      values.emplace("simulated" + number, factor * measured[i]);
      values.emplace("measured" + number, factor * measured[i]);
    }
    results.set(cell.key(), values);
  }
  std::vector<bool> holds;
  for (const auto& claim : report_on(study, Scale::quick, results).claims) holds.push_back(claim.holds);
  return holds;
}

TEST(ContextsMeasured, JudgesByWhatWasMeasured) {
  EXPECT_EQ(verdicts({1, 2, 3, 4}, {1.05, 2, 3, 4}), std::vector<bool>(7, true));
  // The best is another one, all take as long, and the estimate is far off, with random as well.
  EXPECT_EQ(verdicts({1, 2, 3, 4}, {11, 10, 10.5, 10}),
            (std::vector<bool>{false, false, false, false, false, true, true}));
}

}  // namespace
}  // namespace heddle::experiment
