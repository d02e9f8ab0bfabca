#include "heddle/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "heddle/cli/output.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/progress_line.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

Progress::Progress(const std::string& what, std::size_t total, bool visible)
    : what_(report::harmless(what)),
      total_(std::max<std::size_t>(total, 1)),
      visible_(visible && isatty(STDERR_FILENO) != 0),
      next_(start_ + std::chrono::seconds(1)) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

bool Progress::due() {
  const Clock::time_point now = Clock::now();
  if (!visible_ || now < next_) return false;
  next_ = now + std::chrono::milliseconds(100);
  return true;
}

void Progress::update(std::size_t done, std::size_t known) {
  check_interrupt();
  if (!due()) return;
  const double rate = static_cast<double>(done - known) / seconds();
  draw(static_cast<double>(done) / static_cast<double>(total_),
       fmt::format("{}/{}  {}", done, total_, report::format_rate(rate)),
       rate > 0 ? std::optional(static_cast<double>(total_ - std::min(done, total_)) / rate) : std::nullopt);
}

void Progress::show(double part, const std::string& detail) {
  if (!due()) return;
  const double share = std::min(1.0, part);
  draw(share, detail, share > 0 ? std::optional(seconds() / share - seconds()) : std::nullopt);
}

void Progress::draw(double part, std::string detail, std::optional<double> left) {
  const report::TextStyle style = terminal_style(STDERR_FILENO);
  fmt::print(stderr, "\r\033[K{}",
             report::progress_line({what_, part, std::move(detail), left}, style.width, style.ascii));
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace heddle::cli
