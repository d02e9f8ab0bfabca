#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heddle/model/instance.hpp"

namespace heddle::files {

/// The formats that are written.
enum class Target : std::uint8_t { instance, platform, hetero_swf, dot };

/// What the suffix of a path says: `json` is what .json stands for. Nothing when it names no format.
[[nodiscard]] std::optional<Target> target_of(const std::string& path, Target json);

/// The text of an instance. Throws InputError for Target::platform.
[[nodiscard]] std::string write(const Instance& instance, Target target);

}  // namespace heddle::files
