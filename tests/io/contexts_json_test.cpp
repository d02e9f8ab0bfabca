#include "heddle/io/contexts_json.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "heddle/io/instance_file.hpp"
#include "heddle/io/schedule_file.hpp"
#include "tests/io/toy.hpp"

namespace heddle::test::contexts_json_test {
namespace {

constexpr std::string_view kContexts = R"("contexts": [
    {"name": "solver", "workers": {"cpu": 1, "gpu": 1}, "policy": "dmdas"},
    {"name": "rest", "workers": {"cpu": 1}, "policy": "eager"}
  ])";

/// The toy with contexts; its second task names none.
std::string toy_with(std::string_view contexts) {
  std::string text = mutated(kToy, R"("tasks": [)", std::string(contexts) + ",\n  \"tasks\": [");
  text = mutated(text, R"("access": [["A", "rw"]]})", R"("access": [["A", "rw"]], "context": "solver"})");
  return mutated(text, R"("type": "POTRF", "seconds": {"gpu": 0.5})",
                 R"("type": "POTRF", "context": "solver", "seconds": {"gpu": 0.5})");
}

Instance read(const std::string& text) {
  return io::read_instance(text, "toy.json");
}

std::string refused(std::string_view from, std::string_view to) {
  const std::string text = mutated(toy_with(kContexts), from, to);
  return error_of([&] { static_cast<void>(read(text)); });
}

TEST(ContextsInInstances, AreRead) {
  const Instance instance = read(toy_with(kContexts));
  ASSERT_EQ(instance.contexts.all.size(), 2);
  EXPECT_EQ(instance.contexts.all[ContextId{0}], (Context{"solver", {WorkerId{0}, WorkerId{2}}, "dmdas"}));
  EXPECT_EQ(instance.contexts.all[ContextId{1}], (Context{"rest", {WorkerId{1}}, "eager"}));
  // What names none is of the last.
  EXPECT_EQ(instance.contexts.of[TaskId{0}], ContextId{0});
  EXPECT_EQ(instance.contexts.of[TaskId{1}], ContextId{1});
  EXPECT_TRUE(read(std::string(kToy)).contexts.empty());
  EXPECT_TRUE(read(mutated(kToy, R"("tasks": [)", R"("contexts": [], "tasks": [)")).contexts.empty());
}

TEST(ContextsInInstances, AreWrittenAsTheyAreRead) {
  const std::string text = io::write_instance(read(toy_with(kContexts)));
  EXPECT_NE(text.find(kContexts), std::string::npos) << text;
  EXPECT_NE(text.find(R"("name": "c0", "type": "CHECK", "after": ["p0"], "priority": 3, "context": "rest"})"),
            std::string::npos)
      << text;
  // Workers that are shared have to be named.
  constexpr std::string_view kNamed = R"("contexts": [
    {"name": "solver", "workers": ["cpu1", "gpu0"], "policy": "dmdas"},
    {"name": "rest", "workers": ["cpu1"], "policy": "ws"}
  ])";
  const std::string named = io::write_instance(read(toy_with(kNamed)));
  EXPECT_NE(named.find(kNamed), std::string::npos) << named;
}

/// A rule may have moved the last worker of a context whose tasks have ended.
TEST(ContextsInInstances, MayLackWorkersWithoutTasks) {
  for (const char* const none : {"{}", "[]", R"({"gpu": 0})"}) {
    const std::string more = mutated(kContexts, R"("contexts": [)",
                                     R"("contexts": [{"name": "idle", "workers": )" + std::string(none) + "},");
    const Instance instance = read(toy_with(more));
    EXPECT_TRUE(instance.contexts.all[ContextId{0}].workers.empty());
    EXPECT_EQ(read(io::write_instance(instance)).contexts, instance.contexts);
  }
}

TEST(ContextsInInstances, GetOneClearSentence) {
  EXPECT_EQ(refused(R"("cpu": 1, "gpu": 1)", R"("cpu": 1, "gpu": 2)"),
            "toy.json: contexts: context 'solver' wants 2 gpu, of which 1 is left; contexts share workers that they "
            "name, e.g. solver:gpu0");
  EXPECT_EQ(
      refused(R"({"cpu": 1, "gpu": 1})", R"(["cpu0", "gpu1"])"),
      "toy.json: contexts[0].workers[1] is 'gpu1', but no worker is called so; did you mean 'cpu1'? (possible: cpu0, "
      "cpu1, gpu0)");
  EXPECT_EQ(refused(R"({"cpu": 1, "gpu": 1})", R"(["cpu0", "cpu0"])"),
            "toy.json: contexts: context 'solver' names worker 'cpu0' twice");
  EXPECT_EQ(refused(R"({"cpu": 1, "gpu": 1})", "4"),
            "toy.json: contexts[0].workers is the number 4; expected numbers of workers by class, {\"cpu\": 4}, or an "
            "array of worker names, [\"cpu0\"]");
  EXPECT_EQ(refused(R"({"cpu": 1}, "policy": "eager")", R"({"cpu": 0}, "policy": "eager")"),
            "toy.json: task 'c0' of type 'CHECK' is of context 'rest', none of whose workers can run it");
  EXPECT_EQ(refused(R"("name": "rest")", R"("name": "solver")"),
            "toy.json: contexts[1].name is 'solver' again; expected a different name for each context");
  EXPECT_EQ(refused(R"("context": "solver"})", R"("context": "slover"})"),
            "toy.json: tasks[0].context is 'slover', but no context is called so; did you mean 'solver'? (possible: "
            "solver, rest)");
  EXPECT_EQ(refused(R"("type": "POTRF", "context": "solver")", R"("type": "POTRF", "context": "rest")"),
            "toy.json: task 'x' of type 'POTRF' is of context 'rest', none of whose workers can run it");
}

