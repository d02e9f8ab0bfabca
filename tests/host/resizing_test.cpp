// Workers that move between contexts where a policy decides in rounds.
#include "heddle/host/resizing.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::host {
namespace {

using policy::Move;
using policy::Situation;

constexpr ContextId kA{0};
constexpr ContextId kB{1};
constexpr TypeId kOfA{0};
constexpr TypeId kOfB{1};
constexpr WorkerId kCpu0{0};
constexpr WorkerId kCpu1{1};
constexpr WorkerId kCpu2{2};
constexpr WorkerId kDevice{3};

/// Context a has two cores, of which b has the second one, too; b has a third one and a GPU. Tasks of a take 10 on a
/// core and cannot run on the GPU; those of b take 20 and 4.
class TwoContexts : public testing::Test {
 protected:
  static Table<ContextId, Context> contexts(bool shared) {
    Table<ContextId, Context> all;
    all.push_back({"a", {kCpu0, kCpu1}});
    all.push_back({"b", {kCpu2, kDevice}});
    if (shared) all[kB].workers = {kCpu1, kCpu2, kDevice};
    return all;
  }
  std::unique_ptr<Resizing> make(Time pause, bool shared = false) {
    policy::ResizeRule rule{.name = "test", .milestones = 3, .pause = pause, .moves = [this](const Situation& now) {
                              seen_.emplace(now);
                              ++asked_;
                              return std::exchange(wanted_, {});
                            }};
    auto made = std::make_unique<Resizing>(std::move(rule), Platform({{"cpu", 3}, {"gpu", 1}}), contexts(shared),
                                           [](TypeId type, ClassId c) -> Time {
                                             if (type == kOfA) return c == ClassId{0} ? 10 : kCannotRun;
                                             return c == ClassId{0} ? 20 : 4;
                                           });
    made->add_type(kA);
    made->add_type(kB);
    return made;
  }
  bool ask(Time now) { return resizing_->is_due(now) && resizing_->resize(now, busy_, away_); }
  void submit(TypeId type, int count) {
    for (int i = 0; i < count; ++i) resizing_->submitted(type), resizing_->ready(type);
  }
  [[nodiscard]] const std::vector<WorkerId>& workers(ContextId context) const {
    return resizing_->contexts()[context].workers;
  }

