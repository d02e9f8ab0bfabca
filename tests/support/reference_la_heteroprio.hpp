#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "heddle/policy/policy.hpp"

namespace heddle::test {

/// LaHeteroprio (Bramas 2019) where data moves, written a second time, in the plainest way: every search looks at all
/// ready tasks. In which order a worker looks at other memories than its own is how StarPU measures distances, and is
/// taken from the real one (policy::local_lists); otherwise it shares nothing with that but the model and the View.
struct LaRules {
  std::string_view affinity = "ls-sdhb";  ///< as the policy's option
  std::optional<std::uint64_t> close = std::nullopt;
  std::optional<std::uint64_t> step = std::nullopt;
  bool slowdown = true;
};
[[nodiscard]] policy::Policy reference_la_heteroprio(LaRules rules);

}  // namespace heddle::test
