// A run was recorded on two cores, with `heddle run --instance` or Runtime::trace(). How far from optimal was it, and
// what would more cores have given?
#include <cstdio>

#include "heddle/judge/judge.hpp"

using namespace heddle;

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: recorded_graph INSTANCE\n"), 2;
  try {
    for (const char* machine : {"", "counts:cpu=3", "counts:cpu=4", "counts:cpu=8"}) {
      const files::LoadedInstance loaded = files::load_instance(argv[1], {.platform = machine});
      const Instance& instance = loaded.instance;
      const bounds::Bounds bounds = bounds::compute(instance, bounds::default_kinds(instance));
      const judge::Judged best = judge::run(instance, policy::Spec("auto"), bounds);
      std::printf("%zu cores: %.1f ms, at most %.1f %% above the optimum\n", instance.platform.worker_count(),
                  1e3 * to_seconds(best.report.makespan), 100 * (*best.report.ratio - 1));
      files::save(*best.schedule, instance, "best-schedule.json");  // `heddle validate` reads it, and static:file=
    }
  } catch (const InputError& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 2;
  }
}

// Output:
// 2 cores: 27.0 ms, at most 0.1 % above the optimum
// 3 cores: 18.4 ms, at most 0.3 % above the optimum
// 4 cores: 14.2 ms, at most 0.2 % above the optimum
// 8 cores: 9.4 ms, at most 0.0 % above the optimum
