#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::io {

/// Where a file that can be made again is kept for the user: heddle/NAME in the cache folder (XDG_CACHE_HOME, else
/// ~/.cache). Nothing when neither XDG_CACHE_HOME nor HOME is set. The folder need not be there.
[[nodiscard]] std::optional<std::string> cache_file(std::string_view name);

/// Takes the rights of other users from the folder `heddle` in the cache folder and from `path`, if `path` is in it and
/// the user owns both: older versions let others read, and so lock, what is there. Any other path is left as it is.
void keep_private(const std::string& path);

}  // namespace heddle::io
