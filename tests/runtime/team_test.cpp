#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "heddle/runtime/job.hpp"

namespace heddle::runtime {
namespace {

TEST(Team, DoesEachPartOnce) {
  for (const std::size_t size : {1, 2, 5}) {
    Team team(size, [](std::size_t) {});
    EXPECT_EQ(team.size(), size);
    for (std::size_t round = 0; round < 200; ++round) {
      std::vector<std::atomic<int>> done(1 + round % 20);
      team.run(done.size(), [&](std::size_t part) { ++done[part]; });
      for (const auto& count : done) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Team, ThrowsWhatAPartThrows) {
  Team team(3, [](std::size_t) {});
  const auto fail = [](std::size_t part) {
    if (part == 5) throw std::runtime_error("a part failed");
  };
  EXPECT_THROW(team.run(10, fail), std::runtime_error);
  EXPECT_NO_THROW(team.run(5, fail));
}

TEST(Team, APartMayHavePartsOfItsOwn) {
  for (const std::size_t size : {1, 3}) {
    Team team(size, [](std::size_t) {});
    std::vector<std::atomic<int>> done(12);
    team.run(4, [&](std::size_t part) { team.run(3, [&](std::size_t inner) { ++done[3 * part + inner]; }); });
    for (const auto& count : done) EXPECT_EQ(count, 1);
    std::atomic<int> others = 0;
    const auto fail = [&](std::size_t part) { part == 0 ? throw std::runtime_error("the first") : void(++others); };
    EXPECT_THROW(team.run(2, [&](std::size_t) { team.run(3, fail); }), std::runtime_error);
    EXPECT_EQ(others, 4);
  }
}

TEST(Team, HelpersEnterOnce) {
  std::atomic<int> sum = 0;
  {
    const Team team(4, [&](std::size_t member) { sum += static_cast<int>(member); });
  }
  EXPECT_EQ(sum, 1 + 2 + 3);
}

}  // namespace
}  // namespace heddle::runtime
