#include "heddle/runtime/recording.hpp"

namespace heddle::runtime {

void Recording::watch(Block* block) {
  const auto history = histories_.find(block);
  if (history == histories_.end()) return;
  history->second.for_each([](const Ref& task) { task.node->watched = true; });
}

bool Recording::is_done_with(Block* block) const {
  bool done = true;
  const auto history = histories_.find(block);
  if (history == histories_.end()) return done;
  history->second.for_each([&](const Ref& task) { done = done && task.node->state == State::done; });
  return done;
}

void Recording::reset(std::uint64_t first) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = *nodes_[i];
    node.task = make_id<TaskId>(i);
    node.sequence.store(first + i, std::memory_order_relaxed);
    node.state = State::waiting;
    node.holds = false;
    if (!node.extras) continue;
    for (Ref& before : node.extras->after) before.sequence = before.node->sequence.load(std::memory_order_relaxed);
  }
}

}  // namespace heddle::runtime
