#include "heddle/cli/computed_study.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/experiment/journal.hpp"
#include "heddle/experiment/runner.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/report/csv.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using experiment::Cell;
using experiment::Results;
using experiment::Scale;
using experiment::Study;

Json json_table(const report::StudyTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i].title] = row[i];
    rows.push_back(std::move(object));
  }
  return {{"title", table.title}, {"rows", std::move(rows)}};
}

std::size_t thread_count(const ExperimentOptions& options, const Study& study) {
  if (study.timed) return 1;
  return options.threads > 0 ? options.threads : core_count();
}

Results compute(const Study& study, const std::vector<Cell>& cells, const ExperimentOptions& options,
                const std::function<bool()>& stop) {
  const std::string path = options.journal.empty() ? experiment::default_journal_path(study.name) : options.journal;
  experiment::Journal journal(path, study.name, fmt::format("{} of heddle {}", study.version, HEDDLE_VERSION),
                              options.fresh);
  Progress progress(study.name, cells.size());
  return experiment::compute(cells, {.threads = thread_count(options, study),
                                     .journal = &journal,
                                     .progress = [&](std::size_t done, std::size_t known) {
                                       progress.update(done, known);
                                       if (stop()) throw Interrupted();
                                     }});
}

}  // namespace

ComputedStudy compute_study(const ExperimentOptions& options, const std::function<bool()>& stop) {
  const Study& study = experiment::find(options.name);
  if (!options.journal.empty()) io::make_folder_of(options.journal);
  const Scale scale = options.quick ? Scale::quick : Scale::full;
  std::vector<Cell> cells = study.cells(scale);
  Results results = compute(study, cells, options, stop);
  report::StudyReport report = experiment::report_on(study, scale, results);
  return {std::move(cells), std::move(results), std::move(report)};
}

Json json_study(const ComputedStudy& study) {
  const auto& [cells, results, report] = study;
  Json claims = Json::array();
  for (const report::Claim& claim : report.claims) {
    claims.push_back({{"source", claim.source},
                      {"published", claim.published},
                      {"criterion", claim.criterion},
                      {"found", claim.found},
                      {"holds", claim.holds}});
  }
  Json tables = Json::array();
  for (const report::StudyTable& table : report.tables) tables.push_back(json_table(table));
  Json found = Json::array();
  for (const Cell& cell : cells) {
    found.push_back({{"measure", cell.measure.name},
                     {"workload", cell.workload},
                     {"platform", cell.platform},
                     {"policy", cell.policy},
                     {"noise", cell.noise},
                     {"seed", cell.seed},
                     {"values", results.of(cell)}});
  }
  return {{"experiment", report.name},         {"version", HEDDLE_VERSION},   {"summary", report.summary},
          {"publication", report.publication}, {"grid", report.grid},         {"remark", report.remark},
          {"claims", std::move(claims)},       {"tables", std::move(tables)}, {"cells", std::move(found)}};
}

std::string csv_study(const ComputedStudy& study) {
  std::string text = report::csv_row(
      std::vector<std::string>{"measure", "workload", "platform", "policy", "noise", "seed", "value", "number"});
  for (const Cell& cell : study.cells) {
    for (const auto& [name, value] : study.results.of(cell)) {
      text += report::csv_row(std::vector<std::string>{std::string(cell.measure.name), cell.workload, cell.platform,
                                                       cell.policy, cell.noise, std::to_string(cell.seed), name,
                                                       fmt::format("{}", value)});
    }
  }
  return text;
}

}  // namespace heddle::cli
