#include <nlohmann/json.hpp>
#include <optional>

#include "heddle/cli/bound_answer.hpp"
#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"

namespace heddle::cli {

int bound(const BoundOptions& options) {
  std::optional<double> limit;
  if (!options.time.empty()) limit = parse_seconds("--time", options.time);
  const files::LoadedInstance loaded = input::load_instance(options.instance, options.input);
  const BoundAnswer answer = answer_bound(loaded, options.kind, limit, is_interrupted);
  check_interrupt();
  if (options.json) {
    print_json(json_bound(answer));
  } else {
    print_text(bound_text(answer, terminal_style()));
  }
  return 0;
}

}  // namespace heddle::cli
