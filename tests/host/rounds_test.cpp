#include "heddle/host/rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle::host {
namespace {

using policy::Action;

constexpr WorkerId kFirst{0};
constexpr WorkerId kSecond{1};

/// kNone: there is none.
WorkerId first_idle(const policy::View& view) {
  const auto idle = [&](WorkerId worker) { return view.is_idle(worker); };
  const auto workers = view.platform().workers();
  const auto first = std::ranges::find_if(workers, idle);
  return first == workers.end() ? kNone<WorkerId> : *first;
}

/// Gives the tasks to any worker in the order of their numbers, even if others are ready before.
struct InOrder {
  std::deque<TaskId> left{};
  Table<TaskId, bool> is_ready{};

  void start(const policy::View& view) {
    is_ready.assign(view.graph().task_count(), false);
    for (const TaskId task : view.graph().tasks()) left.push_back(task);
  }
  void started(const policy::View&, TaskId task, WorkerId) { std::erase(left, task); }
  void ready(const policy::View&, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) is_ready[task] = true;
  }
  [[nodiscard]] Action next(const policy::View& view) {
    if (left.empty() || !is_ready[left.front()]) return policy::wait();
    return policy::run(left.front(), first_idle(view));
  }
};

/// Gives the tasks to any worker as they are ready.
struct AsReady {
  std::deque<TaskId> waiting{};

  void ready(const policy::View&, std::span<const TaskId> tasks) {
    waiting.insert(waiting.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] Action next(const policy::View& view) {
    const WorkerId worker = first_idle(view);
    if (worker == kNone<WorkerId> || waiting.empty()) return policy::wait();
    const TaskId task = waiting.front();
    waiting.pop_front();
    return policy::run(task, worker);
  }
};

/// Restarts whatever runs as soon as a worker is idle, again and again.
struct Restless {
  std::deque<TaskId> waiting{};
  std::optional<TaskId> given{};
  int* refusals;

  void ready(const policy::View&, std::span<const TaskId> tasks) {
    waiting.insert(waiting.end(), tasks.begin(), tasks.end());
  }
  void finished(const policy::View&, std::span<const policy::Completion>) { given.reset(); }
  void refused(const policy::View&, Action) { ++*refusals; }
  [[nodiscard]] Action next(const policy::View& view) {
    const WorkerId worker = first_idle(view);
    if (worker == kNone<WorkerId>) return policy::wait();
    if (given) return policy::restart(*given, worker);
    if (waiting.empty()) return policy::wait();
    given = waiting.front();
    waiting.pop_front();
    return policy::run(*given, worker);
  }
};

Rounds rounds_on(Platform platform, Rounds::MakePolicy make) {
  Rounds rounds({.platform = std::move(platform),
                 .durations = [](TypeId, ClassId) { return Time{5}; },
                 .make_policy = std::move(make)});
  rounds.add_type("work");
  return rounds;
}

/// They are not alike.
Rounds two_workers(Rounds::MakePolicy make) {
  return rounds_on(Platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}}), std::move(make));
}

Rounds in_order() {
  return two_workers([](const Instance&) { return InOrder(); });
}

TEST(Rounds, OneServesAllThatIsKnown) {
  Rounds rounds = in_order();
  const TaskNumber first = rounds.submit({});
  const TaskNumber second = rounds.submit({});
  const TaskNumber third = rounds.submit({.after = {first}});
  rounds.push(first);
  rounds.push(second);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  // It was decided at once what the other one gets.
  EXPECT_EQ(rounds.take_called(), std::vector{kSecond});
  EXPECT_EQ(rounds.pop(kSecond, 1), second);
  EXPECT_EQ(rounds.pop(kSecond, 1), std::nullopt) << "it has a task";
  rounds.finished(kFirst, 5);
  rounds.push(third);
  EXPECT_EQ(rounds.pop(kFirst, 5), third);
  rounds.finished(kSecond, 6);
  rounds.finished(kFirst, 10);
  EXPECT_EQ(rounds.pop(kFirst, 10), std::nullopt);
  EXPECT_EQ(rounds.unfinished(), 0U);
  EXPECT_EQ(rounds.count(), 1U);
}