  std::vector<Move> wanted_;       ///< when the rule is asked next
  std::optional<Situation> seen_;  ///< when it was asked last
  int asked_ = 0;
  Table<WorkerId, Time> busy_ = Table<WorkerId, Time>(4, 0);
  Table<WorkerId, bool> away_ = Table<WorkerId, bool>(4, false);
  std::unique_ptr<Resizing> resizing_ = make(0);
};

TEST_F(TwoContexts, ARuleKnowsWhatIsLeftOfAllThatWasSubmitted) {
  submit(kOfA, 3);
  resizing_->submitted(kOfB);
  EXPECT_FALSE(ask(0)) << "it begins";
  resizing_->given(kOfA, kCpu0, 5);
  resizing_->given(kOfA, kCpu1, 5);
  EXPECT_FALSE(ask(6)) << "nothing has ended";
  EXPECT_EQ(asked_, 0);
  resizing_->ended(kOfA, kCpu0, 15);
  resizing_->ended(kOfA, kCpu1, 25);
  resizing_->given(kOfA, kCpu1, 27);
  busy_[kCpu1] = 8;
  EXPECT_FALSE(ask(29));
  ASSERT_EQ(asked_, 1);
  EXPECT_EQ(seen_->now, 29);
  EXPECT_EQ(seen_->elapsed, 29);
  const policy::ContextState& a = seen_->contexts[kA];
  EXPECT_EQ(a.name, "a");
  EXPECT_EQ(a.left, 1U);
  EXPECT_EQ(a.ready, 0U);
  EXPECT_EQ(a.work_left, 10);
  EXPECT_EQ(a.work_done, 20);
  EXPECT_TRUE(a.waiting.empty());
  EXPECT_EQ(a.needs, (std::vector<std::vector<bool>>{{true, false}}));
  const policy::ContextState& b = seen_->contexts[kB];
  EXPECT_EQ(b.left, 1U);
  EXPECT_EQ(b.ready, 0U) << "it waits for something";
  EXPECT_EQ(b.work_left, 4) << "on the GPU";
  EXPECT_EQ(b.work_done, 0);
  ASSERT_EQ(b.waiting.size(), 1U);
  EXPECT_EQ(b.waiting[0].tasks, 1U);
  EXPECT_EQ(b.waiting[0].mean[ClassId{0}], 20);
  EXPECT_EQ(seen_->busy[kCpu1], 8);
  EXPECT_EQ(seen_->idle[kCpu0], 5 + 14);
  EXPECT_EQ(seen_->idle[kCpu1], 5 + 2);
  EXPECT_EQ(seen_->idle[kDevice], 29);
  EXPECT_EQ(seen_->movable[kDevice], kB);
  // The next part begins.
  EXPECT_FALSE(ask(30));
  EXPECT_EQ(asked_, 1);
  resizing_->ended(kOfA, kCpu1, 31);
  EXPECT_FALSE(ask(32));
  EXPECT_EQ(asked_, 2) << "a has no task left";
  EXPECT_EQ(seen_->elapsed, 3);
  EXPECT_EQ(seen_->contexts[kA].work_done, 10);
  EXPECT_TRUE(seen_->contexts[kA].needs.empty());
}

TEST_F(TwoContexts, ARuleIsNotAskedTooOften) {
  resizing_ = make(100);
  submit(kOfA, 2);
  submit(kOfB, 2);
  const auto execute_both = [&](TypeId type, WorkerId worker, Time start, Time end) {
    for (int i = 0; i < 2; ++i) resizing_->given(type, worker, start), resizing_->ended(type, worker, end);
  };
  EXPECT_FALSE(ask(0));
  execute_both(kOfA, kCpu0, 0, 10);
  EXPECT_FALSE(ask(99));
  EXPECT_EQ(asked_, 0) << "nor since a has ended: it had tasks for too short a time";
  EXPECT_FALSE(ask(100));
  EXPECT_EQ(asked_, 1);
  submit(kOfA, 2);
  execute_both(kOfB, kCpu2, 100, 150);
  EXPECT_FALSE(ask(199));
  EXPECT_EQ(asked_, 1) << "since b has ended, which had tasks for long";
  EXPECT_FALSE(ask(200));
  EXPECT_EQ(asked_, 2);
}

TEST_F(TwoContexts, AMoveIsOverWhenTheWorkerHasEndedWhatItHad) {
  submit(kOfA, 3);
  submit(kOfB, 2);
  EXPECT_FALSE(ask(0));
  resizing_->given(kOfA, kCpu0, 1);
  resizing_->given(kOfA, kCpu1, 1);
  resizing_->ended(kOfA, kCpu1, 11);
  resizing_->given(kOfA, kCpu1, 11);
  resizing_->ended(kOfA, kCpu1, 12);
  wanted_ = {{kCpu0, kA, kB}, {kCpu1, kA, kB}};
  EXPECT_TRUE(ask(13));
  EXPECT_EQ(workers(kA), std::vector<WorkerId>{kCpu1}) << "someone has to run what is left";
  EXPECT_EQ(workers(kB), (std::vector<WorkerId>{kCpu0, kCpu2, kDevice}));
  resizing_->given(kOfB, kCpu0, 14);  // behind the other
  resizing_->ended(kOfA, kCpu0, 17);
  resizing_->ended(kOfB, kCpu0, 19);
  ASSERT_EQ(resizing_->moves().size(), 1U);
  EXPECT_EQ(resizing_->moves()[0].at, 17);
  EXPECT_EQ(resizing_->moves()[0].worker, kCpu0);
  // Where it had nothing, at once.
  wanted_ = {{kCpu1, kA, kB}};
  EXPECT_TRUE(ask(20));
  EXPECT_EQ(resizing_->moves()[1].at, 20);
}

TEST_F(TwoContexts, AWorkerMovesNoFurtherBeforeIt) {
  submit(kOfA, 2);
  submit(kOfB, 4);
  EXPECT_FALSE(ask(0));
  resizing_->given(kOfB, kCpu2, 1);
  resizing_->given(kOfB, kDevice, 1);
  for (int i = 0; i < 3; ++i) resizing_->ended(kOfB, kDevice, 5), resizing_->given(kOfB, kDevice, 5);
  wanted_ = {{kCpu2, kB, kA}};
  EXPECT_TRUE(ask(6));
  resizing_->given(kOfA, kCpu0, 7);
  resizing_->ended(kOfA, kCpu0, 17);
  wanted_ = {{kCpu2, kA, kB}};
  EXPECT_FALSE(ask(18)) << "it runs what b gave to it";
  EXPECT_EQ(asked_, 2);
  EXPECT_EQ(seen_->movable[kCpu2], kNone<ContextId>);
  resizing_->returned(kOfB, kCpu2, 19);
  resizing_->given(kOfA, kCpu0, 20);
  resizing_->ended(kOfA, kCpu0, 21);
  wanted_ = {{kCpu2, kA, kB}};
  EXPECT_TRUE(ask(22)) << "it does not";
  EXPECT_EQ(workers(kB), (std::vector<WorkerId>{kCpu2, kDevice}));
}

TEST_F(TwoContexts, AllGoHomeWhenTheNextTasksComeAndWhenTheyLackAWorker) {
  const auto move_all = [this](Time now) {
    submit(kOfA, 1);
    submit(kOfB, 2);
    EXPECT_FALSE(ask(now));
    resizing_->given(kOfA, kCpu0, now);
    resizing_->ended(kOfA, kCpu0, now);
    wanted_ = {{kCpu0, kA, kB}, {kCpu1, kA, kB}};
    EXPECT_TRUE(ask(now + 1));
    EXPECT_TRUE(workers(kA).empty());
  };
  move_all(1);
  submit(kOfA, 1);  // which none of a could run
  EXPECT_TRUE(ask(3));
  EXPECT_EQ(resizing_->contexts(), contexts(false));
  EXPECT_EQ(resizing_->moves().size(), 4U);
  for (int i = 0; i < 2; ++i) {
    resizing_->given(kOfB, kDevice, 4);
    resizing_->ended(kOfB, kDevice, 8);
  }
  resizing_->given(kOfA, kCpu0, 9);
  resizing_->ended(kOfA, kCpu0, 19);
  EXPECT_FALSE(ask(20)) << "nothing is left";
  move_all(30);
  for (int i = 0; i < 2; ++i) {
    resizing_->given(kOfB, kCpu1, 40);
    resizing_->ended(kOfB, kCpu1, 44);
  }
  EXPECT_FALSE(ask(45));
  submit(kOfB, 1);
  EXPECT_TRUE(ask(46)) << "others have come";
  EXPECT_EQ(resizing_->contexts(), contexts(false));
  EXPECT_NO_THROW(static_cast<void>(stays(contexts(false), resizing_->moves())));
}

TEST_F(TwoContexts, SharedWorkersStayAndSoDoThoseThatAreAway) {
  resizing_ = make(0, true);
  submit(kOfA, 2);
  submit(kOfB, 4);
  EXPECT_FALSE(ask(0));
  resizing_->given(kOfA, kCpu0, 1);
  resizing_->ended(kOfA, kCpu0, 2);
  resizing_->given(kOfB, kDevice, 1);
  resizing_->ended(kOfB, kDevice, 2);
  resizing_->given(kOfB, kDevice, 2);
  resizing_->ended(kOfB, kDevice, 3);
  away_[kCpu2] = true;
  wanted_ = {{kCpu1, kB, kA}, {kCpu2, kB, kA}};
  EXPECT_FALSE(ask(4));
  EXPECT_EQ(asked_, 1);
  EXPECT_EQ(seen_->movable[kCpu1], kNone<ContextId>);
  EXPECT_EQ(seen_->movable[kCpu2], kNone<ContextId>);
  EXPECT_EQ(seen_->contexts[kB].workers, (std::vector<WorkerId>{kCpu1, kDevice}));
  EXPECT_EQ(resizing_->contexts(), contexts(true));
}

TEST_F(TwoContexts, AWorkerThatRunsSomethingUnknownIsNotIdle) {
  submit(kOfA, 2);
  submit(kOfB, 1);
  EXPECT_FALSE(ask(0));
  resizing_->set_occupied(kCpu2, true, 2);
  resizing_->set_occupied(kCpu2, false, 12);
  resizing_->set_occupied(kDevice, true, 13);
  resizing_->given(kOfA, kCpu0, 1);
  resizing_->ended(kOfA, kCpu0, 14);
  resizing_->given(kOfA, kCpu0, 14);
  resizing_->disowned(kOfA, kCpu0, 15);
  EXPECT_FALSE(ask(20));
  ASSERT_EQ(asked_, 1);
  EXPECT_EQ(seen_->contexts[kA].left, 0U);
  EXPECT_EQ(seen_->idle[kCpu2], 2 + 8);
  EXPECT_EQ(seen_->idle[kDevice], 13);
}

}  // namespace
}  // namespace heddle::host
