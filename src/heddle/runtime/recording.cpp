#include "heddle/runtime/recording.hpp"

namespace heddle::runtime {

void Recording::finish() {
  histories_.clear();
  for (Node& node : nodes_) {
    predecessors_.push_back(node.link_count);
    for (std::uint32_t i = 0; i < node.link_count; ++i) {
      Link& link = node.links[i];
      add_successor(*link.node, node, link);
    }
  }
}

void Recording::reset(std::uint64_t first, std::vector<Node*>& sources) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.sequence.store(first + i, std::memory_order_relaxed);
    node.state = State::waiting;
    node.unmet = predecessors_[i];
    node.holds = false;
    if (node.unmet == 0) sources.push_back(&node);
    if (!node.extras) continue;
    for (Ref& before : node.extras->after) before.sequence = before.node->sequence.load(std::memory_order_relaxed);
  }
}

std::vector<Node*> Recording::nodes() {
  std::vector<Node*> all;
  for (Node& node : nodes_) all.push_back(&node);
  return all;
}

}  // namespace heddle::runtime
