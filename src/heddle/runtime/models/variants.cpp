#include "heddle/runtime/models/variants.hpp"

#include <algorithm>
#include <utility>

namespace heddle::runtime {
namespace {

[[nodiscard]] bool was_measured(const Variant& one) {
  return one.durations != nullptr && one.durations->count() > 0;
}

/// The measured one that takes least; null when none was measured.
template <class List>
[[nodiscard]] auto* least(List& variants) {
  auto* best = decltype(variants.data()){};
  Time shortest = kMaxTime;
  for (auto& one : variants) {
    if (!was_measured(one)) continue;
    const Time mean = one.durations->mean();
    if (best != nullptr && mean >= shortest) continue;
    best = &one;
    shortest = mean;
  }
  return best;
}

/// The time that went into it, as far as known.
[[nodiscard]] Time spent(const Variant& one) {
  return static_cast<Time>(one.tries) * one.durations->mean();
}

}  // namespace

Variants::Variants(std::vector<Variant> all) {
  if (all.empty()) return;
  first_ = all.front();
  if (all.size() > 1) several_ = std::move(all);
}

const Estimate* Variants::known() const {
  if (several_.empty()) return was_measured(first_) ? first_.durations : nullptr;
  const Variant* best = least(several_);
  return best == nullptr ? nullptr : best->durations;
}

const Variant& Variants::choose() {
  if (empty()) return first_;
  Variant& picked = pick();
  ++picked.tries;
  return picked;
}

void Variants::put_back_one(const Implementation* implementation) {
  const auto found = std::ranges::find(several_, implementation, &Variant::implementation);
  if (found != several_.end()) --found->tries;
}

Variant& Variants::pick() {
  Variant& rarest = *std::ranges::min_element(several_, {}, &Variant::tries);
  Variant* const best = least(several_);
  if (rarest.tries < kTries || best == nullptr) return rarest;
  const Time enough = spent(*best) / kShare;
  for (Variant& one : several_) {
    if (was_measured(one) && spent(one) < enough) return one;
  }
  return *best;
}

}  // namespace heddle::runtime
