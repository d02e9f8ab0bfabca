#include "heddle/cli/describe/values.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "heddle/bounds/bounds.hpp"
#include "heddle/cli/command_table.hpp"
#include "heddle/cli/real_workload.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/io/detect.hpp"
#include "heddle/model/error.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::cli {
namespace {

void add_settings(Values& values, const std::string& name, const std::vector<Option>& options) {
  for (const Option& option : options) {
    const std::string key = name + ":" + option.name + "=";
    std::vector<std::string> choices = option.choices;
    if (option.kind == Option::Kind::flag) choices = {"true", "false"};
    if (choices.empty()) choices = {""};
    for (const std::string& choice : choices) values.settings.push_back(key + choice);
  }
}

/// Of policies and workloads.
template <class Entries>
Values from(const Entries& entries) {
  Values values;
  for (const auto& entry : entries) {
    values.names.emplace_back(entry.name);
    add_settings(values, entry.name, entry.options);
  }
  return values;
}

Values policies() {
  return from(policy::entries());
}

Values policy_list() {
  Values values = policies();
  values.names.emplace_back("all");
  values.are_listed = true;
  return values;
}

Values platforms_and_files() {
  Values values;
  for (const platforms::Entry& entry : platforms::entries()) {
    const std::string name(entry.name);
    const Machine machine = platforms::builtin(name);
    values.names.push_back(name);
    for (const ResourceClass& c : machine.classes) values.settings.push_back(name + ":" + c.name + "=");
    if (!machine.links.empty()) values.settings.push_back(name + ":links=measured");
  }
  values.names.emplace_back("counts:");
  values.are_files = true;
  return values;
}

Values instances() {
  Values values = from(workload::entries());
  values.are_files = true;
  return values;
}

Values kinds() {
  Values values{{"default", "all", "none"}, {}};
  for (const bounds::Kind kind : bounds::kAllKinds) values.names.emplace_back(bounds::to_string(kind));
  return values;
}

Values studies() {
  Values values;
  for (const experiment::Study& study : experiment::studies()) values.names.push_back(study.name);
  return values;
}

Values commands(const CLI::App& program) {
  Values values{command_names(program), {}};
  values.names.emplace_back("glossary");
  return values;
}

Values split(const std::string& type) {
  Values values;
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    values.names.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return values;
}

}  // namespace

Values values_of(const std::string& type, const CLI::App& program) {
  static const std::set<std::string> file_types{"FILE", "SCHEDULE", "FACTS", "HINTS|FILE"};
  static const std::set<std::string> open_types{"N",    "N,...",    "DURATION", "HINTS",
                                                "JOBS", "MACHINES", "PERCENT",  "SHARE"};
  const std::map<std::string, std::function<Values()>> known{
      {"COMMAND", [&] { return commands(program); }},
      {"INSTANCE", instances},
      {"RUN", instances},
      {"WORKLOAD", [] { return from(workload::entries()); }},
      {"REAL-WORKLOAD", [] { return from(real_workloads()); }},
      {"PLATFORM", platforms_and_files},
      {"IN", platforms_and_files},
      {"POLICY", policies},
      {"POLICY,...", policy_list},
      {"KIND", kinds},
      {"STUDY", studies},
      {"FORMAT", [] { return Values{io::format_names(), {}}; }},
      {"NOISE", [] { return Values{{"uniform:", "lognormal:"}, {}}; }},
      {"CANDIDATES", [] { return Values{{"all", "gazolla-2017", "joint"}, {}, true}; }},
      {"WORKERS", [] { return Values{{"auto", "cpu=", "opencl=", "cuda="}, {}, false, true}; }},
  };
  if (file_types.contains(type)) return {{}, {}, true};
  if (open_types.contains(type)) return {};
  if (const auto found = known.find(type); found != known.end()) return found->second();
  if (type.find('|') != std::string::npos) return split(type);
  throw InternalError("completion does not know the type '" + type + "' of an argument");
}

}  // namespace heddle::cli
