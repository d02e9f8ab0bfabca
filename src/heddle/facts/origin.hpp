#pragma once

#include <cstdint>
#include <optional>

#include "heddle/model/schedule.hpp"

namespace heddle::facts {

/// What a policy was made from, besides its specification.
struct Origin {
  std::uint64_t seed = 0;
  std::optional<Schedule> plan{};  ///< where it follows one; of its instance
};

}  // namespace heddle::facts
