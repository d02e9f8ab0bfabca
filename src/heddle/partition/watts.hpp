#pragma once

#include <map>
#include <string>

#include "heddle/model/instance.hpp"

namespace heddle::partition {

/// What a machine's counters of energy counted: before, while no task ran, and while tasks ran.
struct CountedEnergy {
  struct Stretch {
    double seconds = 0;
    std::map<std::string, double> joules;  ///< by counter: "gpu-0", "package-0", "dram-0" (runtime::Energy)
  };

  Stretch idle;
  Stretch run;
  Table<ClassId, double> busy_seconds;  ///< of all workers of a class together, on tasks of the run
};

/// The platform with what its workers draw (ResourceClass::watts). Counters "gpu-N" count for class "cuda", all others
/// for the classes of cores ("cpu", "cpu4", ...). What is drawn while no task runs is divided over the workers of these
/// classes, a worker of n cores as n of them; what the run adds is divided over the time in which they were busy.
/// Throws InputError where a class with workers has no counter, or no task of the run.
[[nodiscard]] Platform with_counted_watts(const Platform& platform, const CountedEnergy& counted);

}  // namespace heddle::partition
