#include "heddle/io/memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

namespace heddle::io {

std::uint64_t memory_limit() {
  const std::uint64_t page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * page;
  rlimit limit{};
  return getrlimit(RLIMIT_AS, &limit) == 0 ? std::min<std::uint64_t>(machine, limit.rlim_cur) : machine;
}

}  // namespace heddle::io
