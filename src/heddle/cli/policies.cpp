#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/option_list.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;

/// What a policy needs whatever its options, and what only some of them do: "abort", "lookahead (order=best)".
std::vector<std::string> needs_of(const policy::Entry& entry) {
  const auto list = [](const policy::Needs& needs) {
    std::vector<std::string> names;
    if (needs.whole_graph) names.emplace_back("whole-graph");
    if (needs.abort) names.emplace_back("abort");
    if (needs.two_classes) names.emplace_back("two-classes");
    if (needs.lookahead) names.emplace_back("lookahead");
    if (needs.plan) names.emplace_back("plan");
    return names;
  };
  std::vector<std::string> names = list(entry.needs(Options(entry.name, entry.options)));
  for (const Option& option : entry.options) {
    std::vector<std::string> values = option.choices;
    if (option.kind == Option::Kind::flag) values = {"true", "false"};
    for (const std::string& value : values) {
      const Options options(entry.name, entry.options, std::vector<Setting>{{option.name, value}});
      for (const std::string& need : list(entry.needs(options))) {
        const std::string conditional = need + " (" + option.name + "=" + value + ")";
        const bool known = std::ranges::find(names, need) != names.end();
        if (!known && std::ranges::find(names, conditional) == names.end()) names.push_back(conditional);
      }
    }
  }
  return names;
}

void print_json_list() {
  Json list = Json::array();
  for (const policy::Entry& entry : policy::entries()) {
    list.push_back({{"name", entry.name},
                    {"summary", entry.summary},
                    {"options", options_json(entry.options)},
                    {"needs", needs_of(entry)},
                    {"publication", entry.publication},
                    {"complexity", entry.complexity}});
  }
  print_json(list);
}

void print_list() {
  for (const policy::Entry& entry : policy::entries()) {
    fmt::print("{}\n    {}\n    published: {}\n    time: {}\n", entry.name, entry.summary, entry.publication,
               entry.complexity);
    const std::vector<std::string> needs = needs_of(entry);
    if (!needs.empty()) fmt::print("    needs: {}\n", join(needs));
    print_options(entry.options);
    fmt::print("\n");
  }
}

/// In a table cell.
std::string escaped(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

/// docs/policies.md.
void print_page() {
  fmt::print(
      "# Policies\n\n"
      "`heddle policies --markdown` prints this page from the registry of policies.\n\n"
      "*Needs* lists what a policy requires: `whole-graph`, all tasks known before the run starts; `abort`, running "
      "tasks can be aborted; `two-classes`, exactly two classes of workers; `lookahead`, the host can simulate a "
      "clone; "
      "`plan`, a schedule to follow. `need (option=value)` means that only this value requires it. For `rank=avg`, the "
      "numbers of workers that can run the tasks of a type must have a common multiple below 2^63; for `cpop`, and "
      "with "
      "links, below 2^44.\n\n"
      "In *Time*, n is the number of tasks, e of dependencies, w of workers, c of classes, and r of ready tasks.\n");
  for (const policy::Entry& entry : policy::entries()) {
    const std::vector<std::string> needs = needs_of(entry);
    fmt::print("\n## {}\n\n{}.\n\n- *Source*: {}\n- *Time*: {}\n- *Needs*: {}\n", entry.name, entry.summary,
               entry.publication, entry.complexity, needs.empty() ? "nothing" : join(needs));
    if (entry.options.empty()) continue;
    fmt::print("\n| option | values | default | meaning |\n|---|---|---|---|\n");
    for (const Option& option : entry.options) {
      fmt::print("| `{}` | {} | {} | {} |\n", option.name, escaped(describe_values(option)), escaped(option.fallback),
                 escaped(option.meaning));
    }
  }
}

}  // namespace

int list_policies(const PolicyListOptions& options) {
  if (options.json) {
    print_json_list();
  } else if (options.markdown) {
    print_page();
  } else {
    print_list();
  }
  return 0;
}

}  // namespace heddle::cli
