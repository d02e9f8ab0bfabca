#pragma once

#include <string>

#include "heddle/report/html_page.hpp"

namespace heddle::cli {

/// What the foot of the page that is written to `path` says: this version of Heddle, the time now and the command line.
/// The environment variable SOURCE_DATE_EPOCH, in seconds, replaces the time now, so that the same page can be made
/// again byte for byte; InputError if it is no such number. Ask before the work begins. Empty if `path` is: no page is
/// written.
[[nodiscard]] report::Origin page_origin(const std::string& path, const std::string& command_line);

}  // namespace heddle::cli
