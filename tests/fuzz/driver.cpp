#include <algorithm>
#include <cstdint>

#include "tests/fuzz/targets.hpp"

/// libFuzzer's entry: HEDDLE_FUZZ_TARGET names the target this program feeds.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using heddle::test::FuzzTarget;
  static const auto target = std::ranges::find(heddle::test::fuzz_targets(), HEDDLE_FUZZ_TARGET, &FuzzTarget::name);
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
