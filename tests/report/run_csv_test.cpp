#include "heddle/report/run_csv.hpp"

#include <gtest/gtest.h>

#include "tests/analysis/samples.hpp"

namespace heddle::report {
namespace {

TEST(RunCsv, HasALineForEachAttemptTransferAndIdleTime) {
  const Instance instance = heddle::test::four_tasks();
  const Schedule schedule = heddle::test::four_tasks_schedule(instance);
  EXPECT_EQ(run_csv(instance, schedule, analysis::Losses(instance, schedule)),
            "kind,start,end,worker,task,type,outcome,waited,for,cause,data,from,to,bytes\n"
            "attempt,0.0,2.0,cpu0,p,P,completed,0.0,,,,,,\n"
            "attempt,1.0,4.0,cpu1,r,R,completed,1.0,,,,,,\n"
            "attempt,3.0,4.0,gpu0,q,Q,completed,1.0,data,,,,,\n"
            "attempt,4.0,4.5,cpu0,s,S,aborted,0.0,predecessor,,,,,\n"
            "attempt,5.0,6.0,cpu1,s,S,completed,1.0,predecessor,,,,,\n"
            "transfer,2.0,3.0,,,,,,,,A,ram,gpu0,1000000000\n"
            "idle,2.0,3.0,cpu0,,,,,,ready-not-run,,,,\n"
            "idle,3.0,4.0,cpu0,,,,,,no-ready-task,,,,\n"
            "idle,4.5,5.0,cpu0,,,,,,ready-not-run,,,,\n"
            "idle,5.0,6.0,cpu0,,,,,,end,,,,\n"
            "idle,0.0,1.0,cpu1,,,,,,ready-not-run,,,,\n"
            "idle,4.0,4.5,cpu1,,,,,,no-ready-task,,,,\n"
            "idle,4.5,5.0,cpu1,,,,,,ready-not-run,,,,\n"
            "idle,0.0,2.0,gpu0,,,,,,begin,,,,\n"
            "idle,2.0,3.0,gpu0,,,,,,data,,ram,gpu0,\n"
            "idle,4.0,6.0,gpu0,,,,,,end,,,,\n");
}

}  // namespace
}  // namespace heddle::report
