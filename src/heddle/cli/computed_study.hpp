#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "heddle/cli/commands.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/report/study_page.hpp"

namespace heddle::cli {

/// A study that was computed.
struct ComputedStudy {
  std::vector<experiment::Cell> cells;
  experiment::Results results;
  report::StudyReport report;
};

/// Computes what the study's journal does not know yet, on so many threads as the options say. `stop`: asked often;
/// when it says so, Interrupted is thrown. Throws InputError when there is no such study.
[[nodiscard]] ComputedStudy compute_study(const ExperimentOptions& options, const std::function<bool()>& stop);
/// The answer of `experiment --json`.
[[nodiscard]] nlohmann::ordered_json json_study(const ComputedStudy& study);
/// A line per value of a cell.
[[nodiscard]] std::string csv_study(const ComputedStudy& study);

}  // namespace heddle::cli
