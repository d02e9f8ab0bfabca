#pragma once

#include <functional>
#include <optional>
#include <span>

#include "heddle/bounds/bounds.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/model/instance.hpp"

namespace heddle::cli {

/// The bounds of these kinds, as far as that many seconds let them, with a bar while it takes long. When `stop`, which
/// is asked often, says so, it ends as if time had run out.
[[nodiscard]] bounds::Bounds compute_bounds(const Instance& instance, std::span<const bounds::Kind> kinds,
                                            std::optional<double> seconds = {},
                                            const std::function<bool()>& stop = is_interrupted);

}  // namespace heddle::cli
