#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::runtime {

/// The policies that can decide in a runtime, under each value of each of their choices and flags; the others, which
/// follow a schedule, are refused with a sentence.
inline std::vector<std::string> all_runtime_specs() {
  std::vector<std::string> specs = test::registered_specs();
  std::erase_if(specs, [](const std::string& text) {
    const policy::Spec spec(text);
    return spec.needs().plan;
  });
  return specs;
}

/// Two of each kind of policies between which the runtime's threads see a difference.
inline void keep_two_of_each_kind(std::vector<std::string>& specs) {
  std::map<std::tuple<bool, bool, bool, bool, bool>, int> seen;
  std::erase_if(specs, [&](const std::string& text) {
    const policy::Spec spec(text);
    const policy::Needs needs = spec.needs();
    // Those that look ahead choose when they start.
    const bool keeps_order = !needs.lookahead && spec.make(1).keeps_order();
    return ++seen[{needs.whole_graph, needs.abort, needs.two_classes, needs.lookahead, keeps_order}] > 2;
  });
}

/// Each policy once, as it is without options. Sanitizers see two of each kind: policies decide under a lock, and the
/// tests of policies try all of them. There, where simulations are ten times slower, `auto` simulates little.
inline std::vector<std::string> runtime_policies() {
  std::vector<std::string> specs = all_runtime_specs();
  test::drop_variants(specs);
  if constexpr (test::kSanitized) {
    keep_two_of_each_kind(specs);
    std::ranges::replace(specs, "auto", "auto:events=100");
  }
  return specs;
}

/// The same under each value of each of their choices and flags. Not under sanitizers: what options change is not the
/// runtime's affair, and the tests of policies try it.
inline std::vector<std::string> runtime_specs() {
  return test::kSanitized ? runtime_policies() : all_runtime_specs();
}

}  // namespace heddle::runtime
