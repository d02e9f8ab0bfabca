#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/files/files.hpp"
#include "heddle/model/contexts.hpp"

/// What InstanceOptions says of scheduling contexts, for engines whose tasks are known later.
namespace heddle::files {

/// The policy in "sockets:POLICY" or "sockets", which ask for one context per socket of this machine; nothing: the text
/// asks for other contexts.
[[nodiscard]] std::optional<std::string> socket_policy(const std::string& text);
/// Scheduling contexts as InstanceOptions spells them; empty: none. The options of their policies have the content of
/// files that they name.
[[nodiscard]] std::vector<ContextRequest> load_contexts(const std::string& text, const Reading& reading = {});
/// Puts tasks into contexts as InstanceOptions::assign says; the others stay where they are.
void assign_tasks(const TaskGraph& tasks, const std::string& assign, Contexts& contexts, const Reading& reading = {});
/// What the policies of contexts follow, each a schedule for its own tasks (load_plan); empty where none does.
[[nodiscard]] std::function<Schedule(const Instance&)> load_plans(const std::vector<std::string>& policies,
                                                                  const Reading& reading = {});

}  // namespace heddle::files
