#pragma once

#include <span>

#include "heddle/model/platform.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle {

/// The platform with links that are as fast as their quickest transfers, where these took less than the links say: what
/// happened is possible there.
[[nodiscard]] Platform with_links_of(const Platform& platform, std::span<const Transfer> transfers);

/// The platform with links that are as fast as their transfers were in the mean: what another schedule should expect.
[[nodiscard]] Platform with_mean_links_of(const Platform& platform, std::span<const Transfer> transfers);

}  // namespace heddle
