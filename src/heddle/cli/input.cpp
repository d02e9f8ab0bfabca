#include "heddle/cli/input.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "heddle/cli/auto_contexts.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/files/contexts.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

void warn(const std::string& sentence) {
  fmt::print(stderr, "heddle: warning: {}\n", report::harmless(sentence));
}

namespace input {
namespace {

/// read(how to read), which may have to wait for a pipe.
template <class Read>
auto interruptibly(Read&& read) {
  static const files::Reading reading{.stop = is_interrupted, .warn = warn};
  try {
    auto found = read(reading);
    check_interrupt();
    return found;
  } catch (const InputError&) {
    if (is_interrupted()) throw Interrupted();
    throw;
  }
}

/// Those that `--contexts auto` chooses, or those that the options name.
template <class Load>
files::LoadedInstance in_contexts(files::InstanceOptions options, Load&& load) {
  if (options.contexts != kAuto) return load(options);
  if (!options.assign.empty())
    throw InputError("--assign is '" + options.assign + "', but --contexts auto says which tasks go where");
  options.contexts.clear();
  files::LoadedInstance loaded = load(options);
  loaded.instance = with_auto_contexts(std::move(loaded.instance), 1);
  return loaded;
}

}  // namespace

files::File read(const std::string& path, std::string_view format) {
  return interruptibly([&](const files::Reading& reading) { return files::read(path, format, reading); });
}

files::LoadedMachine load_machine(const std::string& argument) {
  return interruptibly([&](const files::Reading& reading) { return files::load_machine(argument, reading); });
}

files::LoadedInstance load_instance(const std::string& argument, const files::InstanceOptions& options) {
  return in_contexts(options, [&](const files::InstanceOptions& how) {
    return interruptibly([&](const files::Reading& reading) { return files::load_instance(argument, how, reading); });
  });
}

files::LoadedInstance load_instance(const files::File& file, const files::InstanceOptions& options,
                                    const std::optional<files::File>& data) {
  return in_contexts(options, [&](const files::InstanceOptions& how) {
    return interruptibly([&](const files::Reading& reading) { return files::load_instance(file, how, data, reading); });
  });
}

policy::Spec load_policy(const std::string& argument) {
  return interruptibly([&](const files::Reading& reading) { return files::load_policy(argument, reading); });
}

std::vector<policy::Spec> load_policies(const std::string& argument) {
  return interruptibly([&](const files::Reading& reading) { return files::load_policies(argument, reading); });
}

Schedule load_plan(const policy::Spec& spec, const Instance& instance) {
  return interruptibly([&](const files::Reading& reading) { return files::load_plan(spec, instance, reading); });
}

std::function<Schedule(const Instance&)> load_plan(const policy::Spec& spec) {
  return interruptibly([&](const files::Reading& reading) { return files::load_plan(spec, reading); });
}

std::function<Schedule(const Instance&)> load_plans(const std::vector<std::string>& policies) {
  return interruptibly([&](const files::Reading& reading) { return files::load_plans(policies, reading); });
}

std::vector<ContextRequest> load_contexts(const std::string& argument) {
  return interruptibly([&](const files::Reading& reading) { return files::load_contexts(argument, reading); });
}

void assign_tasks(const TaskGraph& tasks, const std::string& argument, Contexts& contexts) {
  interruptibly([&](const files::Reading& reading) {
    files::assign_tasks(tasks, argument, contexts, reading);
    return true;
  });
}

files::LoadedSchedule load_schedule(const std::string& path, const Instance& instance) {
  return interruptibly([&](const files::Reading& reading) { return files::load_schedule(path, instance, reading); });
}

std::vector<files::LoadedRun> load_runs(const std::vector<std::string>& arguments,
                                        const files::InstanceOptions& options) {
  return interruptibly([&](const files::Reading& reading) { return files::load_runs(arguments, options, reading); });
}

}  // namespace input

policy::Spec contexts_policy(const std::string& rule) {
  return policy::Spec(rule.empty() ? "contexts" : "contexts:resize=" + rule);
}

void check_resize(const std::string& rule, const files::LoadedInstance& loaded) {
  if (!loaded.instance.contexts.empty()) return;
  throw InputError("--resize is '" + rule + "', but instance '" + loaded.instance.name +
                   "' has no contexts: --contexts says which");
}

double parse_seconds(const std::string& option, const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(end, text.data() + text.size());
  const bool known = unit.empty() || unit == "s" || unit == "ms";
  if (error != std::errc() || !known || !(value > 0)) {
    throw InputError(option + " is '" + text + "'; expected a duration such as 2s or 500ms");
  }
  return unit == "ms" ? value / 1000 : value;
}

host::Aborts parse_aborts(const std::string& text) {
  if (text == "hold-back") return host::Aborts::hold_back;
  return text == "none" ? host::Aborts::none : host::Aborts::allowed;
}

}  // namespace heddle::cli
