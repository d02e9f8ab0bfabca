#pragma once

#include <string>

#include "heddle/model/time.hpp"
#include "heddle/starpu/recorder.hpp"

namespace heddle::starpu {

/// What a run was worth, in a sentence: tasks, makespan, its ratio to the best lower bound that is quick to compute,
/// and for how long decisions were waited for.
[[nodiscard]] std::string summary(const Recorder::Record& record, Time deciding);

}  // namespace heddle::starpu