TEST(Rounds, AnotherBeginsWhereWorkersAreIdleAndTasksAreNew) {
  Rounds rounds = in_order();
  const TaskNumber first = rounds.submit({});
  rounds.push(first);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  const TaskNumber second = rounds.submit({});
  rounds.push(second);
  // It knows that the first task runs.
  EXPECT_EQ(rounds.pop(kSecond, 1), second);
  EXPECT_EQ(rounds.count(), 2U);
  const TaskNumber third = rounds.submit({.after = {first, second}});
  rounds.finished(kFirst, 5);
  rounds.finished(kSecond, 6);
  rounds.push(third);
  EXPECT_EQ(rounds.pop(kFirst, 6), third);
  EXPECT_EQ(rounds.count(), 3U);
}

TEST(Rounds, WhatWaitsForWhatIsNotShownIsLeftOut) {
  Rounds rounds = in_order();
  const TaskNumber hidden = rounds.submit({});  // is never pushed: it waits for a message
  rounds.submit({.after = {hidden}});
  const TaskNumber free = rounds.submit({});
  rounds.push(free);
  EXPECT_EQ(rounds.pop(kFirst, 0), free) << "it comes behind, and the policy keeps an order";
  rounds.finished(kFirst, 5);
  EXPECT_EQ(rounds.pop(kFirst, 5), std::nullopt);
  rounds.push(hidden);
  EXPECT_EQ(rounds.pop(kFirst, 6), hidden);
}

// Of two tasks, both behind one that has ended, the first waits for something else as well.
TEST(Rounds, APolicyThatWaitsForWhatIsNotShownBeginsAnewOnWhatIsReady) {
  Rounds rounds = in_order();
  const TaskNumber first = rounds.submit({});
  const TaskNumber hidden = rounds.submit({.after = {first}});
  const TaskNumber free = rounds.submit({.after = {first}});
  rounds.push(first);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  rounds.finished(kFirst, 5);
  rounds.push(free);
  EXPECT_EQ(rounds.pop(kFirst, 5), free);
  EXPECT_EQ(rounds.count(), 2U);
  rounds.push(hidden);
  EXPECT_EQ(rounds.pop(kSecond, 6), hidden);
}

// The engine pushes what a task released one after the other, and other workers ask in between.
TEST(Rounds, WhatAWorkerIsReleasingIsExpected) {
  Rounds rounds = in_order();
  const TaskNumber root = rounds.submit({});
  rounds.push(root);
  EXPECT_EQ(rounds.pop(kFirst, 0), root);
  std::vector<TaskNumber> released;
  for (int i = 0; i < 3; ++i) released.push_back(rounds.submit({.after = {root}}));
  rounds.finished(kFirst, 5);
  rounds.push(released[0]);
  EXPECT_EQ(rounds.pop(kSecond, 5), std::nullopt) << "the first worker gets it";
  rounds.push(released[1]);
  EXPECT_EQ(rounds.pop(kSecond, 5), released[1]);
  rounds.push(released[2]);
  EXPECT_EQ(rounds.pop(kFirst, 6), released[0]);
  rounds.finished(kSecond, 10);
  EXPECT_EQ(rounds.pop(kSecond, 10), released[2]);
  EXPECT_EQ(rounds.count(), 2U) << "the second knew all";
}

TEST(Rounds, APolicyThatGivesNothingIsReported) {
  struct Idle {
    void ready(const policy::View&, std::span<const TaskId>) const {}
    [[nodiscard]] Action next(const policy::View&) const { return policy::wait(); }
  };
  Rounds rounds = two_workers([](const Instance&) { return Idle(); });
  rounds.push(rounds.submit({}));
  EXPECT_THROW(static_cast<void>(rounds.pop(kFirst, 0)), InternalError);
}

TEST(Rounds, NothingIsTakenBack) {
  int refusals = 0;
  Rounds rounds = two_workers([&](const Instance&) { return Restless{.refusals = &refusals}; });
  const TaskNumber first = rounds.submit({});
  const TaskNumber second = rounds.submit({});
  rounds.push(first);
  rounds.push(second);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  EXPECT_EQ(refusals, 1) << "the worker for which it was refused is not idle for the policy";
  EXPECT_EQ(rounds.pop(kSecond, 1), std::nullopt);
  EXPECT_EQ(refusals, 2);
  rounds.finished(kFirst, 5);
  EXPECT_EQ(rounds.pop(kSecond, 5), std::nullopt);
  EXPECT_EQ(rounds.pop(kFirst, 5), second);
}

