// Part of every test program: no test may read or write the cache folder of the user who runs it. In this one nothing
// can be made.
#include <cstdlib>
#include <filesystem>

namespace {

[[maybe_unused]] const int kNoCache = setenv("XDG_CACHE_HOME", "/dev/null", 1);

// PoCL has no device without one; what it keeps there are compiled programs. ctest says where.
[[maybe_unused]] const int kPrograms =
    setenv("POCL_CACHE_DIR", (std::filesystem::temp_directory_path() / "heddle-test-pocl").c_str(), 0);

}  // namespace
