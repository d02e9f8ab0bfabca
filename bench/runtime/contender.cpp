#include "contender.hpp"

#include <algorithm>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::bench {

std::vector<Contender> contenders(const std::vector<System>& systems, const std::vector<std::string>& patterns) {
  std::vector<Contender> chosen;
  std::vector<std::string> there;
  for (const System& system : systems) {
    if (system.start == nullptr) continue;
    there.push_back(system.name);
    for (const std::string& variant : system.variants) chosen.push_back({&system, variant});
  }
  if (patterns.empty()) return chosen;
  const auto is_named = [](const Contender& one, const std::string& pattern) {
    return one.name().find(pattern) != std::string::npos;
  };
  for (const std::string& pattern : patterns) {
    if (std::ranges::any_of(chosen, [&](const Contender& one) { return is_named(one, pattern); })) continue;
    throw InputError("--only: no contender's name contains '" + pattern + "'" + suggest(pattern, there));
  }
  std::erase_if(chosen, [&](const Contender& one) {
    return std::ranges::none_of(patterns, [&](const std::string& pattern) { return is_named(one, pattern); });
  });
  return chosen;
}

double Samples::min() const {
  return *std::ranges::min_element(values_);
}

double Samples::max() const {
  return *std::ranges::max_element(values_);
}

double Samples::quantile(double part) const {
  std::vector<double> values = values_;
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size()));
  std::ranges::nth_element(values, place);
  return *place;
}

}  // namespace heddle::bench
