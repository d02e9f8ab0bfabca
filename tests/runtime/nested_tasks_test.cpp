// Tasks that submit tasks: the policy is shown the newest of these, so that they run depth first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/every_policy.hpp"
#include "tests/runtime/step_through.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::runtime {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

/// A tree of tasks, each of which but the last submits so many; the most records of tasks that there were.
std::size_t records_of_tree(const std::string& policy, std::size_t most_nested, int depth, int branches) {
  Stepper run({.workers = "cpu=2", .policy = policy, .most_nested = most_nested});
  std::vector<Kernel<>> levels{kEmpty};
  std::uint64_t submitted = 1;
  levels.reserve(static_cast<std::size_t>(depth) + 1);
  for (int level = 1; level <= depth; ++level) {
    levels.emplace_back("level " + std::to_string(level), on_cpu([&, level] {
                          for (int i = 0; i < branches; ++i) run.submit_nested(levels[level - 1]), ++submitted;
                        }));
  }
  run.submit(levels.back());
  run.look_around(0);
  while (run.progress().unfinished() > 0) {
    const bool some = execute_both(run, kShortTask);
    run.pass(kMillisecond);  // take-ups are never too early
    for (std::size_t worker = 0; worker < 2 && !some; ++worker) run.look_around(worker);
  }
  std::uint64_t expected = 0;
  for (int level = 0; level <= depth; ++level) expected = expected * branches + 1;
  EXPECT_EQ(submitted, expected);
  return run.records();
}

TEST(NestedTasks, RunDepthFirst) {
  constexpr int kDepth = test::kSanitized ? 5 : 7;
  constexpr int kBranches = 4;
  constexpr std::size_t kMost = 16;
  for (const std::string policy : {"eager", "lws", "dmdas"}) {
    // On each level there are at most as many as those that are shown have submitted, and some more that have ended.
    EXPECT_LE(records_of_tree(policy, kMost, kDepth, kBranches), 2 * kBranches * kMost * kDepth) << policy;
    // About as many as there are on the last level.
    EXPECT_GT(records_of_tree(policy, std::size_t{1} << 20, kDepth, kBranches), std::size_t{1} << (2 * kDepth - 1))
        << policy;
  }
}

TEST(NestedTasks, AreShownNewestFirstWithThoseTheyWaitFor) {
  const auto log = std::make_shared<Told::Log>();
  Stepper run(
      {.workers = "cpu=1", .decider = policy::Policy(Told(log, policy::Spec("eager").make(1))), .most_nested = 2});
  int x = 0;
  Block* const block = run.datum(x);
  const Kernel root("root", on_cpu([&] {
                      run.submit_nested(kAddOneInt, {{block, kReadWrite}});  // 2
                      run.submit_nested(kEmpty);                             // 3
                      run.submit_nested(kEmpty);                             // 4
                      run.submit_nested(kAddOneInt, {{block, kReadWrite}});  // 5
                      run.submit_nested(kEmpty);                             // 6
                    }));
  run.submit(root);
  run.look_around(0);
  Tasks order;
  while (run.progress().unfinished() > 0) {
    const Tasks executed = run.execute(0, kShortTask);
    if (executed.empty()) run.look_around(0);
    order.insert(order.end(), executed.begin(), executed.end());
  }
  std::erase_if(*log, [](const std::string& fact) { return !fact.starts_with("start "); });
  // 5 and 6 are the newest, and 5 waits for 2.
  EXPECT_THAT(std::span(*log).first(2), ElementsAre("start 1", "start 3"));
  EXPECT_THAT(std::span(order).subspan(1, 3), UnorderedElementsAre(2, 5, 6));
  EXPECT_THAT(std::span(order).subspan(4), UnorderedElementsAre(3, 4));
}

TEST(NestedTasks, OfTheProgramAreAllShown) {
  ToldEager told;
  told.run.submit_many(kEmpty, 5000);
  told.run.look_around(0);
  EXPECT_EQ(told.log->front(), "start 5000");
}

/// Each task submits two, which count along a chain, together, and in another context, if any.
class Tree {
 public:
  explicit Tree(Runtime& runtime, std::vector<SchedulingContext> contexts = {})
      : runtime_(runtime),
        contexts_(std::move(contexts)),
        chain_(runtime.data(values_[0])),
        sum_(runtime.data(values_[1])) {}

  void submit(int depth) {
    ++tasks_;
    if (contexts_.empty()) {
      runtime_.submit(grow_, depth, commute(sum_));
      runtime_.submit(kAddOneInt, rw(chain_));
    } else {
      runtime_.submit(in(contexts_[static_cast<std::size_t>(depth) % contexts_.size()]), grow_, depth, commute(sum_));
      runtime_.submit(in(contexts_.front()), kAddOneInt, rw(chain_));
    }
  }
  [[nodiscard]] int tasks() const { return tasks_; }
  /// After wait().
  void expect_all(const std::string& what) const { EXPECT_EQ(values_, (std::array<int, 2>{tasks_, tasks_})) << what; }

