#include "heddle/report/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "heddle/report/format.hpp"
#include "heddle/report/text_width.hpp"

namespace heddle::report {
namespace {

constexpr std::size_t kLeastName = 8;  // of what is done

std::string bar_of(double part) {
  constexpr std::size_t kWidth = 24;
  const auto filled = static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) * kWidth);
  return fmt::format("[{:#<{}}{:.<{}}] ", "", filled, "", kWidth - filled);
}

}  // namespace

std::string progress_line(const Headway& headway, std::size_t width, bool ascii) {
  const std::size_t room = width > 0 ? width - 1 : std::numeric_limits<std::size_t>::max();
  const std::string end = headway.detail + (headway.left ? fmt::format("  {} left", format_wait(*headway.left)) : "");
  std::string bar = bar_of(headway.part);
  const std::size_t name = std::min(width_of(headway.what), kLeastName);
  if (name + 1 + width_of(bar) + width_of(end) > room) bar.clear();
  const std::size_t taken = std::min(room, 1 + width_of(bar) + width_of(end));
  const std::string what = cut_to(headway.what, std::max(room - taken, name), ascii);
  return cut_to(fmt::format("{} {}{}", what, bar, end), room, ascii);
}

}  // namespace heddle::report
