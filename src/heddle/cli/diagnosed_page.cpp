#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cli/diagnosed_run.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/report/html_page.hpp"
#include "heddle/report/run_report.hpp"

namespace heddle::cli {
namespace {

report::RunReport run_report(const DiagnosedRun& diagnosed) {
  const judge::Diagnosis& diagnosis = diagnosed.diagnosis;
  report::RunReport page{.losses = &diagnosis.losses, .verdict = diagnosed.verdict()};
  page.loss = std::max(0.0, static_cast<double>(diagnosed.makespan()) - diagnosis.costs.area);
  for (const judge::CauseCost& cost : diagnosis.causes) {
    page.costs[static_cast<std::size_t>(cost.cause.value_or(analysis::Cause::kernel))] = cost.cost;
  }
  page.least_data = diagnosis.least_data;
  page.outliers = diagnosis.outliers;
  const report::TimeFormat time(diagnosed.makespan());
  const auto add_remark = [&](std::string remark) {
    if (!remark.empty()) page.remarks.push_back(std::move(remark));
  };
  add_remark(describe_peaks(diagnosis, diagnosed.instance().platform, time));
  if (!diagnosed.what_if) return page;
  add_remark(describe_leaving(*diagnosed.what_if, diagnosed.instance().platform));
  page.model = describe_model(*diagnosed.what_if, time);
  for (const judge::Change& change : diagnosed.what_if->changes) {
    page.changes.push_back({describe_change(change), change.makespan, change.gain});
  }
  page.not_reached = diagnosed.what_if->not_reached;
  return page;
}

report::ScheduleReport schedule_report(const DiagnosedRun& diagnosed, const report::RunReport& run_report) {
  std::vector<report::BoundLine> bounds = judge::bound_lines(diagnosed.bounds.kinds);
  const std::optional<judge::LinkedBound>& linked = diagnosed.bounds.linked;
  if (linked && linked->value > 0) bounds.push_back({linked->kind, linked->value});
  report::ScheduleReport page = report::summarize(diagnosed.instance(), diagnosed.run.schedule, std::move(bounds));
  page.platform = diagnosed.run.loaded.platform;
  page.run_report = &run_report;
  return page;
}

}  // namespace

std::string page_of(std::span<const DiagnosedRun> runs, const report::Origin& origin) {
  std::vector<report::RunReport> analyses;
  for (const DiagnosedRun& run : runs) analyses.push_back(run_report(run));
  std::vector<report::ScheduleReport> reports;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    reports.push_back(schedule_report(runs[i], analyses[i]));
    if (runs.size() > 1) reports[i].policy = runs[i].run.path;  // one policy may have decided both
  }
  return report::html_page(runs.front().instance().name, reports, {.origin = origin});
}

}  // namespace heddle::cli