TEST(Rounds, WhatAWorkerWasGivenThatLeavesIsReadyAgain) {
  Rounds rounds = in_order();
  const TaskNumber first = rounds.submit({});
  const TaskNumber second = rounds.submit({});
  rounds.push(first);
  rounds.push(second);
  EXPECT_EQ(rounds.pop(kFirst, 0), first);
  rounds.set_available(kSecond, false);
  EXPECT_EQ(rounds.pop(kSecond, 1), std::nullopt) << "it has left";
  rounds.finished(kFirst, 5);
  EXPECT_EQ(rounds.pop(kFirst, 5), second);
  rounds.push(rounds.submit({}));
  rounds.set_available(kSecond, true);
  EXPECT_TRUE(rounds.pop(kSecond, 6).has_value()) << "it has come back";
}

TEST(Rounds, AnOccupiedWorkerIsGivenNothing) {
  Rounds rounds = in_order();
  rounds.set_occupied(kFirst, true);
  const TaskNumber first = rounds.submit({});
  const TaskNumber second = rounds.submit({});
  rounds.push(first);
  rounds.push(second);
  EXPECT_EQ(rounds.pop(kSecond, 0), first) << "InOrder prefers the first idle worker";
  EXPECT_TRUE(rounds.take_called().empty());
  rounds.set_occupied(kFirst, false);
  EXPECT_EQ(rounds.pop(kFirst, 1), second);
}

/// Counts tasks that have ended in all rounds.
struct Counting : InOrder {
  std::vector<int>* starts;
  int ended = 0;

  explicit Counting(std::vector<int>& counts) : starts(&counts) {}
  void recall(const Counting& before) { ended = before.ended; }
  void start(const policy::View& view) {
    InOrder::start(view);
    starts->push_back(ended);
  }
  void finished(const policy::View&, std::span<const policy::Completion> completions) {
    ended += static_cast<int>(completions.size());
  }
};

TEST(Rounds, EachRecallsTheOneBefore) {
  std::vector<int> starts;
  Rounds rounds = two_workers([&](const Instance&) { return Counting(starts); });
  const auto submit = [&] { rounds.push(rounds.submit({})); };
  submit();
  EXPECT_TRUE(rounds.pop(kFirst, 0));
  submit();
  EXPECT_TRUE(rounds.pop(kSecond, 1)) << "while the first one runs";
  rounds.finished(kFirst, 5);
  rounds.finished(kSecond, 6);
  EXPECT_FALSE(rounds.pop(kFirst, 6));
  EXPECT_FALSE(rounds.pop(kSecond, 7)) << "nothing is left";
  submit();
  EXPECT_TRUE(rounds.pop(kFirst, 8));
  rounds.finished(kFirst, 9);
  submit();
  EXPECT_TRUE(rounds.pop(kFirst, 10));
  EXPECT_EQ(starts, (std::vector{0, 0, 2, 3}));
}

TEST(Rounds, NoneBeginsWhereThereIsNothingToDecide) {
  Rounds rounds = rounds_on(Platform({{.name = "cpu", .workers = 2}}), [](const Instance&) { return InOrder(); });
  std::vector<TaskNumber> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back(rounds.submit({}));
  rounds.push(tasks[1]);
  EXPECT_EQ(rounds.pop(kSecond, 0), tasks[1]) << "the policy would wait for the first";
  rounds.push(tasks[2]);
  EXPECT_EQ(rounds.pop(kFirst, 0), tasks[2]);
  rounds.finished(kFirst, 5);
  rounds.finished(kSecond, 5);
  EXPECT_EQ(rounds.count(), 0U);
  for (const std::size_t i : {5, 4, 3}) rounds.push(tasks[i]);
  EXPECT_EQ(rounds.pop(kSecond, 5), tasks[4]) << "now the policy decides";
  EXPECT_EQ(rounds.pop(kFirst, 5), tasks[3]);
  rounds.finished(kFirst, 6);
  EXPECT_EQ(rounds.pop(kFirst, 6), tasks[5]);
  rounds.push(tasks[0]);
  rounds.finished(kSecond, 7);
  EXPECT_EQ(rounds.pop(kSecond, 7), tasks[0]) << "that all others of the round run, and this one is new";
  rounds.finished(kFirst, 8);
  rounds.finished(kSecond, 8);
  EXPECT_EQ(rounds.unfinished(), 0U);
  EXPECT_EQ(rounds.count(), 1U);
}