TEST(ContextsInSchedules, AreReadAndWritten) {
  const Instance instance = read(toy_with(kContexts));
  Schedule schedule;
  schedule.contexts = instance.contexts;
  schedule.attempts = {{TaskId{0}, WorkerId{0}, 0, 10 * kMillisecond, Outcome::completed},
                       {TaskId{1}, WorkerId{1}, 10 * kMillisecond, 11 * kMillisecond, Outcome::completed},
                       {TaskId{2}, WorkerId{2}, 0, kSecond / 2, Outcome::completed}};
  const std::string text = io::write_schedule(schedule, instance);
  EXPECT_NE(text.find(kContexts), std::string::npos) << text;
  EXPECT_NE(text.find(R"("outcome": "completed", "context": "rest"})"), std::string::npos) << text;
  const Schedule again = io::read_schedule(text, "s.json", instance).schedule;
  EXPECT_EQ(again.contexts, schedule.contexts);
  EXPECT_EQ(again.attempts, schedule.attempts);
  // The instance need not have any.
  EXPECT_EQ(io::read_schedule(text, "s.json", read(std::string(kToy))).schedule.contexts, schedule.contexts);
  // A task is of one context.
  Schedule twice = schedule;
  twice.attempts.push_back({TaskId{1}, WorkerId{1}, 0, kMillisecond, Outcome::aborted});
  const std::string differs = mutated(io::write_schedule(twice, instance), R"("aborted", "context": "rest")",
                                      R"("aborted", "context": "solver")");
  EXPECT_EQ(error_of([&] { static_cast<void>(io::read_schedule(differs, "s.json", instance)); }),
            "s.json: attempts[3].context is not 'rest', the context of another attempt of the task");
}

TEST(Assignment, NamesContextsOfTasks) {
  const Instance instance = read(toy_with(kContexts));
  const auto assigned = [&](std::string_view text) {
    Contexts contexts = instance.contexts;
    io::read_assignment(text, "a.json", instance.graph, contexts);
    return contexts.of;
  };
  EXPECT_EQ(assigned("{}"), instance.contexts.of);
  EXPECT_EQ(assigned(R"({"c0": "solver", "p0": "rest"})")[TaskId{1}], ContextId{0});
  EXPECT_EQ(assigned(R"({"c0": "solver", "p0": "rest"})")[TaskId{0}], ContextId{1});
  const auto refusal = [&](std::string_view text) { return error_of([&] { static_cast<void>(assigned(text)); }); };
  EXPECT_EQ(refusal(R"({"c1": "solver"})"), "a.json: c1 names no task; did you mean 'c0'? (possible: p0, c0, x)");
  EXPECT_EQ(refusal(R"({"c0": "all"})"), "a.json: c0 is 'all', but no context is called so; possible: solver, rest");
  EXPECT_EQ(refusal(R"({"c0": "rest", "c0": "rest"})"), "a.json: the document has the key 'c0' twice");
  EXPECT_EQ(refusal("[]"),
            "a.json: the document is an array of length 0; expected an object of contexts by task, {\"POTRF(0,0)\": "
            "\"solver\"}");
}

TEST(WattsInPlatforms, AreReadAndWritten) {
  const std::string text =
      mutated(kToy, R"("memory": "ram"})", R"("memory": "ram", "watts": {"busy": 12.5, "idle": 3}})");
  const Instance instance = read(text);
  EXPECT_EQ(instance.platform.resource_class(ClassId{0}).watts, (Watts{12.5, 3}));
  EXPECT_FALSE(instance.platform.resource_class(ClassId{1}).watts);
  EXPECT_NE(io::write_instance(instance).find(R"("memory": "ram", "watts": {"busy": 12.5, "idle": 3}})"),
            std::string::npos);
  const auto refusal = [&](std::string_view to) {
    return error_of([&] { static_cast<void>(read(mutated(text, R"({"busy": 12.5, "idle": 3})", to))); });
  };
  EXPECT_EQ(refusal(R"({"busy": -1, "idle": 3})"),
            "toy.json: platform.classes[0].watts.busy is the number -1; expected watts, 0 or more");
  EXPECT_EQ(refusal(R"({"busy": 12.5})"), "toy.json: platform.classes[0].watts has no 'idle'; expected watts");
}

}  // namespace
}  // namespace heddle::test::contexts_json_test
