#pragma once

#include <string>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "tests/policy/registered.hpp"

namespace heddle::runtime {

/// The policies that can decide in a runtime, under each value of each of their choices and flags; the others, which
/// follow a schedule, are refused with a sentence.
inline std::vector<std::string> runtime_specs() {
  std::vector<std::string> specs = test::registered_specs();
  std::erase_if(specs, [](const std::string& text) {
    const policy::Spec spec(text);
    return spec.entry().needs(spec.options()).plan;
  });
  return specs;
}

/// Each of them once, as it is without options.
inline std::vector<std::string> runtime_policies() {
  std::vector<std::string> names = runtime_specs();
  std::erase_if(names, [](const std::string& text) { return text != policy::Spec(text).entry().name; });
  return names;
}

}  // namespace heddle::runtime
