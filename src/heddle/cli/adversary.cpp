#include "heddle/adversary/adversary.hpp"

#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/worst_case.hpp"
#include "heddle/io/instance_file.hpp"

namespace heddle::cli {

int adversary(const AdversaryOptions& options) {
  check_outputs({{"--output", options.output}}, options.json);
  keep_result();
  const AdversaryAnswer answer = find_adversary(options, is_interrupted);
  if (options.json) {
    print_json(json_adversary(answer));
  } else {
    print_text(adversary_text(answer, terminal_style()));
  }
  if (!options.output.empty()) write_output(options.output, io::write_instance(answer.found.instance));
  return 0;
}

}  // namespace heddle::cli
