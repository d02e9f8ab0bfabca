// Which cores the workers of runtimes are bound to.
#include "heddle/runtime/threads/cores.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <vector>

#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {
namespace {

/// Where the calling thread may run, by number of the hardware thread.
std::vector<int> affinity() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  std::vector<int> numbers;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) numbers.push_back(i);
  }
  return numbers;
}

std::vector<int> affinity_in(Runtime& runtime) {
  std::vector<int> numbers;
  int x = 0;
  {
    const auto datum = runtime.data(x);
    runtime.submit(Kernel("look", on_cpu([&](int&) { numbers = affinity(); })), rw(datum));
    runtime.wait();
  }
  return numbers;
}

TEST(Cores, AreNotSharedByRuntimesAsLongAsThereAreEnough) {
  const Cores cores;
  if (cores.count() != 2) GTEST_SKIP() << "for two cores";
  Runtime first({.workers = "cpu=1", .history = ""});
  Runtime third({.workers = "cpu=1", .history = ""});
  {
    Runtime second({.workers = "cpu=2", .history = ""});
    EXPECT_EQ(affinity_in(second), affinity());  // one core is left for two workers
  }
  const std::vector<int> one = affinity_in(first);
  const std::vector<int> other = affinity_in(third);
  EXPECT_LT(one.size(), affinity().size());
  EXPECT_EQ(one.size(), other.size());
  EXPECT_NE(one, other);
}

TEST(Cores, ThatAreFewerThanWorkersAreToldOf) {
  const std::size_t cores = Cores().count();
  for (const std::size_t workers : {cores, cores + 1}) {
    std::vector<std::string> warnings;
    const auto warn = [&](const std::string& sentence) { warnings.push_back(sentence); };
    static_cast<void>(Runtime({.workers = "cpu=" + std::to_string(workers), .history = "", .warn = warn}));
    EXPECT_EQ(warnings.size(), workers - cores);
  }
}

TEST(Cores, AreFreeAgain) {
  for (int round = 0; round < 3; ++round) {
    Cores cores;
    EXPECT_TRUE(cores.claim(cores.count()));
    EXPECT_FALSE(cores.claim(1));
    Cores others;
    EXPECT_FALSE(others.claim(1));
  }
}

}  // namespace
}  // namespace heddle::runtime
