#pragma once

#include <string>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::runtime {

/// What a runtime did, as the values that the simulator, the bounds and the reports know. The instance holds the tasks
/// that completed: each takes, on the class where it ran, as long as it did; on classes where tasks of its type ran,
/// now or in a run that the history knows, as these do as a rule; where attempts were only ever aborted, as long as the
/// longest of them; it cannot run on others, of which nothing is known. Links are as they were measured when the
/// runtime was made, or as their quickest transfer. Of tasks and of types with equal names, the
/// second is called "name#2".
struct Trace {
  Instance instance;
  Schedule schedule;
  std::vector<std::string> variants;  ///< by task, the name of the implementation that completed it
  std::string note{};                 ///< what the policy has to tell of its choices (policy::PolicyType); mostly empty
};

}  // namespace heddle::runtime
