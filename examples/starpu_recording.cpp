// StarPU recorded a program's graph (tasks.rec). How would other policies have scheduled it, on that machine or
// another?
#include <cstdio>
#include <fstream>

#include "heddle/judge/judge.hpp"

using namespace heddle;

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: starpu_recording TASKS.REC\n"), 2;
  try {
    std::vector<files::LoadedInstance> instances;
    // Durations come from the machine, by codelet and footprint; with its links, data takes time to move.
    for (const char* machine : {"mirage:links=measured", "sirocco:links=measured"}) {
      instances.push_back(files::load_instance(argv[1], {.platform = machine}));
    }
    std::vector<judge::Candidate> policies;
    for (policy::Spec& spec : files::load_policies("dmdas,heteroprio-starpu,lws"))
      policies.emplace_back(std::move(spec));
    const judge::Comparison found = judge::compare(std::move(instances), policies);
    for (const judge::Judged& judged : found.judged) {
      const report::ScheduleReport& report = judged.report;
      std::printf("%-22s %-17s %.1f ms, %.3f times the bound\n", report.platform.c_str(), report.policy.c_str(),
                  1e3 * to_seconds(report.makespan), *report.ratio);
    }
    std::ofstream("cholesky.html") << judge::page(found);
  } catch (const InputError& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
}

// Output:
// mirage:links=measured  dmdas             186.6 ms, 1.438 times the bound
// mirage:links=measured  heteroprio-starpu 214.0 ms, 1.650 times the bound
// mirage:links=measured  lws               942.0 ms, 7.262 times the bound
// sirocco:links=measured dmdas             113.0 ms, 1.491 times the bound
// sirocco:links=measured heteroprio-starpu 154.5 ms, 2.039 times the bound
// sirocco:links=measured lws               356.9 ms, 4.709 times the bound
