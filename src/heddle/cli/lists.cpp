#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/report/text_table.hpp"
#include "heddle/workload/workload.hpp"

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
    for (const std::string& value : option.choices) {
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

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void print_options(const std::vector<Option>& options) {
  for (const Option& option : options) {
    fmt::print("    {}={}", option.name, describe_values(option));
    if (!option.fallback.empty()) fmt::print(" (default {})", option.fallback);
    fmt::print("\n        {}\n", option.meaning);
  }
}

Json options_json(const std::vector<Option>& options) {
  Json list = Json::array();
  for (const Option& option : options) {
    list.push_back({{"name", option.name},
                    {"values", describe_values(option)},
                    {"default", option.fallback},
                    {"meaning", option.meaning}});
  }
  return list;
}

/// The kernels of a machine by tile and precision: "960 double" -> GEMM, POTRF, ...
std::map<std::string, std::set<std::string>> kernels_of(const Machine& machine) {
  std::map<std::string, std::set<std::string>> kernels;
  for (const KernelTiming& timing : machine.kernels) {
    if (!timing.kernel.empty()) kernels[timing.precision + " " + std::to_string(timing.tile)].insert(timing.kernel);
  }
  return kernels;
}

}  // namespace

int list_policies(const ListOptions& options) {
  if (options.json) {
    Json list = Json::array();
    for (const policy::Entry& entry : policy::entries()) {
      list.push_back({{"name", entry.name},
                      {"summary", entry.summary},
                      {"options", options_json(entry.options)},
                      {"needs", needs_of(entry)},
                      {"publication", entry.publication}});
    }
    print_json(list);
    return 0;
  }
  for (const policy::Entry& entry : policy::entries()) {
    fmt::print("{}\n    {}\n    published: {}\n", entry.name, entry.summary, entry.publication);
    const std::vector<std::string> needs = needs_of(entry);
    if (!needs.empty()) fmt::print("    needs: {}\n", join(needs));
    print_options(entry.options);
    fmt::print("\n");
  }
  return 0;
}

int list_platforms(const ListOptions& options) {
  Json list = Json::array();
  for (const platforms::Entry& entry : platforms::entries()) {
    const Machine machine = platforms::resolve(entry.name);
    const auto kernels = kernels_of(machine);
    if (!options.json) {
      fmt::print("{} ({})\n    {}\n", entry.name, describe_workers(Platform(machine.classes)), entry.summary);
      for (const auto& [size, names] : kernels) {
        fmt::print("    {}: {}\n", size, join({names.begin(), names.end()}));
      }
      fmt::print("\n");
      continue;
    }
    Json classes = Json::array();
    for (const ResourceClass& c : machine.classes) classes.push_back({{"name", c.name}, {"workers", c.workers}});
    list.push_back({{"name", entry.name}, {"summary", entry.summary}, {"classes", classes}, {"kernels", kernels}});
  }
  if (options.json) print_json(list);
  return 0;
}

int list_workloads(const ListOptions& options) {
  Json list = Json::array();
  for (const workload::Entry& entry : workload::entries()) {
    if (options.json) {
      list.push_back({{"name", entry.name}, {"summary", entry.summary}, {"options", options_json(entry.options)}});
      continue;
    }
    fmt::print("{}\n    {}\n", entry.name, entry.summary);
    print_options(entry.options);
    fmt::print("\n");
  }
  if (options.json) print_json(list);
  return 0;
}

}  // namespace heddle::cli
