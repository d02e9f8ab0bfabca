#include "heddle/policy/kit/placement/quick_allocation.hpp"

#include <cstdint>
#include <limits>
#include <utility>

namespace heddle::policy {
namespace {

__extension__ using Square = unsigned __int128;

/// duration^2 x workers, up to 192 bits: what is above the lower 64 bits, and these.
std::pair<Square, Square> weighed_square(Time duration, std::uint32_t workers) {
  constexpr int kLowBits = 64;
  constexpr Square kLow = std::numeric_limits<std::uint64_t>::max();
  const Square square = static_cast<Square>(duration) * static_cast<Square>(duration);
  const Square low = (square & kLow) * workers;
  return {(square >> kLowBits) * workers + (low >> kLowBits), low & kLow};
}

}  // namespace

ClassId quick_allocation(const View& view, TaskId task) {
  constexpr ClassId kFirst = make_id<ClassId>(0);
  constexpr ClassId kSecond = make_id<ClassId>(1);
  if (!view.can_run(task, kFirst)) return kSecond;
  if (!view.can_run(task, kSecond)) return kFirst;
  const auto first = weighed_square(view.estimate(task, kFirst), view.platform().worker_count(kSecond));
  const auto second = weighed_square(view.estimate(task, kSecond), view.platform().worker_count(kFirst));
  return first <= second ? kFirst : kSecond;
}

}  // namespace heddle::policy
