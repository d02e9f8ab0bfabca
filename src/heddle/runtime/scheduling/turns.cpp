#include "heddle/runtime/scheduling/turns.hpp"

namespace heddle::runtime {

Block* Turns::acquire(Node& node) {
  for (const BlockAccess& access : node.uses()) {
    if (access.mode == AccessMode::commute && access.block->taken) return access.block;
  }
  for (const BlockAccess& access : node.uses()) {
    if (access.mode == AccessMode::commute) access.block->taken = true;
  }
  node.holds = true;
  return nullptr;
}

bool Turns::stands_in_line(Node& node) {
  if (node.holds) return false;
  Block* const taken = acquire(node);
  if (taken != nullptr) lines_[taken].insert(node.task);
  return taken != nullptr;
}

void Turns::let_go_of_all(Node& node) {
  node.holds = false;
  for (const BlockAccess& access : node.uses()) {
    if (access.mode != AccessMode::commute) continue;
    access.block->taken = false;
    if (lines_.contains(access.block)) free_.push_back(access.block);
  }
}

std::optional<TaskId> Turns::find_next() {
  while (!free_.empty()) {
    const auto line = lines_.find(free_.back());
    if (line == lines_.end() || line->first->taken) {
      free_.pop_back();
      continue;
    }
    const TaskId first = *line->second.begin();
    line->second.erase(line->second.begin());
    if (line->second.empty()) lines_.erase(line);
    return first;
  }
  return std::nullopt;
}

}  // namespace heddle::runtime
