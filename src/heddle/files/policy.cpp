#include <algorithm>
#include <utility>

#include "heddle/files/contexts.hpp"
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

/// The policy's name and options, with the text of the files that they name.
NamedSettings read_settings(const std::string& text, const Reading& reading) {
  NamedSettings parsed = parse_spec("policy", text);
  for (Setting& setting : parsed.settings) {
    if (setting.value.starts_with('@')) setting.value = read(setting.value.substr(1), {}, reading).content;
  }
  return parsed;
}

/// In double quotes, those in it doubled.
std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char letter : value) text += letter == '"' ? std::string(2, letter) : std::string(1, letter);
  return text + '"';
}

}  // namespace

policy::Spec load_policy(const std::string& text, const Reading& reading) {
  return policy::Spec(text, read_settings(text, reading));
}

std::string with_files_inside(const std::string& policy, const Reading& reading) {
  if (policy.find('@') == std::string::npos) return policy;
  const NamedSettings parsed = read_settings(policy, reading);
  std::string text = parsed.name;
  for (const Setting& setting : parsed.settings) {
    text += (&setting == parsed.settings.data() ? ":" : ",") + setting.key + "=" + quoted(setting.value);
  }
  return text;
}

std::vector<policy::Spec> load_policies(const std::string& text, const Reading& reading) {
  std::vector<policy::Spec> specs;
  for (const std::string& one : split(text)) specs.push_back(load_policy(one, reading));
  return specs;
}

bool lacks_plan(const policy::Spec& spec) {
  return spec.needs().plan && spec.options().text("file").empty();
}

std::function<Schedule(const Instance&)> load_plan(const policy::Spec& spec, const Reading& reading) {
  if (lacks_plan(spec)) {
    throw InputError("policy '" + spec.entry().name + "' follows a given schedule; say which: " + spec.entry().name +
                     ":file=SCHEDULE.json");
  }
  if (!spec.needs().plan) return {};
  File file = read(spec.options().text("file"), kSchedule, reading);
  return io::PlanFile(std::move(file.content), std::move(file.path));
}

std::function<Schedule(const Instance&)> load_plans(const std::vector<std::string>& policies, const Reading& reading) {
  std::vector<std::function<Schedule(const Instance&)>> plans;
  for (const std::string& policy : policies) plans.push_back(load_plan(policy::Spec(policy), reading));
  const auto is_plan = [](const auto& plan) { return plan != nullptr; };
  if (std::ranges::none_of(plans, is_plan)) return {};
  return [plans = std::move(plans)](const Instance& instance) {
    Schedule all;
    for (const ContextId id : instance.contexts.all.ids()) {
      if (!plans[index(id)]) continue;
      for (const Attempt& attempt : plans[index(id)](instance).attempts) {
        if (instance.contexts.of[attempt.task] == id) all.attempts.push_back(attempt);
      }
    }
    return all;
  };
}

Schedule load_plan(const policy::Spec& spec, const Instance& instance, const Reading& reading) {
  const bool is_of_contexts = spec.needs().contexts && spec.objection(instance).empty();
  std::vector<std::string> policies;
  for (const Context& context : instance.contexts.all) policies.push_back(context.policy);
  const auto plan = is_of_contexts ? load_plans(policies, reading) : load_plan(spec, reading);
  return plan ? plan(instance) : Schedule();
}

}  // namespace heddle::files
