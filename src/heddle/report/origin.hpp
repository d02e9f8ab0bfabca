#pragma once

#include <string>

namespace heddle::report {

/// Where a page comes from. Each part may be empty: the page leaves it out.
struct Origin {
  std::string version{};  ///< of Heddle: "0.9.0"
  std::string date{};     ///< when the page was made: "2026-11-25 10:57 UTC"
  std::string command{};  ///< the command line that made it
};

/// The origin for the foot of a page, as HTML.
[[nodiscard]] std::string origin_html(const Origin& origin);

}  // namespace heddle::report
