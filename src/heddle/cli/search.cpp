#include <cstdio>
#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/search_run.hpp"

namespace heddle::cli {

int search(const SearchOptions& options) {
  check_outputs({{"--output", options.output}, {"--gantt", options.gantt}}, options.json);
  const report::Origin origin = page_origin(options.gantt, options.command_line);
  const SearchLimits limits = search_limits(options);
  const files::LoadedInstance loaded = input::load_instance(options.instance, options.input);
  keep_result();
  const FoundSchedule result = find_schedule(loaded, options, limits, is_interrupted);
  {
    const WaitForReader waiting;
    if (options.json) {
      print_json(json_search(result.found, result.judged));
    } else {
      print_text(search_text(result.found, result.judged, terminal_style()));
    }
    std::fflush(stdout);
  }
  write_files(result.judged, options.output, options.gantt, origin);
  return 0;
}

}  // namespace heddle::cli
