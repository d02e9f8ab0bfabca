#include "heddle/model/time.hpp"
#include "heddle/policy/view.hpp"

namespace heddle::policy {
namespace {

/// Hosts may leave tasks without names.
std::string describe(TaskId task, const TaskGraph& graph) {
  if (index(task) >= graph.task_count()) return "task '?'";
  if (!graph.name(task).empty()) return "task '" + std::string(graph.name(task)) + "'";
  return "a task of type '" + std::string(graph.type_name(graph.type(task))) + "'";
}

}  // namespace

std::string describe_illegal(const Action& action, const View& view, const char* objection) {
  const bool placed = index(action.worker) < view.platform().worker_count();
  return "the policy asked for what cannot be done with " + describe(action.task, view.graph()) + " on worker '" +
         (placed ? view.platform().worker_name(action.worker) : "?") + "' at " + format_seconds(view.now()) +
         " s: " + objection;
}

}  // namespace heddle::policy
