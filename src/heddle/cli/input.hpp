#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/cli/commands.hpp"
#include "heddle/files/files.hpp"
#include "heddle/host/present.hpp"
#include "heddle/model/contexts.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::cli {

/// What arguments name, as files.hpp reads it; warnings go to standard error. All of these throw Interrupted when the
/// user asks to stop while a pipe is silent.
namespace input {

[[nodiscard]] files::File read(const std::string& path, std::string_view format = {});
[[nodiscard]] files::LoadedMachine load_machine(const std::string& argument);
[[nodiscard]] files::LoadedInstance load_instance(const std::string& argument, const files::InstanceOptions& options);
[[nodiscard]] files::LoadedInstance load_instance(const files::File& file, const files::InstanceOptions& options,
                                                  const std::optional<files::File>& data = std::nullopt);
[[nodiscard]] policy::Spec load_policy(const std::string& argument);
[[nodiscard]] std::vector<policy::Spec> load_policies(const std::string& argument);
[[nodiscard]] std::vector<ContextRequest> load_contexts(const std::string& argument);
void assign_tasks(const TaskGraph& tasks, const std::string& argument, Contexts& contexts);
[[nodiscard]] Schedule load_plan(const policy::Spec& spec, const Instance& instance);
[[nodiscard]] std::function<Schedule(const Instance&)> load_plan(const policy::Spec& spec);
[[nodiscard]] std::function<Schedule(const Instance&)> load_plans(const std::vector<std::string>& policies);
[[nodiscard]] files::LoadedSchedule load_schedule(const std::string& path, const Instance& instance);
[[nodiscard]] std::vector<files::LoadedRun> load_runs(const std::vector<std::string>& arguments,
                                                      const files::InstanceOptions& options);

}  // namespace input

/// The policy of contexts that change by a rule while they run; empty: they do not.
[[nodiscard]] policy::Spec contexts_policy(const std::string& rule);

/// Throws InputError when the instance has no contexts to resize.
void check_resize(const std::string& rule, const files::LoadedInstance& loaded);

/// "2s", "500ms" or "2" (seconds), the value of an option; more than 0. Throws InputError that names the option.
[[nodiscard]] double parse_seconds(const std::string& option, const std::string& text);

/// What an --aborts argument names, which is one of "allowed", "hold-back" and "none".
[[nodiscard]] host::Aborts parse_aborts(const std::string& text);

/// One line on standard error.
void warn(const std::string& sentence);

}  // namespace heddle::cli
