#pragma once

#include <span>
#include <string_view>

namespace heddle::test {

/// A reader, and what must hold for any bytes it is given: no error but InputError leaves it, and what it accepts is
/// written and read again to the same bytes. Throws InternalError when that is broken.
struct FuzzTarget {
  std::string_view name;  ///< of its corpus in tests/fuzz/corpus, too
  void (*run)(std::string_view bytes);
};

/// All of them. A new reader is fuzzed, and its corpus tested, by being listed there and in CMakeLists.txt.
[[nodiscard]] std::span<const FuzzTarget> fuzz_targets();

}  // namespace heddle::test
