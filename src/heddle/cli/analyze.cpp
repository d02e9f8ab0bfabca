#include <fmt/format.h>

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

namespace heddle::cli {

int analyze(const AnalyzeOptions& options) {
  check_outputs({{"--html", options.html}}, options.json);
  const report::Origin origin = page_origin(options.html, options.command_line);
  if (options.what_if_time != "0") static_cast<void>(parse_seconds("--what-if-time", options.what_if_time));
  std::vector<files::LoadedRun> runs = input::load_runs(options.run, options.input);
  const bool is_one = runs.size() == 1;
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
  if (options.html.empty()) return 0;
  write_output(options.html, page_of(diagnosed, origin));
  if (!options.json && options.html != "-") fmt::print("\npage: {}\n", options.html);
  return 0;
}

}  // namespace heddle::cli
