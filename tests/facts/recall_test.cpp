// What a policy measured in one round it knows in the next one, and what it is told of that is in the log.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/facts/log.hpp"
#include "heddle/facts/recorder.hpp"
#include "heddle/facts/replay.hpp"
#include "heddle/host/rounds.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/policy/registry.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::facts::recall_test {
namespace {

using host::Rounds;
using host::TaskNumber;

constexpr std::size_t kTypes = 4;
constexpr std::size_t kEach = 6;  ///< tasks of a type that come together
constexpr std::size_t kWorkers = 3;

/// Of which nothing is right but that all can run everywhere.
Time believed(TypeId type, ClassId c) {
  return kSecond * static_cast<Time>(10 + index(type) + 2 * index(c));
}

/// The GPU, worker 2, is the better the larger the type's number; so are the cores, a little.
Time taken(std::size_t type, WorkerId worker) {
  constexpr std::array<Time, kTypes> kOnGpu{9, 6, 3, 1};
  return kSecond * (index(worker) == 2 ? kOnGpu[type] : static_cast<Time>(12 - type));
}

/// Half of the tasks are ready at once, the other half when those have ended. Which task each worker was given when.
struct Given {
  TaskNumber task;
  WorkerId worker;
  Time start;

  bool operator==(const Given&) const = default;
};
struct Ran {
  std::vector<Given> given;
  std::size_t rounds;
};

/// `known`: whether the second half is submitted at once, each task behind one of the first half.
Ran run(const Rounds::MakePolicy& make, bool known) {
  Rounds rounds({.platform = Platform({{.name = "cpu", .workers = 2}, {.name = "gpu", .workers = 1}}),
                 .durations = believed,
                 .make_policy = make});
  for (std::size_t type = 0; type < kTypes; ++type) rounds.add_type(std::string(1, static_cast<char>('A' + type)));
  std::vector<std::size_t> type_of;
  std::vector<TaskNumber> halves[2];
  const auto submit = [&](std::size_t half) {
    for (std::size_t i = 0; i < kTypes * kEach; ++i) {
      Rounds::Task task{.type = make_id<TypeId>(i % kTypes)};
      if (known && half == 1) task.after = {halves[0][i]};
      halves[half].push_back(rounds.submit(std::move(task)));
      type_of.push_back(i % kTypes);
    }
  };
  submit(0);
  if (known) submit(1);
  Ran ran{};
  Time now = 0;
  std::vector<std::optional<Time>> ends(kWorkers);
  for (std::size_t half = 0; half < 2; ++half) {
    if (half == 1 && !known) submit(1);
    for (const TaskNumber task : halves[half]) rounds.push(task);
    for (std::size_t left = halves[half].size(); left > 0;) {
      for (std::size_t w = kWorkers; w-- > 0;) {
        const WorkerId worker = make_id<WorkerId>(w);
        if (ends[w]) continue;
        const std::optional<TaskNumber> task = rounds.pop(worker, now);
        if (!task) continue;
        ran.given.push_back({*task, worker, now});
        ends[w] = now + taken(type_of[static_cast<std::size_t>(*task)], worker);
      }
      now = kMaxTime;
      for (const auto& end : ends) now = std::min(now, end.value_or(kMaxTime));
      for (std::size_t w = 0; w < kWorkers; ++w) {
        if (ends[w] != now) continue;
        rounds.finished(make_id<WorkerId>(w), now);
        ends[w].reset();
        --left;
      }
    }
  }
  EXPECT_EQ(ran.given.size(), 2 * kTypes * kEach);
  ran.rounds = rounds.count();
  return ran;
}

/// Recalls nothing.
class Forgetful {
 public:
  explicit Forgetful(policy::Policy policy) : policy_(std::move(policy)) {}
  void start(const policy::View& view) { policy_.start(view); }
  void ready(const policy::View& view, std::span<const TaskId> tasks) { policy_.ready(view, tasks); }
  void started(const policy::View& view, TaskId task, WorkerId worker) { policy_.started(view, task, worker); }
  void finished(const policy::View& view, std::span<const policy::Completion> done) { policy_.finished(view, done); }
  [[nodiscard]] policy::Action next(const policy::View& view) { return policy_.next(view); }

 private:
  policy::Policy policy_;
};

/// These look at what was measured alone, and not at what is left of the graph.
const std::vector<std::string> kSpecs{"auto-heteroprio:costs=measured,heuristic=difference,every=3",
                                      "auto-heteroprio:costs=measured,heuristic=relative-difference,every=5",
                                      "auto-heteroprio:costs=measured,heuristic=difference,every=7,unknown=fastest"};

TEST(Recall, TwoRoundsDecideAsOne) {
  for (const std::string& name : kSpecs) {
    SCOPED_TRACE(name);
    const policy::Spec spec(name);
    const Ran one = run([&](const Instance&) { return spec.make(1); }, true);
    const Ran two = run([&](const Instance&) { return spec.make(1); }, false);
    EXPECT_EQ(one.rounds, 1U);
    EXPECT_EQ(two.rounds, 2U);
    EXPECT_EQ(two.given, one.given);
    EXPECT_NE(run([&](const Instance&) { return Forgetful(spec.make(1)); }, false).given, one.given);
  }
}

std::string log_of(const std::string& name) {
  const test::Scratch scratch;
  const policy::Spec spec(name);
  const auto log = std::make_shared<Log>(scratch.path("facts.json"), name);
  static_cast<void>(run([&](const Instance&) { return make_watched(spec, 1, nullptr, log); }, false));
  log->finish();
  return io::read_file(scratch.path("facts.json"));
}

TEST(Recall, IsReplayed) {
  for (const std::string& name : kSpecs) {
    SCOPED_TRACE(name);
    const std::string log = log_of(name);
    const Replayed replayed = replay(log, "log");
    EXPECT_EQ(replayed.difference, std::nullopt);
    EXPECT_EQ(replayed.epochs, 2U);
    EXPECT_EQ(replayed.decisions, 2 * kTypes * kEach);
    // Without this line the second policy knows nothing.
    const std::size_t at = log.find(R"({"policy": 1, "call": "recall", "before": 0})");
    ASSERT_NE(at, std::string::npos);
    std::string other = log;
    other.erase(at, other.find('{', at + 1) - at);
    EXPECT_NE(replay(other, "log").difference, std::nullopt);
  }
  EXPECT_EQ(log_of("eager").find("recall"), std::string::npos) << "which learns nothing";
}

TEST(Recall, IsRefusedWhereThereIsNothingToRecall) {
  const std::string log = log_of(kSpecs.front());
  const auto error = [&](const std::string& what, const std::string& with) -> std::string {
    std::string text = log;
    const std::size_t at = text.find(what);
    if (at == std::string::npos) return "there is no " + what;
    try {
      static_cast<void>(replay(text.replace(at, what.size(), with), "log"));
      return "";
    } catch (const InputError& found) {
      const std::string sentence = found.what();
      return sentence.substr(sentence.find(' ', sentence.find("events[")) + 1);
    }
  };
  const std::string recall = R"("policy": 1, "call": "recall", "before": 0)";
  EXPECT_EQ(error(recall, R"("policy": 1, "call": "recall", "before": 1)"),
            "is the number 1; expected a policy that was started");
  EXPECT_EQ(error(recall, R"("policy": 1, "call": "recall", "before": 7)"),
            "is the number 7; expected a policy that was started");
  EXPECT_EQ(error(recall, R"("policy": 0, "call": "recall", "before": 0)"),
            "has a policy recall something after it was started");
}

}  // namespace
}  // namespace heddle::facts::recall_test