// A long chain is known, and meanwhile others arrive one by one.
TEST(Rounds, TheyAreNotLargeAgainAndAgain) {
  constexpr std::size_t kChain = 10'000;
  constexpr std::size_t kOthers = 1'000;
  std::size_t tasks_in_rounds = 0;
  Rounds rounds = two_workers([&](const Instance& instance) {
    tasks_in_rounds += instance.graph.task_count();
    return AsReady();
  });
  std::vector<TaskNumber> chain{rounds.submit({})};
  while (chain.size() < kChain) chain.push_back(rounds.submit({.after = {chain.back()}}));
  rounds.push(chain.front());
  EXPECT_EQ(rounds.pop(kFirst, 0), chain.front());
  for (std::size_t i = 1; i <= kOthers; ++i) {
    const TaskNumber other = rounds.submit({});
    rounds.push(other);
    const Time now{static_cast<Time>(i)};
    EXPECT_EQ(rounds.pop(kSecond, now), other);
    rounds.finished(kSecond, now);
  }
  EXPECT_EQ(rounds.count(), kOthers + 1);
  EXPECT_LE(tasks_in_rounds, 5 * kChain);
}

/// A core, and a device that has a memory of its own if there are links.
Platform with_device(bool has_links) {
  std::vector<ResourceClass> classes{{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}};
  if (!has_links) return Platform(std::move(classes));
  classes[1].memory = ResourceClass::kEach;
  return Platform(std::move(classes), {{.from = "ram", .to = "gpu0", .bandwidth = 1e12, .latency = 3, .via = {}},
                                       {.from = "gpu0", .to = "ram", .bandwidth = 1e12, .latency = 3, .via = {}}});
}

TEST(Rounds, AWorkerWithAMemoryOfItsOwnGetsOneTaskAhead) {
  for (const bool has_links : {true, false}) {
    SCOPED_TRACE(has_links);
    Rounds rounds({.platform = with_device(has_links),
                   .durations = [](TypeId, ClassId) { return Time{5}; },
                   .make_policy = [](const Instance&) { return AsReady(); },
                   .copies = [](DataId, MemoryId) { return policy::HostView::Copy::none; }});
    rounds.add_type("work");
    std::vector<TaskNumber> tasks;
    for (int i = 0; i < 6; ++i) tasks.push_back(rounds.submit({}));
    for (const TaskNumber task : tasks) rounds.push(task);
    EXPECT_EQ(rounds.pop(kFirst, 0), tasks[0]);
    EXPECT_EQ(rounds.pop(kFirst, 0), std::nullopt) << "its data is at hand";
    EXPECT_EQ(rounds.pop(kSecond, 0), tasks[1]);
    const std::optional<TaskNumber> ahead = rounds.pop(kSecond, 1);
    if (!has_links) {
      EXPECT_EQ(ahead, std::nullopt);
      continue;
    }
    EXPECT_EQ(ahead, tasks[2]);
    EXPECT_EQ(rounds.pop(kSecond, 2), std::nullopt) << "one is enough";
    rounds.finished(kSecond, 5);
    EXPECT_EQ(rounds.pop(kSecond, 5), tasks[3]) << "it has one task again";
    rounds.disown(kSecond);
    EXPECT_EQ(rounds.pop(kSecond, 6), tasks[4]) << "that one it could not run";
    // What a new round is told of both.
    rounds.finished(kFirst, 7);
    EXPECT_EQ(rounds.pop(kFirst, 7), tasks[5]);
    rounds.finished(tasks[3]);
    rounds.finished(kFirst, 8);
    const TaskNumber late = rounds.submit({});
    rounds.push(late);
    EXPECT_EQ(rounds.pop(kFirst, 8), late);
    EXPECT_EQ(rounds.count(), 2U);
    for (const WorkerId worker : {kSecond, kSecond, kFirst}) rounds.finished(worker, 9);
    EXPECT_EQ(rounds.unfinished(), 0U);
  }
}

/// Has what the task reads fetched to the second worker, and gives the task to the first. Notes whether the first datum
/// is, or is on its way, in each of two memories, whenever it is asked.
struct Fetching {
  using Place = std::pair<bool, bool>;  ///< it is there; it is there or on its way
  std::deque<TaskId> waiting{};
  bool has_fetched = false;
  std::vector<std::pair<Place, Place>>* seen;

