#pragma once

#include <string>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle {

/// Replays a schedule on a platform with links: each attempt has to find what it reads in its worker's memory when it
/// starts, brought there by transfers from where a valid copy was. A completed attempt leaves the only valid copy of
/// what it writes; `reduce` leaves a private copy, and the datum can be read where all of them have come together. All
/// ids must exist. Returns what is missing, a sentence each.
[[nodiscard]] std::vector<std::string> validate_data(const Instance& instance, const Schedule& schedule);

}  // namespace heddle
