#include "heddle/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "heddle/cli/interrupt.hpp"

namespace heddle::cli {

Progress::Progress(std::string what, std::size_t total, bool visible)
    : what_(std::move(what)),
      total_(std::max<std::size_t>(total, 1)),
      visible_(visible && isatty(STDERR_FILENO) != 0),
      next_(start_ + std::chrono::seconds(1)) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
}

void Progress::update(std::size_t done) {
  check_interrupt();
  if (!visible_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  draw(done, std::chrono::duration<double>(now - start_).count());
}

void Progress::draw(std::size_t done, double seconds) {
  constexpr std::size_t kWidth = 24;
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
  const auto filled = static_cast<std::size_t>(share * kWidth);
  const double left = share > 0 ? seconds / share - seconds : 0;
  fmt::print(stderr, "\r\033[K{} [{:#<{}}{:.<{}}] {}/{}  {:.0f}/s  {:.0f} s left", what_, "", filled, "",
             kWidth - filled, done, total_, static_cast<double>(done) / seconds, left);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace heddle::cli
