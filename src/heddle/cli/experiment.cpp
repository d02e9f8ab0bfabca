#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/experiment/journal.hpp"
#include "heddle/experiment/runner.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/report/csv.hpp"
#include "heddle/report/study_page.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using experiment::Cell;
using experiment::Results;
using experiment::Scale;
using experiment::Study;

int list(bool json) {
  if (json) {
    Json document = Json::array();
    for (const Study& study : experiment::studies()) {
      document.push_back({{"name", study.name},
                          {"summary", study.summary},
                          {"publication", study.publication},
                          {"full", {{"grid", study.full}, {"cells", study.cells(Scale::full).size()}}},
                          {"quick", {{"grid", study.quick}, {"cells", study.cells(Scale::quick).size()}}}});
    }
    print_json(document);
    return 0;
  }
  for (const Study& study : experiment::studies()) {
    fmt::print("{}\n    {}\n    published: {}\n    full: {} ({} cells)\n    --quick: {} ({} cells)\n\n", study.name,
               study.summary, study.publication, study.full, study.cells(Scale::full).size(), study.quick,
               study.cells(Scale::quick).size());
  }
  return 0;
}

/// A line per value of a cell.
std::string to_csv(const std::vector<Cell>& cells, const Results& results) {
  std::string text = report::csv_row(
      std::vector<std::string>{"measure", "workload", "platform", "policy", "noise", "seed", "value", "number"});
  for (const Cell& cell : cells) {
    for (const auto& [name, value] : results.of(cell)) {
      text += report::csv_row(std::vector<std::string>{std::string(cell.measure.name), cell.workload, cell.platform,
                                                       cell.policy, cell.noise, std::to_string(cell.seed), name,
                                                       fmt::format("{}", value)});
    }
  }
  return text;
}

Json json_table(const report::StudyTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i].title] = row[i];
    rows.push_back(std::move(object));
  }
  return {{"title", table.title}, {"rows", std::move(rows)}};
}

Json to_json(const report::StudyReport& report, const std::vector<Cell>& cells, const Results& results) {
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

std::size_t thread_count(const ExperimentOptions& options, const Study& study) {
  if (study.timed) return 1;
  return options.threads > 0 ? options.threads : core_count();
}

Results compute(const Study& study, const std::vector<Cell>& cells, const ExperimentOptions& options) {
  const std::string path = options.journal.empty() ? experiment::default_journal_path(study.name) : options.journal;
  experiment::Journal journal(path, study.name, fmt::format("{} of heddle {}", study.version, HEDDLE_VERSION),
                              options.fresh);
  Progress progress(study.name, cells.size());
  return experiment::compute(cells,
                             {.threads = thread_count(options, study),
                              .journal = &journal,
                              .progress = [&](std::size_t done, std::size_t known) { progress.update(done, known); }});
}

}  // namespace

int experiment(const ExperimentOptions& options) {
  if (options.list) return list(options.json);
  if (options.name.empty()) throw InputError("which experiment? heddle experiment --list shows them");
  const Study& study = experiment::find(options.name);
  if (!options.journal.empty()) io::make_folder_of(options.journal);
  check_outputs({{"--html", options.html}, {"--csv", options.csv}, {"--journal", options.journal, false}},
                options.json);
  const report::Origin origin = page_origin(options.html, options.command_line);
  const Scale scale = options.quick ? Scale::quick : Scale::full;
  const std::vector<Cell> cells = study.cells(scale);
  const Results results = compute(study, cells, options);
  const report::StudyReport report = experiment::report_on(study, scale, results);
  if (options.json) {
    print_json(to_json(report, cells, results));
  } else {
    fmt::print("{}", report::study_text(report, terminal_style()));
  }
  if (!options.csv.empty()) write_output(options.csv, to_csv(cells, results));
  if (options.html.empty()) return 0;
  write_output(options.html, report::study_page(report, origin));
  if (!options.json && options.html != "-") fmt::print("page: {}\n", options.html);
  return 0;
}

}  // namespace heddle::cli
