// Part of every test program: no test may read or write the cache folder of the user who runs it. In this one nothing
// can be made.
#include <cstdlib>

namespace {

[[maybe_unused]] const int kNoCache = setenv("XDG_CACHE_HOME", "/dev/null", 1);

}  // namespace