  void ready(const policy::View&, std::span<const TaskId> tasks) {
    waiting.insert(waiting.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] Action next(const policy::View& view) {
    const auto place = [&](MemoryId memory) {
      return Place(view.has(DataId{0}, memory), view.holds(DataId{0}, memory));
    };
    seen->emplace_back(place(MemoryId{0}), place(MemoryId{1}));
    if (waiting.empty() || !view.is_idle(kFirst)) return policy::wait();
    if (!std::exchange(has_fetched, true)) return policy::prefetch(waiting.front(), kSecond);
    const TaskId task = waiting.front();
    waiting.pop_front();
    return policy::run(task, kFirst);
  }
};

TEST(Rounds, TheViewShowsWhereDataIsAndPrefetchesAreCarriedOut) {
  using enum policy::HostView::Copy;
  using Place = Fetching::Place;
  constexpr Place kNowhere{false, false};
  constexpr Place kComing{false, true};
  constexpr Place kThere{true, true};
  std::vector<std::pair<Place, Place>> seen;
  std::array<policy::HostView::Copy, 2> copies{none, valid};
  const Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1, .memory = "each"}},
                          {{.from = "ram", .to = "gpu0", .bandwidth = 1e12, .latency = 3, .via = {}},
                           {.from = "gpu0", .to = "ram", .bandwidth = 1e12, .latency = 3, .via = {}}});
  Rounds rounds({.platform = platform,
                 .durations = [](TypeId, ClassId) { return Time{5}; },
                 .make_policy = [&](const Instance&) { return Fetching{.seen = &seen}; },
                 .copies = [&](DataId, MemoryId memory) { return copies[index(memory)]; }});
  const TypeId type = rounds.add_type("work");
  rounds.add_datum({.name = "unused", .bytes = 8});
  const DataId data = rounds.add_datum({.name = "d", .bytes = 8});
  const TaskNumber reader = rounds.submit({.type = type, .accesses = {{data, AccessMode::read}}});
  const TaskNumber writer =
      rounds.submit({.type = type, .after = {reader}, .accesses = {{data, AccessMode::read_write}}});
  rounds.push(reader);
  EXPECT_EQ(rounds.pop(kFirst, 0), reader);
  const std::vector<Rounds::Prefetch> prefetches = rounds.take_prefetches();
  ASSERT_EQ(prefetches.size(), 1U);
  EXPECT_EQ(prefetches[0].task, reader);
  EXPECT_EQ(prefetches[0].worker, kSecond);
  EXPECT_EQ(seen, (std::vector<std::pair<Place, Place>>{{kNowhere, kThere}, {kNowhere, kThere}, {kComing, kThere}}));
  seen.clear();
  rounds.finished(kFirst, 9);
  copies = {valid, coming};  // it was dropped there, and is fetched again
  rounds.push(writer);
  EXPECT_EQ(rounds.pop(kFirst, 9), writer);
  EXPECT_EQ(seen.front(), std::pair(kThere, kComing));
  seen.clear();
  rounds.finished(kFirst, 14);
  const TaskNumber last = rounds.submit({.type = type, .accesses = {{data, AccessMode::read}}});
  copies = {none, none};  // it was never written
  rounds.push(last);
  EXPECT_EQ(rounds.pop(kFirst, 14), last);
  EXPECT_EQ(seen.front(), std::pair(kThere, kNowhere)) << "it is taken to be at home";
}

/// Has the data of each task fetched to the device, then gives it the task, whenever the device wants one. Notes
/// whether the datum is there, and when the device is expected to be free.
struct FetchingFirst {
  struct Note {
    bool is_there;
    Time free;
    bool operator==(const Note&) const = default;
  };
  std::deque<TaskId> waiting{};
  std::deque<TaskId> unfetched{};
  std::vector<Note>* notes;

  void ready(const policy::View&, std::span<const TaskId> tasks) {
    waiting.insert(waiting.end(), tasks.begin(), tasks.end());
    unfetched.insert(unfetched.end(), tasks.begin(), tasks.end());
  }
  [[nodiscard]] Action next(const policy::View& view) {
    notes->push_back({view.has(DataId{1}, view.memory_of(kSecond)), view.expected_end(kSecond)});
    if (!unfetched.empty()) {
      const TaskId task = unfetched.front();
      unfetched.pop_front();
      return policy::prefetch(task, kSecond);
    }
    if (waiting.empty() || !view.is_idle(kSecond)) return policy::wait();
    const TaskId task = waiting.front();
    waiting.pop_front();
    return policy::run(task, kSecond);
  }
};

