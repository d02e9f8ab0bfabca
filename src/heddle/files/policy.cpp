#include <utility>

#include "heddle/files/source.hpp"
#include "heddle/io/plan_file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"

namespace heddle::files {
namespace {

constexpr std::string_view kSchedule = "heddle-schedule";

/// Splits at the commas between policies.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> policies;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = begin + setting_end(std::string_view(text).substr(begin));
    const std::string word = text.substr(begin, end - begin);
    // "key=value" goes on with the options of the policy before; a policy has a ':' in front of its first '='.
    const bool is_option = word.find('=') < word.find(':');
    if (word == "all") {
      for (const policy::Entry& entry : policy::entries()) policies.push_back(entry.name);
    } else if (is_option && !policies.empty()) {
      policies.back() += "," + word;
    } else {
      policies.push_back(word);
    }
    begin = end + 1;
  }
  return policies;
}

}  // namespace

policy::Spec load_policy(const std::string& text, const Reading& reading) {
  NamedSettings parsed = parse_spec("policy", text);
  for (Setting& setting : parsed.settings) {
    if (setting.value.starts_with('@')) setting.value = read(setting.value.substr(1), {}, reading).content;
  }
  return policy::Spec(text, parsed);
}

std::vector<policy::Spec> load_policies(const std::string& text, const Reading& reading) {
  std::vector<policy::Spec> specs;
  for (const std::string& one : split(text)) specs.push_back(load_policy(one, reading));
  return specs;
}

bool lacks_plan(const policy::Spec& spec) {
  return spec.entry().needs(spec.options()).plan && spec.options().text("file").empty();
}

std::function<Schedule(const Instance&)> load_plan(const policy::Spec& spec, const Reading& reading) {
  if (lacks_plan(spec)) {
    throw InputError("policy '" + spec.entry().name + "' follows a given schedule; say which: " + spec.entry().name +
                     ":file=SCHEDULE.json");
  }
  if (!spec.entry().needs(spec.options()).plan) return {};
  File file = read(spec.options().text("file"), kSchedule, reading);
  return io::PlanFile(std::move(file.content), std::move(file.path));
}

Schedule load_plan(const policy::Spec& spec, const Instance& instance, const Reading& reading) {
  const std::function<Schedule(const Instance&)> plan = load_plan(spec, reading);
  return plan ? plan(instance) : Schedule();
}

}  // namespace heddle::files
