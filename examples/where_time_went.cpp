// Where did a run lose its time, what decided its makespan, and was the advice right?
#include <cstdio>
#include <string>

#include "heddle/judge/judge.hpp"

using namespace heddle;

int main() {
  const Instance instance = files::load_instance("cholesky:tiles=12", {.platform = "mirage:links=measured"}).instance;
  const Schedule run =
      sim::simulate(instance, policy::Spec("eager"));  // or any other: files::load_run, Runtime::trace()
  const judge::Analysis found = judge::analyze(instance, run);
  std::string verdict = found.verdict;
  for (std::size_t end; (end = verdict.find(". ")) != std::string::npos;) verdict[end + 1] = '\n';
  std::printf("%s\n", verdict.c_str());

  const double makespan = to_seconds(found.makespan);
  for (const judge::LostTime& loss : found.losses) {
    const double cost = loss.cost / static_cast<double>(kSecond);
    if (cost < 0.05 * makespan) continue;
    std::printf("%s on %s costs %.0f %% of the makespan\n", loss.cause.c_str(),
                instance.platform.class_name(loss.on).c_str(), 100 * cost / makespan);
  }

  Time kernels = 0;
  for (const judge::DecidingAttempt& link : found.chain) {
    kernels += run.attempts[link.attempt].end - run.attempts[link.attempt].start;
  }
  std::printf("the chain of %zu attempts computes for %.0f %% of it\n", found.chain.size(),
              100 * to_seconds(kernels) / makespan);

  for (const judge::Change& change : found.what_if.changes) {
    if (!change.what.starts_with("policy ") || !change.gain) continue;
    const Schedule better = sim::simulate(instance, policy::Spec(change.policy));
    std::printf("%s promises %.1f %% and gains %.1f %%\n", change.policy.c_str(), 100 * *change.gain,
                100 * (1 - to_seconds(better.makespan()) / makespan));
    break;
  }
}

// Output:
// The makespan is at most 4.2 times the shortest.
// 46 % of the loss is gpu workers without a ready task, waiting for GEMM and TRSM on the critical chain.
// Policy slack would gain 68 %.
// no-ready-task on gpu costs 35 % of the makespan
// end on gpu costs 14 % of the makespan
// unfavourable on cpu costs 12 % of the makespan
// end on cpu costs 8 % of the makespan
// the chain of 20 attempts computes for 98 % of it
// slack promises 68.0 % and gains 67.9 %
