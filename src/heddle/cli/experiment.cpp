#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/computed_study.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/study_page.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
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

}  // namespace

int experiment(const ExperimentOptions& options) {
  if (options.list) return list(options.json);
  if (options.name.empty()) throw InputError("which experiment? heddle experiment --list shows them");
  static_cast<void>(experiment::find(options.name));
  if (!options.journal.empty()) io::make_folder_of(options.journal);
  check_outputs({{"--html", options.html}, {"--csv", options.csv}, {"--journal", options.journal, false}},
                options.json);
  const report::Origin origin = page_origin(options.html, options.command_line);
  const ComputedStudy study = compute_study(options, is_interrupted);
  if (options.json) {
    print_json(json_study(study));
  } else {
    print_text(report::study_text(study.report, terminal_style()));
  }
  if (!options.csv.empty()) write_output(options.csv, csv_study(study));
  if (options.html.empty()) return 0;
  write_output(options.html, report::study_page(study.report, origin));
  if (!options.json && options.html != "-") fmt::print("page: {}\n", options.html);
  return 0;
}

}  // namespace heddle::cli
