#include "heddle/io/plan_file.hpp"

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heddle/io/schedule_file.hpp"

namespace heddle::io {

struct PlanFile::Inside {
  std::string text;
  std::string source;
  bool is_read = false;
  std::vector<std::pair<std::string, Attempt>> attempts;  ///< by the name of the task, in the order of the file
};

PlanFile::PlanFile(std::string text, std::string source)
    : inside_(std::make_shared<Inside>(Inside{std::move(text), std::move(source), false, {}})) {}

Schedule PlanFile::operator()(const Instance& instance) const {
  if (!inside_->is_read) {
    for (const Attempt& attempt : read_plan(inside_->text, inside_->source, instance).attempts) {
      inside_->attempts.emplace_back(instance.graph.name(attempt.task), attempt);
    }
    inside_->is_read = true;
  }
  std::unordered_map<std::string_view, TaskId> tasks;
  for (const TaskId task : instance.graph.tasks()) tasks.emplace(instance.graph.name(task), task);
  Schedule plan;
  for (const auto& [name, attempt] : inside_->attempts) {
    const auto found = tasks.find(name);
    if (found == tasks.end()) continue;  // it has ended
    plan.attempts.push_back(attempt);
    plan.attempts.back().task = found->second;
  }
  return plan;
}

}  // namespace heddle::io
