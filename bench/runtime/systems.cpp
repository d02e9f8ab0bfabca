#include "system.hpp"

namespace heddle::bench {

// The build says what it found.
std::vector<System> systems() {
  return {
      heddle(),
#ifdef HEDDLE_BENCH_OPENMP
      openmp(),
#else
      {.name = "openmp", .missing = "the compiler has no OpenMP"},
#endif
#ifdef HEDDLE_BENCH_TBB
      tbb(),
#else
      {.name = "tbb", .missing = "oneTBB was not found at build time (Debian: libtbb-dev)"},
#endif
#ifdef HEDDLE_BENCH_STARPU
      starpu(),
#else
      {.name = "starpu", .missing = "StarPU 1.3 was not found at build time (Debian: libstarpu-dev)"},
#endif
#ifdef HEDDLE_BENCH_TASKFLOW
      taskflow(),
#else
      {.name = "taskflow", .missing = "Taskflow was not found at build time (its headers are enough)"},
#endif
  };
}

}  // namespace heddle::bench
