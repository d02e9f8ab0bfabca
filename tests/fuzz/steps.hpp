#pragma once

#include <optional>
#include <string>

#include "heddle/model/error.hpp"

namespace heddle::test {

/// What the step returns, or nothing when it finds bad input.
template <class Step>
auto accepted(Step step) -> std::optional<decltype(step())> {
  try {
    return step();
  } catch (const InputError&) {
    return std::nullopt;
  }
}

inline void expect_same(const std::string& text, const std::string& again) {
  if (text != again) throw InternalError("written and read again, it is different:\n" + text + "\n" + again);
}

}  // namespace heddle::test
