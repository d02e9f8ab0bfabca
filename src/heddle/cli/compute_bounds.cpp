#include "heddle/cli/compute_bounds.hpp"

#include <fmt/format.h>

#include "heddle/cli/progress.hpp"
#include "heddle/model/countdown.hpp"

namespace heddle::cli {

bounds::Bounds compute_bounds(const Instance& instance, std::span<const bounds::Kind> kinds,
                              std::optional<double> seconds, const std::function<bool()>& stop) {
  Progress progress("bounds", 1);
  const Countdown countdown(seconds);
  const auto asked = [&] {
    progress.show(countdown.part(), fmt::format("{:.0f} s", countdown.elapsed()));
    return stop();
  };
  return bounds::compute(instance, kinds, {.seconds = seconds, .stop = asked});
}

}  // namespace heddle::cli
