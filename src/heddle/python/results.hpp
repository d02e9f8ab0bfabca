#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "heddle/cli/analyzed_run.hpp"
#include "heddle/cli/bound_answer.hpp"
#include "heddle/cli/search_run.hpp"
#include "heddle/files/files.hpp"
#include "heddle/judge/judge.hpp"

namespace heddle::python {

/// An instance, which all that is computed from it keeps alive.
using SharedInstance = std::shared_ptr<const files::LoadedInstance>;

/// A schedule and what it is worth.
struct JudgedSchedule {
  SharedInstance instance;
  judge::Judged judged;
  std::optional<cli::Found> found = std::nullopt;  ///< how a search found it
  bool measured = false;                           ///< it happened, so attempts last as long as they did
};

struct AnsweredBound {
  SharedInstance instance;
  cli::BoundAnswer answer;
};

/// A run that was analyzed.
struct Analysis {
  std::unique_ptr<cli::AnalyzedRun> run;
};

struct Validation {
  SharedInstance instance;
  Schedule schedule;
  std::vector<std::string> violations;
};

}  // namespace heddle::python
