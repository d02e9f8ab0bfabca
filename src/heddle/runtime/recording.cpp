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
  history->second.for_each([&](const Ref& task) { done = done && task.node->ends == runs; });
  return done;
}

}  // namespace heddle::runtime
