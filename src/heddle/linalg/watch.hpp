#pragma once

#include <functional>

namespace heddle::linalg {

/// Told now and then, by the calling thread, which part of the work is done, from 0 to 1. What it throws ends the work.
using Watch = std::function<void(double part)>;

/// For a part of the work, from `begin` to `end` of all. Must go before `all` does.
[[nodiscard]] inline Watch part_of(const Watch& all, double begin, double end) {
  if (!all) return {};
  return [&all, begin, end](double part) { all(begin + (end - begin) * part); };
}

}  // namespace heddle::linalg
