// How well do policies schedule a task graph of your own, and how far from optimal are they?
#include <cstdio>
#include <fstream>
#include <string>

#include "heddle/judge/judge.hpp"

using namespace heddle;

int main() {
  // Six frames of a video: each is decoded, five filters work on it, and what they found is merged.
  TaskGraphBuilder builder;
  const TypeId decode = builder.add_type("decode");
  const TypeId filter = builder.add_type("filter");
  const TypeId merge = builder.add_type("merge");
  for (int frame = 0; frame < 6; ++frame) {
    const std::string name = "(" + std::to_string(frame) + ")";
    const TaskId decoded = builder.add_task("decode" + name, decode);
    const TaskId merged = builder.add_task("merge" + name, merge);
    for (const char* kind : {"blur", "edges", "faces", "motion", "text"}) {
      const TaskId filtered = builder.add_task(kind + name, filter);
      builder.add_edge(decoded, filtered);
      builder.add_edge(filtered, merged);
    }
  }
  TaskGraph graph = builder.build();

  // Three CPU cores and a GPU, which is fast at filters and cannot merge.
  Platform platform({{.name = "cpu", .workers = 3}, {.name = "gpu", .workers = 1}});
  const ClassId cpu{0};
  const ClassId gpu{1};
  Costs costs(graph, platform.class_count());
  costs.set_actual(Costs::row(decode), cpu, 4 * kMillisecond);
  costs.set_actual(Costs::row(decode), gpu, 5 * kMillisecond);
  costs.set_actual(Costs::row(filter), cpu, 30 * kMillisecond);
  costs.set_actual(Costs::row(filter), gpu, 6 * kMillisecond);
  costs.set_actual(Costs::row(merge), cpu, 2 * kMillisecond);
  Instance instance = make_instance("video", std::move(graph), std::move(platform), std::move(costs));

  const judge::Comparison found =
      judge::compare({{std::move(instance), "my machine"}},
                     {policy::Spec("heteroprio"), policy::Spec("heft"), policy::Spec("dmdas"), policy::Spec("eager")});
  for (const judge::Judged& judged : found.judged) {
    std::printf("%-10s %s s, %.3f times the bound\n", judged.report.policy.c_str(),
                format_seconds(judged.report.makespan).c_str(), *judged.report.ratio);
  }
  std::ofstream("video.html") << judge::page(found);  // Gantt charts, for a browser
}

// Output:
// heteroprio 0.134 s, 1.107 times the bound
// heft       0.127 s, 1.050 times the bound
// dmdas      0.127 s, 1.050 times the bound
// eager      0.132 s, 1.091 times the bound
