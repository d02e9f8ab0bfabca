#pragma once

#include <cstdint>
#include <vector>

#include "heddle/runtime/history.hpp"
#include "heddle/runtime/kernel.hpp"

namespace heddle::runtime {

/// An implementation that a class of workers can run, and how long tasks of one type take there with it.
struct Variant {
  const Implementation* implementation = nullptr;
  Estimate* durations = nullptr;  ///< once the engine knows the type
  std::uint64_t tries = 0;        ///< how often it was measured or is about to be
};

/// The implementations of a kernel that a class of workers can run. Where there are several, each is tried a few times,
/// and afterwards the one runs whose mean is least. The others are measured again, for the case that things change, but
/// get no more than a small part of the time that this one gets.
class Variants {
 public:
  static constexpr std::uint64_t kTries = 4;  ///< so many, as the robust mean of four is not moved by one of them
  static constexpr Time kShare = 64;          ///< one part in so many of the time is for measuring again

  Variants() = default;
  /// In order of preference, as far as nothing was measured; maybe none.
  explicit Variants(std::vector<Variant> all);

  /// Whether there is nothing that the class may run.
  [[nodiscard]] bool empty() const { return first_.implementation == nullptr; }
  /// Nothing is run any more.
  void forbid() { first_.implementation = nullptr; }

  /// What the next task shall run; of an empty one, without implementation. Valid while this is.
  [[nodiscard]] const Variant& next() {
    if (!several_.empty()) [[unlikely]]
      return choose();
    return first_;
  }
  /// What next() told was not run.
  void put_back(const Implementation* implementation) {
    if (!several_.empty()) put_back_one(implementation);
  }
  /// The durations of the one whose mean is least; null when none was measured.
  [[nodiscard]] const Estimate* known() const;

  /// Tells where the durations of each are kept: durations_of(implementation), an Estimate&.
  template <class DurationsOf>
  void attach(DurationsOf&& durations_of) {
    const auto attach_one = [&](Variant& one) {
      one.durations = &durations_of(*one.implementation);
      one.tries = one.durations->count();
    };
    if (!empty()) attach_one(first_);
    for (Variant& one : several_) attach_one(one);
  }

 private:
  [[nodiscard]] const Variant& choose();
  [[nodiscard]] Variant& pick();
  void put_back_one(const Implementation* implementation);

  Variant first_;                 ///< apart, since mostly there is one
  std::vector<Variant> several_;  ///< all, where there are several
};

}  // namespace heddle::runtime
