#include "heddle/runtime/threads/run_clock.hpp"

#include <fstream>
#include <string>
#include <thread>

namespace heddle::runtime {
namespace {

/// Whether the system found the counter to run steadily, and alike on all cores.
bool system_uses_ticks() {
  std::string source;
  std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
  return source == "tsc";
}

}  // namespace

RunClock::RunClock() {
  static const std::uint64_t tick = system_uses_ticks() ? measure_tick() : 0;
  tick_ = tick;
}

/// By the system's clock, to some millionths.
std::uint64_t RunClock::measure_tick() {
  struct Reading {
    Clock::time_point time;
    std::uint64_t ticks;
  };
  // Of several readings the quickest, which nothing has interrupted.
  const auto read = [] {
    Reading best{};
    std::uint64_t least = ~std::uint64_t{0};
    for (int i = 0; i < 16; ++i) {
      const std::uint64_t before = ticks();
      const Clock::time_point time = Clock::now();
      const std::uint64_t after = ticks();
      if (after - before >= least) continue;
      least = after - before;
      best = {time, before + (after - before) / 2};
    }
    return best;
  };
  const Reading first = read();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const Reading last = read();
  if (last.ticks <= first.ticks) return 0;
  const std::chrono::duration<double, std::pico> passed = last.time - first.time;
  return static_cast<std::uint64_t>(passed.count() / static_cast<double>(last.ticks - first.ticks) *
                                    static_cast<double>(std::uint64_t{1} << kFraction));
}

}  // namespace heddle::runtime