 private:
  Runtime& runtime_;
  std::vector<SchedulingContext> contexts_;
  std::atomic<int> tasks_ = 0;
  std::array<int, 2> values_{};
  Data<int&> chain_;
  Data<int&> sum_;
  const Kernel<int, int&> grow_{"grow", on_cpu([this](int depth, int& sum) {
                                  ++sum;
                                  for (int i = 0; i < 2 && depth > 0; ++i) submit(depth - 1);
                                })};
};

constexpr int kTreeDepth = test::kSanitized ? 6 : 9;

TEST(NestedTasks, GiveTheSameResultsHoweverManyAreShown) {
  for (const std::string& policy : runtime_policies()) {
    // The program's attempts must stay whole, as they submit (docs/runtime.md).
    if (policy::Spec(policy).needs().abort) continue;
    for (const std::size_t most : {std::size_t{1}, std::size_t{5}, std::size_t{512}}) {
      Runtime runtime(
          {.workers = "cpu=2", .policy = policy, .most_waiting = 1, .most_nested = most, .trace = true, .history = ""});
      {
        Tree tree(runtime);
        tree.submit(most == 5 ? kTreeDepth : kTreeDepth - 3);
        runtime.wait();
        tree.expect_all(policy);
      }
      expect_valid(runtime, policy);
    }
  }
}

TEST(NestedTasks, CrossContexts) {
  for (const std::size_t most : {std::size_t{1}, std::size_t{5}}) {
    Runtime runtime({.workers = "cpu=2", .most_nested = most, .trace = true, .history = ""});
    std::vector<SchedulingContext> contexts{runtime.context({.name = "one", .workers = "cpu=1", .policy = "dmdas"}),
                                            runtime.context({.name = "other", .workers = "cpu=1"})};
    {
      Tree tree(runtime, contexts);
      tree.submit(kTreeDepth);
      runtime.wait();
      tree.expect_all("contexts");
    }
    expect_valid(runtime);
  }
}

TEST(NestedTasks, EndWhenOneFailsOrAllAreCancelled) {
  const Kernel fail("fail", on_cpu([](int&) { throw std::runtime_error("fails"); }));
  for (const std::size_t most : {std::size_t{1}, std::size_t{5}}) {
    Runtime runtime({.workers = "cpu=2", .most_nested = most, .trace = true, .history = ""});
    int x = 0;
    int y = 0;
    {
      const auto a = runtime.data(x);
      const auto b = runtime.data(y);
      const Kernel submits("submits", on_cpu([&](int&) {
                             runtime.submit(fail, rw(a));
                             for (int i = 0; i < 50; ++i)
                               runtime.submit(kAddOneInt, rw(a)), runtime.submit(kAddOneInt, rw(b));
                           }));
      int z = 0;
      const auto c = runtime.data(z);
      runtime.submit(submits, rw(c));
      EXPECT_THROW(runtime.wait(), TaskFailure);
      EXPECT_EQ(y, 50);
      Tree tree(runtime);
      tree.submit(kTreeDepth);
      runtime.cancel();
      try {
        runtime.wait();
      } catch (const Cancelled&) {
      }
      EXPECT_EQ(runtime.unfinished(), 0U);
    }
    expect_valid(runtime);
  }
}

TEST(NestedTasks, ComeBeforeRecordedOnesThatAreRunLater) {
  int x = 0;
  Runtime runtime({.workers = "cpu=2", .most_nested = 2, .history = ""});
  const auto a = runtime.data(x);
  int seen = 0;
  const auto b = runtime.data(seen);
  const Kernel copy("copy", on_cpu([](const int& from, int& to) { to = from; }));
  const Graph graph = runtime.record([&] { runtime.submit(copy, read(a), rw(b)); });
  std::atomic<bool> submitted = false;
  std::atomic<bool> go_on = false;
  int z = 0;
  const auto c = runtime.data(z);
  const Kernel submits("submits", on_cpu([&](int&) {
                         for (int i = 0; i < 40; ++i) runtime.submit(kAddOneInt, rw(a));
                         submitted = true;
                         submitted.notify_all();
                         go_on.wait(false);
                       }));
  runtime.submit(submits, rw(c));
  submitted.wait(false);
  runtime.run(graph);
  go_on = true;
  go_on.notify_all();
  runtime.wait();
  EXPECT_EQ(seen, 40);
}

}  // namespace
}  // namespace heddle::runtime
