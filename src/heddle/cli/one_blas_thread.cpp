// OpenBLAS starts a thread for each core when it is loaded, before main(), and each asks for 128 MiB; where the process
// may not have that much (ulimit -v), they ask again for ever. The command calls BLAS from its own threads or not at
// all (the solver of linear programs links it, too). OpenBLAS counts the cores that the process may use, so while
// libraries are loaded this is one. Setting OPENBLAS_NUM_THREADS would be too late in main(), and here it would be
// forgotten: libc sets up the environment later.
#include <sched.h>

namespace {

cpu_set_t allowed;
bool narrowed = false;

/// Before the initialisers of shared libraries.
void narrow(int /*argc*/, char** /*argv*/, char** /*environment*/) {
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return;
  int first = 0;
  while (first < CPU_SETSIZE && !CPU_ISSET(first, &allowed)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  narrowed = sched_setaffinity(0, sizeof(one), &one) == 0;
}

/// After them, before all other code of the program.
[[gnu::constructor(101)]] void widen() {
  if (narrowed) sched_setaffinity(0, sizeof(allowed), &allowed);
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const kFirstOfAll)(int, char**, char**) = narrow;

}  // namespace