// 8 bytes take 8 ps, and as long again while another transfer shares the link, and each transfer 3 ps more.
TEST(Rounds, PrefetchedDataIsExpectedAndSeenToArrive) {
  std::vector<FetchingFirst::Note> notes;
  bool has_arrived = false;
  const Platform platform = with_device(true);
  Rounds rounds({.platform = platform,
                 .durations = [](TypeId, ClassId) { return Time{5}; },
                 .make_policy = [&](const Instance&) { return FetchingFirst{.notes = &notes}; },
                 .copies =
                     [&](DataId, MemoryId memory) {
                       using enum policy::HostView::Copy;
                       return memory == platform.find_memory("ram") || has_arrived ? valid : none;
                     }});
  const TypeId type = rounds.add_type("work");
  std::vector<TaskNumber> tasks;
  for (const char* name : {"d", "e"}) {
    const DataId data = rounds.add_datum({.name = name, .bytes = 8});
    tasks.push_back(rounds.submit({.type = type, .accesses = {{data, AccessMode::read}}}));
    rounds.push(tasks.back());
  }
  EXPECT_EQ(rounds.pop(kSecond, 100), tasks[0]);
  EXPECT_EQ(notes.front(), (FetchingFirst::Note{false, 100}));
  EXPECT_EQ(notes.back(), (FetchingFirst::Note{false, 100 + 2 * 8 + 3 + 5}));
  has_arrived = true;
  EXPECT_EQ(rounds.pop(kSecond, 110), tasks[1]);
  EXPECT_TRUE(notes.back().is_there);
}

// The engine may not be asked any more about the data of tasks that have ended.
TEST(Rounds, WhatATaskWroteIsWhereItRan) {
  std::vector<std::pair<Fetching::Place, Fetching::Place>> seen;
  const Platform platform({{.name = "gpu", .workers = 1, .memory = "each"}, {.name = "cpu", .workers = 1}},
                          {{.from = "ram", .to = "gpu0", .bandwidth = 1e12, .latency = 3, .via = {}},
                           {.from = "gpu0", .to = "ram", .bandwidth = 1e12, .latency = 3, .via = {}}});
  bool may_ask = true;
  Rounds rounds({.platform = platform,
                 .durations = [](TypeId, ClassId) { return Time{5}; },
                 .make_policy = [&](const Instance&) { return Fetching{.seen = &seen}; },
                 .copies =
                     [&](DataId, MemoryId memory) {
                       EXPECT_TRUE(may_ask);
                       return memory == platform.find_memory("ram") ? policy::HostView::Copy::valid
                                                                    : policy::HostView::Copy::none;
                     }});
  const TypeId type = rounds.add_type("work");
  const DataId data = rounds.add_datum({.name = "d", .bytes = 8});
  const TaskNumber writer = rounds.submit({.type = type, .accesses = {{data, AccessMode::read_write}}});
  const TaskNumber other = rounds.submit({.type = type});
  rounds.push(writer);
  rounds.push(other);
  EXPECT_EQ(rounds.pop(kFirst, 0), writer);
  may_ask = false;
  rounds.finished(kFirst, 5);
  seen.clear();
  EXPECT_EQ(rounds.pop(kFirst, 5), other);
  const MemoryId gpu = platform.find_memory("gpu0").value();
  const auto& [first, second] = seen.front();
  EXPECT_EQ(index(gpu) == 0 ? first : second, Fetching::Place(true, true));
  EXPECT_EQ(index(gpu) == 0 ? second : first, Fetching::Place(false, false));
}

TEST(Rounds, EachBeginsWithTheDurationsThatAreBelievedThen) {
  Time believed = 5;
  std::vector<Time> seen;
  const auto make = [&](const Instance& instance) {
    seen.push_back(instance.costs.estimate(TaskId{0}, ClassId{0}));
    return InOrder();
  };
  Rounds rounds({.platform = Platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}}),
                 .durations = [&](TypeId, ClassId) { return believed; },
                 .make_policy = make});
  rounds.add_type("work");
  for (const Time time : {0, 10}) {
    rounds.push(rounds.submit({}));
    EXPECT_TRUE(rounds.pop(kFirst, time).has_value());
    rounds.finished(kFirst, time + 5);
    believed = 7;
  }
  EXPECT_EQ(seen, (std::vector<Time>{5, 7}));
}

}  // namespace
}  // namespace heddle::host
