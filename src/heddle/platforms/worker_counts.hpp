#pragma once

#include <cstdint>
#include <string>

#include "heddle/model/options.hpp"

namespace heddle::platforms {

/// The number of workers in a setting CLASS=COUNT; `owner` starts the error.
[[nodiscard]] std::uint32_t parse_workers(const std::string& owner, const Setting& setting);

/// Throws InputError for `cuda`: the canonical name is `gpu`.
void check_class_name(const std::string& owner, const std::string& name);

}  // namespace heddle::platforms
