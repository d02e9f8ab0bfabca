#include "heddle/facts/replay.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {
namespace {

nlohmann::ordered_json json_replayed(const facts::Replayed& replayed, const std::string& instance) {
  using Json = nlohmann::ordered_json;
  Json record = json_record(instance, "");
  record.update({{"epochs", replayed.epochs},
                 {"decisions", replayed.decisions},
                 {"difference", replayed.difference ? Json(*replayed.difference) : Json()}});
  return record;
}

}  // namespace

int replay(const ReplayOptions& options) {
  std::string instance_name;
  const auto make = [&](const std::string& logged, const facts::Origin& origin, const Instance& instance) {
    instance_name = instance.name;
    const std::string& name = options.policy.empty() ? logged : options.policy;
    return name.empty() ? facts::make_registered(name, origin, instance)
                        : facts::make_again(input::load_policy(name), origin, instance);
  };
  const std::string other = options.policy.empty() ? "" : input::load_policy(options.policy).text();
  const files::File log = input::read(options.log, "heddle-facts");
  const facts::Replayed replayed = [&] {
    Progress progress("replay", 1);
    const auto watch = [&](std::size_t done, std::size_t total) {
      check_interrupt();
      progress.show(static_cast<double>(done) / static_cast<double>(total), report::format_count(done, "event"));
    };
    return facts::replay(log.content, log.path, {.make = make, .other = other, .watch = watch});
  }();
  if (options.json) {
    print_json(json_replayed(replayed, instance_name));
  } else {
    fmt::print("{} in {}: {}\n", report::format_count(replayed.decisions, "decision"),
               report::format_count(replayed.epochs, "epoch"),
               replayed.difference ? "all the same until " + report::harmless(*replayed.difference) : "all the same");
  }
  return replayed.difference ? 1 : 0;
}

}  // namespace heddle::cli
