#pragma once

#include <string>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/routes.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle {

/// Whether the buses can have carried the transfers of a schedule, each of which takes one link and no less than the
/// link's time: no window holds more bytes than a bus can carry in it. How transfers shared it is not looked at.
/// Returns what went too fast, a sentence at most for each bus.
[[nodiscard]] std::vector<std::string> validate_buses(const Instance& instance, const Schedule& schedule,
                                                      const Routes& routes);

}  // namespace heddle
