#pragma once

#include <span>
#include <string>
#include <string_view>

#include "heddle/report/html_page.hpp"

namespace heddle::report {

/// What the page's scripts draw, as JSON that may stand inside a <script> element. Its shape is told in page/decode.js.
[[nodiscard]] std::string page_data(std::string_view title, std::span<const ScheduleReport> reports,
                                    const PageOptions& options);

}  // namespace heddle::report
