// Policies that throw, or ask for what cannot be done.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/on_first_class.hpp"

namespace heddle::runtime {
namespace {

const Kernel kPut("put", on_cpu([](int value, int& x) { x = value; }));

/// Decides until it has been asked so often.
class Thrower : public OnFirstClass {
 public:
  explicit Thrower(int left) : left_(left) {}

  [[nodiscard]] policy::Action next(const policy::View& view) {
    if (left_-- == 0) throw std::logic_error("the policy is at its wits' end");
    return OnFirstClass::next(view);
  }

 private:
  int left_;
};

TEST(BrokenPolicy, EndsTheRunNotTheProgram) {
  for (const int calls : {0, 1, 7, 40}) {
    std::vector<int> numbers(20, 0);
    Runtime runtime({.workers = "cpu=3", .decider = policy::Policy(Thrower(calls)), .most_waiting = 50, .history = ""});
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    const auto submit_all = [&] {
      for (int i = 0; i < 200; ++i) runtime.submit(kPut, i, write(data[static_cast<std::size_t>(i) % 20]));
    };
    EXPECT_THROW((submit_all(), runtime.wait()), std::logic_error) << calls;
    EXPECT_THROW(runtime.wait(), std::logic_error) << "it stays so";
  }
}

/// Answers once as it is told to, then wait().
class Answers {
 public:
  explicit Answers(std::vector<policy::Action> answers) : answers_(std::move(answers)) {}

  static void ready(const policy::View&, std::span<const TaskId>) {}
  [[nodiscard]] policy::Action next(const policy::View&) {
    return next_ == answers_.size() ? policy::wait() : answers_[next_++];
  }

 private:
  std::vector<policy::Action> answers_;
  std::size_t next_ = 0;
};

TEST(BrokenPolicy, IsToldWhatCannotBeDone) {
  using policy::run;
  const WorkerId cpu0{0};
  const WorkerId cpu1{1};
  const std::vector<std::pair<std::vector<policy::Action>, std::string>> wrong{
      {{run(TaskId{3}, cpu0)}, "there is no such task"},
      {{run(TaskId{2}, cpu0)}, "a task of type 'put' on worker 'cpu0'"},
      {{run(TaskId{0}, cpu0), run(TaskId{0}, cpu1)}, "the task is not ready"},
      {{run(TaskId{0}, cpu0), run(TaskId{1}, cpu0)}, "the worker is not idle"},
      {{run(TaskId{0}, WorkerId{2})}, "there is no such worker"},
      {{policy::restart(TaskId{0}, cpu0)}, "the task is not running"},
      {{policy::preempt(TaskId{0})}, "the task is not running"},
      {{run(TaskId{0}, cpu0), policy::restart(TaskId{0}, cpu0)}, "the worker is not idle"},
      {{policy::prefetch(TaskId{0}, WorkerId{2})}, "there is no such worker"}};
  for (const auto& [answers, reason] : wrong) {
    int a = 0;
    int b = 0;
    Runtime runtime({.workers = "cpu=2", .decider = policy::Policy(Answers(answers)), .history = ""});
    const Data<int&> first = runtime.data(a);
    const Data<int&> second = runtime.data(b);
    const Graph graph = runtime.record([&] {
      runtime.submit(kPut, 1, write(first));
      runtime.submit(kPut, 2, write(second));
      runtime.submit(kPut, 3, write(first));
    });
    runtime.run(graph);
    try {
      runtime.wait();
      ADD_FAILURE() << reason;
    } catch (const InternalError& error) {
      EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
    }
  }
}

/// Neither when it is asked what idle workers shall do nor when it is asked ahead.
TEST(BrokenPolicy, DoesNotActForEver) {
  class Prefetches : public OnFirstClass {
   public:
    explicit Prefetches(bool ahead) : ahead_(ahead) {}
    [[nodiscard]] policy::Action next(const policy::View& view) {
      if (view.asks_ahead() == ahead_) return policy::prefetch(TaskId{0}, WorkerId{0});
      return OnFirstClass::next(view);
    }

   private:
    bool ahead_;
  };
  for (const bool ahead : {false, true}) {
    std::vector<int> numbers(5, 0);
    Runtime runtime({.workers = "cpu=1,fake=1",
                     .backends = {std::make_shared<FakeBackend>(FakeBackend::Options{})},
                     .decider = policy::Policy(Prefetches(ahead)),
                     .history = ""});
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    runtime.run(runtime.record([&] {
      for (const auto& one : data) runtime.submit(kPut, 1, write(one));
    }));
    EXPECT_THROW(runtime.wait(), InternalError) << ahead;
  }
}

/// Each epoch has its own.
TEST(BrokenPolicy, ThatCannotBeCopiedEndsTheRun) {
  class Rare : public OnFirstClass {
   public:
    explicit Rare(int most) : left_(std::make_shared<int>(most)) {}
    Rare(const Rare& other) : OnFirstClass(other), left_(other.left_) {
      if ((*left_)-- == 0) throw std::logic_error("there are no more");
    }
    Rare(Rare&&) = default;
    Rare& operator=(const Rare&) = default;
    Rare& operator=(Rare&&) = default;
    ~Rare() = default;

   private:
    std::shared_ptr<int> left_;
  };
  for (const int most : {1, 2, 3, 4}) {
    std::vector<int> numbers(100, 0);
    Runtime runtime({.workers = "cpu=1,fake=1",
                     .backends = {std::make_shared<FakeBackend>(FakeBackend::Options{})},
                     .decider = policy::Policy(Rare(most)),
                     .history = ""});
    std::vector<Data<int&>> data;
    const auto submit_in_steps = [&] {
      for (int& number : numbers) {
        data.push_back(runtime.data(number));
        runtime.submit(kPut, 1, write(data.back()));
        if (data.size() % 20 == 0) runtime.wait();
      }
    };
    EXPECT_THROW(submit_in_steps(), std::logic_error) << most;
  }
}

/// Whoever waits for a task looks at what has been executed, and may be the one who tells the policy.
TEST(BrokenPolicy, ThatThrowsWhileSomebodyWaitsForATaskIsToldThere) {
  class ThrowsAtTheEnd {
   public:
    void ready(const policy::View& view, std::span<const TaskId> tasks) { thrower_.ready(view, tasks); }
    void finished(const policy::View&, std::span<const policy::Completion>) {
      if (++ended_ > 150) throw std::logic_error("the policy has seen enough");
    }
    [[nodiscard]] policy::Action next(const policy::View& view) { return thrower_.next(view); }

   private:
    Thrower thrower_{-1};
    int ended_ = 0;
  };
  for (int i = 0; i < 20; ++i) {
    int number = 0;
    Runtime runtime({.workers = "cpu=2", .decider = policy::Policy(ThrowsAtTheEnd()), .history = ""});
    const auto datum = runtime.data(number);
    const auto submit_all = [&] {
      Task last;
      for (int task = 0; task < 600; ++task) last = runtime.submit(kPut, task, write(datum));
      return last;
    };
    const Graph graph = runtime.record([&] { static_cast<void>(submit_all()); });
    EXPECT_THROW((runtime.run(graph), submit_all().wait()), std::logic_error);
  }
}

}  // namespace
}  // namespace heddle::runtime
