#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::io {

/// Where a file that can be made again is kept for the user: heddle/NAME in the cache folder (XDG_CACHE_HOME, else
/// ~/.cache). Nothing when neither XDG_CACHE_HOME nor HOME is set. The folder need not be there.
[[nodiscard]] std::optional<std::string> cache_file(std::string_view name);

}  // namespace heddle::io
