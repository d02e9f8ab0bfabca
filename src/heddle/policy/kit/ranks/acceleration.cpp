#include "heddle/policy/kit/ranks/acceleration.hpp"

#include <algorithm>
#include <compare>
#include <numeric>

namespace heddle::policy {
namespace {

/// CPU duration over GPU duration. (1, 0) is infinite, (0, 1) zero.
struct Factor {
  Time cpu;
  Time gpu;
};

Factor factor(std::span<const Time> durations) {
  const Time cpu = durations[0];
  const Time gpu = durations[1];
  if (cpu == gpu) return {1, 1};  // also when both take no time, or no class can run the row
  if (cpu == kCannotRun) return {1, 0};
  if (gpu == kCannotRun) return {0, 1};
  return {cpu, gpu};
}

std::strong_ordering compare(Factor a, Factor b) {
  __extension__ using Wide = __int128;
  const Wide left = Wide{a.cpu} * b.gpu;
  const Wide right = Wide{b.cpu} * a.gpu;
  return left < right   ? std::strong_ordering::less
         : left > right ? std::strong_ordering::greater
                        : std::strong_ordering::equal;
}

}  // namespace

AccelerationRanks::AccelerationRanks(const Instance& instance) : rank_(instance.costs.row_count()) {
  std::vector<Factor> factors;
  for (std::uint32_t row = 0; row < rank_.size(); ++row) factors.push_back(factor(instance.costs.estimate_row(row)));
  std::vector<std::uint32_t> rows(rank_.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::ranges::sort(rows, [&](std::uint32_t a, std::uint32_t b) { return compare(factors[a], factors[b]) > 0; });
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0 && compare(factors[rows[i - 1]], factors[rows[i]]) != 0) ++next;
    rank_[rows[i]] = next;
    count_ = next + 1;
    if (factors[rows[i]].cpu >= factors[rows[i]].gpu) first_slower_ = next + 1;
  }
}

}  // namespace heddle::policy
