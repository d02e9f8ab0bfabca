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

namespace {

/// What policies of contexts follow, each for the tasks of its own.
Schedule load_plans_of_contexts(const Instance& instance, const Reading& reading) {
  Schedule plan;
  for (const ContextId id : instance.contexts.all.ids()) {
    const Schedule own = load_plan(policy::Spec(instance.contexts.all[id].policy), instance, reading);
    for (const Attempt& attempt : own.attempts) {
      if (instance.contexts.of[attempt.task] == id) plan.attempts.push_back(attempt);
    }
  }
  return plan;
}

}  // namespace

Schedule load_plan(const policy::Spec& spec, const Instance& instance, const Reading& reading) {
  const bool is_of_contexts = spec.entry().needs(spec.options()).contexts && spec.objection(instance).empty();
  if (is_of_contexts) return load_plans_of_contexts(instance, reading);
  const std::function<Schedule(const Instance&)> plan = load_plan(spec, reading);
  return plan ? plan(instance) : Schedule();
}

}  // namespace heddle::files
