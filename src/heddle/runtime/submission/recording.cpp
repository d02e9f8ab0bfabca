#include "heddle/runtime/submission/recording.hpp"

namespace heddle::runtime {

void Recording::settle_arguments() {
  const auto settles = [](const Node* node) { return !node->reduces && !node->type->combines; };
  std::size_t count = 0;
  for (const Node* node : nodes_) count += settles(node) ? node->access_count : 0;
  arguments_.reserve(count);  // nodes point to them
  for (Node* node : nodes_) {
    if (!settles(node)) continue;
    node->arguments = arguments_.data() + arguments_.size();
    for (const BlockAccess& access : node->uses()) arguments_.push_back(&access.block->home.argument);
  }
}

void Recording::watch(Block* block) {
  const auto history = histories_.find(block);
  if (history == histories_.end()) return;
  history->second.for_each([](const Ref& task) { task.node->watched = true; });
}

bool Recording::is_done_with(Block* block) const {
  bool done = true;
  const auto history = histories_.find(block);
  if (history == histories_.end()) return done;
  history->second.for_each([&](const Ref& task) { done = done && task.node->ends == runs; });
  return done;
}

}  // namespace heddle::runtime
