#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::runtime {

/// The policies that can decide in a runtime, under each value of each of their choices and flags; the others, which
/// follow a schedule, are refused with a sentence. Under the sanitizers, which make simulations ten times slower,
/// `auto` simulates little.
inline std::vector<std::string> runtime_specs() {
  std::vector<std::string> specs = test::registered_specs();
  std::erase_if(specs, [](const std::string& text) {
    const policy::Spec spec(text);
    return spec.needs().plan;
  });
  if constexpr (test::kSanitized) {
    std::ranges::replace(specs, "auto", "auto:events=100");
    std::ranges::replace(specs, "auto:abort=false", "auto:abort=false,events=100");
  }
  return specs;
}

/// Each of them once, as it is without options.
inline std::vector<std::string> runtime_policies() {
  std::vector<std::string> specs = runtime_specs();
  // The plain one comes before its variants.
  const auto variants =
      std::ranges::unique(specs, {}, [](const std::string& text) { return policy::Spec(text).entry().name; });
  specs.erase(variants.begin(), variants.end());
  return specs;
}

}  // namespace heddle::runtime
