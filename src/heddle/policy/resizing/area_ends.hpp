#pragma once

#include "heddle/policy/resizing/resize_rule.hpp"

namespace heddle::policy {

/// How long contexts still take at least, by the linear program of the area bound: tasks are divisible, depend on
/// nothing, and take what their type takes on average; what workers have been given comes first. In parts of a unit
/// that suits the situation, rounded so that what is equal comes out equal.
class AreaEnds {
 public:
  explicit AreaEnds(const Situation& now);

  /// Of one context, with the workers that the situation gives it; infinite when none of these can run some task.
  [[nodiscard]] double of(const Situation& now, ContextId context) const;
  /// Of all contexts together, on all workers of any: no moves let the last of them end earlier.
  [[nodiscard]] double together(const Situation& now) const;

 private:
  double unit_ = 1;
};

}  // namespace heddle::policy
