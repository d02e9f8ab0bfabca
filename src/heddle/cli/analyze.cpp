#include <fmt/format.h>

#include <array>
#include <list>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cli/analyzed_run.hpp"
#include "heddle/cli/commands.hpp"
#include "heddle/cli/diagnosed_run.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/wrap.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/paje.hpp"
#include "heddle/report/run_csv.hpp"
#include "heddle/report/trace_events.hpp"

namespace heddle::cli {
namespace {

/// A way to write a run for other programs.
struct Trace {
  const char* option;
  std::string AnalyzeOptions::* path;
  std::string (*write)(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses);
};
constexpr std::array kTraces{Trace{"--perfetto", &AnalyzeOptions::perfetto, report::trace_events},
                             Trace{"--paje", &AnalyzeOptions::paje, report::paje_trace},
                             Trace{"--csv", &AnalyzeOptions::csv, report::run_csv}};

void expect_no_traces(const AnalyzeOptions& options) {
  for (const Trace& trace : kTraces) {
    if (!(options.*trace.path).empty()) throw InputError(std::string(trace.option) + " writes one run; found two");
  }
}

void write_traces(const AnalyzeOptions& options, const DiagnosedRun& diagnosed) {
  for (const Trace& trace : kTraces) {
    const std::string& path = options.*trace.path;
    if (path.empty()) continue;
    write_output(path, trace.write(diagnosed.instance(), diagnosed.run.schedule, diagnosed.diagnosis.losses));
    if (!options.json && path != "-") fmt::print("\n{}: {}\n", trace.option + 2, path);
  }
}

}  // namespace

int analyze(const AnalyzeOptions& options) {
  check_outputs(
      {{"--html", options.html}, {"--perfetto", options.perfetto}, {"--paje", options.paje}, {"--csv", options.csv}},
      options.json);
  const report::Origin origin = page_origin(options.html, options.command_line);
  if (options.what_if_time != "0") static_cast<void>(parse_seconds("--what-if-time", options.what_if_time));
  std::vector<files::LoadedRun> runs = input::load_runs(options.run, options.input);
  const bool is_one = runs.size() == 1;
  if (!is_one) expect_no_traces(options);
  std::list<AnalyzedRun> analyses;
  std::vector<DiagnosedRun> diagnosed;
  for (files::LoadedRun& run : runs) {
    diagnosed.push_back(analyses.emplace_back(std::move(run), options, is_one, is_interrupted).diagnosed());
  }
  if (options.json) {
    print_json(is_one ? json_diagnosed(diagnosed[0]) : json_difference(diagnosed[0], diagnosed[1]));
  } else if (is_one) {
    print_text(diagnosed_text(diagnosed[0], terminal_style(), text_width()));
  } else {
    print_difference(diagnosed[0], diagnosed[1]);
  }
  if (is_one) write_traces(options, diagnosed[0]);
  if (options.html.empty()) return 0;
  write_output(options.html, page_of(diagnosed, origin));
  if (!options.json && options.html != "-") fmt::print("\npage: {}\n", options.html);
  return 0;
}

}  // namespace heddle::cli
