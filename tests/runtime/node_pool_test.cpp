#include "heddle/runtime/submission/node_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace heddle::runtime {
namespace {

/// So many nodes, all taken.
std::vector<Node*> take(NodePool& pool, std::size_t count) {
  std::vector<Node*> nodes;
  for (std::size_t i = 0; i < count; ++i) nodes.push_back(&pool.take());
  return nodes;
}

TEST(NodePool, GivesNeighboursAfterEachOtherInWhateverOrderTheyCameBack) {
  NodePool pool;
  std::vector<Node*> nodes = take(pool, 1000);
  std::ranges::shuffle(nodes, std::mt19937(1));
  for (const Node* node : nodes) pool.give_back(node->number);
  const std::vector<Node*> again = take(pool, 1000);
  std::size_t neighbours = 0;
  for (std::size_t i = 1; i < again.size(); ++i) neighbours += again[i] == again[i - 1] + 1 ? 1 : 0;
  EXPECT_GE(neighbours, 1000 - 1000 / 64 - 1);  // in groups of 64
}

TEST(NodePool, NeverGivesOneThatIsInUseAndMakesNoneWhileOneIsFree) {
  NodePool pool;
  std::mt19937 random(2);
  std::vector<Node*> in_use;
  std::set<const Node*> free;
  std::set<const Node*> all;
  for (int step = 0; step < 20'000; ++step) {
    const bool takes = in_use.empty() || random() % 1000 < (step / 2000 % 2 == 0 ? 700U : 300U);
    if (takes) {
      const bool some_free = !free.empty();
      Node& node = pool.take();
      EXPECT_EQ(free.erase(&node) == 1, some_free);
      EXPECT_NE(all.insert(&node).second, some_free);
      in_use.push_back(&node);
    } else {
      std::swap(in_use[random() % in_use.size()], in_use.back());
      EXPECT_TRUE(free.insert(in_use.back()).second);
      pool.give_back(in_use.back()->number);
      in_use.pop_back();
    }
    ASSERT_EQ(pool.size(), in_use.size() + free.size());
  }
}

}  // namespace
}  // namespace heddle::runtime
