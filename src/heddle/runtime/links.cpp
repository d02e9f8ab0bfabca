#include "heddle/runtime/links.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <future>
#include <memory>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/run_clock.hpp"

namespace heddle::runtime {
namespace {

constexpr int kRepetitions = 5;
constexpr std::size_t kSmall = 64;
constexpr std::size_t kLarge = std::size_t{4} << 20;

/// How long the quickest of several took, from asking to the report.
template <class Ask>
Time quickest(Ask&& ask) {
  const RunClock clock;
  Time least = kMaxTime;
  for (int i = 0; i < kRepetitions; ++i) {
    auto done = std::make_shared<std::promise<void>>();
    std::future<void> ended = done->get_future();
    const Time begin = clock.now();
    ask([done](const std::exception_ptr& failure, std::optional<Time>) {
      if (failure) {
        done->set_exception(failure);
      } else {
        done->set_value();
      }
    });
    ended.get();
    least = std::min(least, clock.now() - begin);
  }
  return std::max<Time>(least, 1);
}

/// From the times of `kSmall` bytes and of `large` bytes.
LinkSpeed speed(Time small, Time large, std::size_t bytes) {
  return {small, static_cast<double>(bytes) / to_seconds(std::max<Time>(large - small, large / 2))};
}

}  // namespace

LinkSpeeds measure_links(Device& device) {
  std::size_t bytes = kLarge;
  void* there = device.allocate(bytes);
  for (; there == nullptr && bytes > kSmall; there = device.allocate(bytes)) bytes /= 2;
  if (there == nullptr) throw InputError("a device has no memory to copy to");
  std::vector<std::byte> here(bytes);
  const auto in = [&](std::size_t count) {
    return quickest(
        [&](Device::Done done) { device.copy_in({count, 1, 1}, {here.data(), count}, there, std::move(done)); });
  };
  const auto out = [&](std::size_t count) {
    return quickest(
        [&](Device::Done done) { device.copy_out({count, 1, 1}, there, {here.data(), count}, std::move(done)); });
  };
  try {
    const LinkSpeeds speeds{speed(in(kSmall), in(bytes), bytes), speed(out(kSmall), out(bytes), bytes)};
    device.release(there);
    return speeds;
  } catch (const std::exception& failure) {
    device.release(there);
    throw InputError(std::string("a device cannot copy data: ") + failure.what());
  }
}

}  // namespace heddle::runtime
