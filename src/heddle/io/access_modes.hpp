#pragma once

#include <array>
#include <string_view>

#include "heddle/model/task_graph.hpp"

namespace heddle::io {

/// How Heddle's own format spells the access modes, in the order of AccessMode.
inline constexpr std::array<std::string_view, 5> kAccessModes = {"r", "w", "rw", "commute", "reduce"};

}  // namespace heddle::io
