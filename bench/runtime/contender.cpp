#include "contender.hpp"

#include <algorithm>

namespace heddle::bench {

std::vector<Contender> contenders(const std::vector<System>& systems, const std::vector<std::string>& patterns) {
  std::vector<Contender> chosen;
  for (const System& system : systems) {
    if (system.start == nullptr) continue;
    for (const std::string& variant : system.variants) {
      const Contender one{&system, variant};
      const auto is_named = [&](const std::string& pattern) { return one.name().find(pattern) != std::string::npos; };
      if (patterns.empty() || std::ranges::any_of(patterns, is_named)) chosen.push_back(one);
    }
  }
  return chosen;
}

double Samples::min() const {
  return *std::ranges::min_element(values_);
}

double Samples::max() const {
  return *std::ranges::max_element(values_);
}

double Samples::median() const {
  std::vector<double> values = values_;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace heddle::bench
