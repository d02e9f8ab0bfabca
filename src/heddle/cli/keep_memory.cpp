#include "heddle/cli/keep_memory.hpp"

#ifdef __linux__
#include <malloc.h>
#include <sys/mman.h>

#include <cstddef>
#include <memory>
#include <new>
#endif

namespace heddle::cli {

void keep_memory() {
#if defined(M_MMAP_THRESHOLD) && !defined(HEDDLE_SANITIZED)  // sanitizers allocate in their own way
  constexpr int kMebi = 1 << 20;
  constexpr std::size_t kPage = std::size_t{2} * kMebi;
  constexpr std::size_t kFirst = std::size_t{128} * kMebi;
  mallopt(M_TRIM_THRESHOLD, 1024 * kMebi);
  mallopt(M_MMAP_THRESHOLD, 1024 * kMebi);
  {
    // What is freed here is what is allocated next. Nothing touches it now: it takes addresses, and no memory.
    const std::unique_ptr<std::byte[]> first(new (std::nothrow) std::byte[kFirst]);
    void* begin = first.get();
    std::size_t bytes = kFirst;
    if (std::align(kPage, kPage, begin, bytes) != nullptr) madvise(begin, bytes / kPage * kPage, MADV_HUGEPAGE);
  }
  // Larger blocks still come from the system one by one, and go back to it.
  mallopt(M_MMAP_THRESHOLD, 32 * kMebi);
#endif
}

}  // namespace heddle::cli
