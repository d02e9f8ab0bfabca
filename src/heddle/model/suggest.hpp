#pragma once

#include <span>
#include <string>
#include <string_view>

namespace heddle {

/// "; did you mean 'x'?", where x is the possible name that is nearest to the unknown one; "" if none is near.
[[nodiscard]] std::string did_you_mean(std::string_view unknown, std::span<const std::string> possible);

/// How a sentence about an unknown name ends: "; did you mean 'x'? (possible: x, y, z)", without the question when
/// nothing is near, and with only the first dozen possible ones when there are many.
[[nodiscard]] std::string suggest(std::string_view unknown, std::span<const std::string> possible);

}  // namespace heddle
