#include "heddle/experiment/study.hpp"

#include <algorithm>

#include "heddle/experiment/study_table.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::experiment {

std::string Cell::key() const {
  std::string text = std::string(measure.name) + " " + workload + " on " + platform;
  if (!policy.empty()) text += " by " + policy;
  if (!noise.empty()) text += " under " + noise;
  return text + ", seed " + std::to_string(seed);
}

const Values& Results::of(const Cell& cell) const {
  const auto found = values_.find(cell.key());
  if (found == values_.end()) throw InternalError("the study reports on a cell it did not list: " + cell.key());
  return found->second;
}

double Results::value(const Cell& cell, std::string_view name) const {
  const Values& values = of(cell);
  const auto found = values.find(name);
  if (found == values.end()) throw InternalError("no value '" + std::string(name) + "' in the cell " + cell.key());
  return found->second;
}

std::span<const Study> studies() {
  static const std::vector<Study> table = [] {
    std::vector<Study> all = study_table();
    std::ranges::sort(all, {}, &Study::name);
    return all;
  }();
  return table;
}

const Study& find(std::string_view name) {
  const auto found = std::ranges::find(studies(), name, &Study::name);
  if (found != studies().end()) return *found;
  std::vector<std::string> possible;
  for (const Study& study : studies()) possible.push_back(study.name);
  throw InputError("there is no experiment '" + std::string(name) + "'" + suggest(std::string(name), possible));
}

report::StudyReport report_on(const Study& study, Scale scale, const Results& results) {
  report::StudyReport report = study.report(scale, results);
  report.name = study.name;
  report.summary = study.summary;
  report.publication = study.publication;
  report.grid = scale == Scale::full ? study.full : study.quick + " (--quick)";
  return report;
}

}  // namespace heddle::experiment
