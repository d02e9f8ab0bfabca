#pragma once

#include <string>
#include <vector>

#include "system.hpp"

namespace heddle::bench {

/// A system in one of its variants.
struct Contender {
  const System* system;
  std::string variant;

  [[nodiscard]] std::string name() const { return system->name + ", " + variant; }
  [[nodiscard]] std::unique_ptr<Session> start(const Problem& problem, unsigned workers) const {
    return system->start(problem, workers, variant);
  }
};

/// Those whose name contains one of `patterns`, or all where there are none; without what was missing at build time.
/// Throws InputError when a pattern is in no name.
[[nodiscard]] std::vector<Contender> contenders(const std::vector<System>& systems,
                                                const std::vector<std::string>& patterns);

/// Seconds, or any other figures, that were measured again and again.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  [[nodiscard]] double min() const;
  [[nodiscard]] double max() const;
  [[nodiscard]] double median() const { return quantile(0.5); }
  /// The value below which this part of them is.
  [[nodiscard]] double quantile(double part) const;

 private:
  std::vector<double> values_;
};

}  // namespace heddle::bench
