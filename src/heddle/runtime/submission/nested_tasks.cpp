#include "heddle/runtime/submission/nested_tasks.hpp"

#include <algorithm>

namespace heddle::runtime {

void NestedTasks::choose(const std::deque<Node*>& taken, std::vector<Node*>& tasks) {
  const std::size_t known = tasks.size();
  for (Node* node : taken) node->nested ? hold_back(*node) : tasks.push_back(node);
  // Some, however many are known: these may be for other workers than those that have nothing to do.
  const std::size_t least = std::max<std::size_t>(most_ / 8, 1);
  for (std::size_t room = std::max(most_ - std::min(most_, known), least); room > 0 && !held_back_.empty();
       held_back_.pop_back()) {
    const Ref newest = held_back_.back();
    if (is_held_back(newest)) let_go(*newest.node, tasks), --room;
  }
  for (std::size_t i = known; i < tasks.size(); ++i) {
    for (const Ref& before : tasks[i]->after()) {
      if (is_held_back(before)) let_go(*before.node, tasks);
    }
  }
  const auto number = [](const Node* node) { return node->sequence.load(std::memory_order_relaxed); };
  std::ranges::sort(tasks.begin() + static_cast<std::ptrdiff_t>(known), tasks.end(), {}, number);
  // Those that others waited for were taken from among the others.
  if (held_back_.size() > 2 * count() + most_)
    std::erase_if(held_back_, [](const Ref& task) { return !is_held_back(task); });
}

void NestedTasks::hold_back(Node& node) {
  node.held_back = true;
  held_back_.push_back({&node, node.sequence.load(std::memory_order_relaxed)});
  ++count_;
}

void NestedTasks::let_go(Node& node, std::vector<Node*>& tasks) {
  node.held_back = false;
  tasks.push_back(&node);
  --count_;
}

}  // namespace heddle::runtime
