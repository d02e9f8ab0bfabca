#include "heddle/partition/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle::partition {
namespace {

Platform machine(const std::vector<std::uint32_t>& workers) {
  std::vector<ResourceClass> classes;
  for (const std::uint32_t count : workers) classes.push_back({"c" + std::to_string(classes.size()), count});
  return Platform(std::move(classes));
}

/// The contexts of a candidate as numbers of workers, in an order of their own.
using Shape = std::multiset<std::vector<std::uint32_t>>;

Shape shape_of(const Candidate& candidate) {
  Shape shape;
  for (const Part& part : candidate.parts) shape.insert({part.workers.begin(), part.workers.end()});
  return shape;
}

std::set<Shape> shapes_of(const std::vector<Candidate>& candidates) {
  std::set<Shape> shapes;
  for (const Candidate& candidate : candidates)
    EXPECT_TRUE(shapes.insert(shape_of(candidate)).second) << candidate.name;
  return shapes;
}

/// Puts the workers one after the other into one of the contexts, or into a new one: every partition of them.
void put_each(const Platform& platform, std::size_t worker, std::vector<std::vector<std::uint32_t>>& contexts,
              std::set<Shape>& shapes) {
  if (worker == platform.worker_count()) {
    shapes.insert(Shape(contexts.begin(), contexts.end()));
    return;
  }
  const std::size_t c = index(platform.class_of(make_id<WorkerId>(worker)));
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    ++contexts[i][c];
    put_each(platform, worker + 1, contexts, shapes);
    --contexts[i][c];
  }
  contexts.emplace_back(platform.class_count(), 0)[c] = 1;
  put_each(platform, worker + 1, contexts, shapes);
  contexts.pop_back();
}

TEST(AllPartitions, AreThoseOfTheWorkersUpToExchange) {
  for (const std::vector<std::uint32_t>& workers : std::vector<std::vector<std::uint32_t>>{{1},
                                                                                           {5},
                                                                                           {0, 3},
                                                                                           {3, 0},
                                                                                           {1, 1},
                                                                                           {2, 2},
                                                                                           {4, 2},
                                                                                           {2, 4},
                                                                                           {2, 1, 2},
                                                                                           {1, 0, 3},
                                                                                           {3, 2, 2},
                                                                                           {1, 1, 1, 1, 1}}) {
    const Platform platform = machine(workers);
    std::set<Shape> expected;
    std::vector<std::vector<std::uint32_t>> contexts;
    put_each(platform, 0, contexts, expected);
    const Partitions found = all_partitions(platform, 10'000);
    EXPECT_FALSE(found.is_cut);
    EXPECT_EQ(shapes_of(found.candidates), expected);
    EXPECT_TRUE(std::ranges::is_sorted(found.candidates, {}, [](const Candidate& one) { return one.parts.size(); }));
  }
  EXPECT_EQ(all_partitions(machine({4, 2}), 100).candidates.size(), 29U);
}

TEST(AllPartitions, StopsWhenThereAreEnough) {
  const Platform platform = machine({36, 4});
  const Partitions found = all_partitions(platform, 500);
  EXPECT_TRUE(found.is_cut);
  EXPECT_EQ(found.candidates.size(), 500U);
  EXPECT_EQ(found.candidates.front().parts.size(), 1U);
  EXPECT_FALSE(all_partitions(machine({4, 2}), 29).is_cut);
  EXPECT_TRUE(all_partitions(machine({4, 2}), 28).is_cut);
}

TEST(AddJoint, SharesWorkersAndDividesTheOthers) {
  const Platform platform = machine({2, 1});
  Partitions found = all_partitions(platform, 100);
  const std::size_t partitions = found.candidates.size();
  add_joint(platform, 100, found);
  EXPECT_FALSE(found.is_cut);
  std::set<std::string> joint;
  for (std::size_t i = partitions; i < found.candidates.size(); ++i)
    joint.insert(describe(found.candidates[i], platform));
  // One worker is shared by the contexts of two others.
  EXPECT_EQ(joint, (std::set<std::string>{"c0=1 + c1=1 | c0=1 + c1=1", "c0=1 + c0=1 | c1=1 + c0=1"}));
  EXPECT_EQ(found.candidates.size(), partitions + 2);
}

/// Which ways there are to give each context workers of its own, and to share others among all contexts.
std::set<Shape> joint_shapes(const Platform& platform, const std::vector<std::uint32_t>& shared) {
  std::vector<std::uint32_t> rest;
  for (const ClassId c : platform.classes()) rest.push_back(platform.worker_count(c) - shared[index(c)]);
  std::set<Shape> shapes;
  std::vector<std::vector<std::uint32_t>> contexts;
  put_each(machine(rest), 0, contexts, shapes);
  std::erase_if(shapes, [](const Shape& shape) { return shape.size() < 2; });
  return shapes;
}

TEST(AddJoint, HasAllWaysOnce) {
  for (const std::vector<std::uint32_t>& workers :
       std::vector<std::vector<std::uint32_t>>{{2}, {3}, {2, 2}, {4, 2}, {2, 1, 2}}) {
    const Platform platform = machine(workers);
    Partitions found;
    add_joint(platform, 10'000, found);
    std::map<std::vector<std::uint32_t>, std::set<Shape>> by_shared;
    for (const Candidate& candidate : found.candidates) {
      const Part& first = candidate.parts.front();
      EXPECT_TRUE(std::ranges::all_of(candidate.parts, [&](const Part& part) { return part.shared == first.shared; }));
      const std::vector<std::uint32_t> shared(first.shared.begin(), first.shared.end());
      EXPECT_TRUE(by_shared[shared].insert(shape_of(candidate)).second);
    }
    std::size_t count = 0;
    for (const auto& [shared, shapes] : by_shared) {
      EXPECT_EQ(shapes, joint_shapes(platform, shared));
      count += shapes.size();
    }
    EXPECT_EQ(found.candidates.size(), count);
    // Nothing is shared in none of them, and at least two workers are left in all of them.
    EXPECT_FALSE(by_shared.contains(std::vector<std::uint32_t>(workers.size(), 0)));
    std::uint64_t vectors = 1;
    std::uint64_t all = 0;
    for (const std::uint32_t number : workers) vectors *= number + 1, all += number;
    // All vectors but that of all workers, those of all but one, and none.
    EXPECT_EQ(by_shared.size(), vectors - 2 -
                                    static_cast<std::uint64_t>(std::ranges::count_if(
                                        workers, [](std::uint32_t number) { return number > 0; })));
  }
}

TEST(JointCandidates, HaveRoomForJointContextsHoweverManyPartitionsThereAre) {
  const Partitions found = joint_candidates(machine({20, 4}), 200);
  EXPECT_TRUE(found.is_cut);
  EXPECT_EQ(found.candidates.size(), 200U);
  const auto shares = [](const Candidate& one) {
    return std::ranges::any_of(one.parts.front().shared, [](std::uint32_t number) { return number > 0; });
  };
  EXPECT_EQ(std::ranges::count_if(found.candidates, shares), 100);
  const Partitions few = joint_candidates(machine({2, 1}), 200);
  EXPECT_FALSE(few.is_cut);
  EXPECT_EQ(std::ranges::count_if(few.candidates, shares), 2);
}

TEST(AddJoint, StopsWhenThereAreEnough) {
  Partitions found = all_partitions(machine({4, 2}), 1000);
  add_joint(machine({4, 2}), 40, found);
  EXPECT_TRUE(found.is_cut);
  EXPECT_EQ(found.candidates.size(), 40U);
}

TEST(Candidate, CountsSharedWorkersInEqualParts) {
  const Platform platform = machine({5, 1});
  const Candidate candidate = read_candidates(R"([{"name": "x", "contexts": [
      {"workers": {"c0": 2}, "shared": {"c0": 2}}, {"workers": {"c1": 1}, "shared": {"c0": 1}}, {"workers": {"c0": 1}}]}])",
                                              "file", platform)
                                  .front();
  EXPECT_EQ(candidate.shared(ClassId{0}), 2U);
  EXPECT_DOUBLE_EQ(candidate.worth(0, ClassId{0}), 3.5);
  EXPECT_DOUBLE_EQ(candidate.worth(1, ClassId{0}), 0.5);
  EXPECT_DOUBLE_EQ(candidate.worth(2, ClassId{0}), 1);
  EXPECT_DOUBLE_EQ(candidate.worth(1, ClassId{1}), 1);
  const Table<ContextId, Context> contexts = contexts_of(candidate, platform, "lws");
  const auto workers = [](std::vector<std::uint32_t> numbers) {
    std::vector<WorkerId> ids;
    for (const std::uint32_t number : numbers) ids.push_back(make_id<WorkerId>(number));
    return ids;
  };
  EXPECT_EQ(contexts[ContextId{0}].workers, workers({0, 1, 3, 4}));
  EXPECT_EQ(contexts[ContextId{1}].workers, workers({3, 5}));
  EXPECT_EQ(contexts[ContextId{2}].workers, workers({2}));
}

TEST(Gazolla2017, HasTheFifteenConfigurations) {
  const Platform platform = machine({4, 2});
  const std::vector<Candidate> table = gazolla_2017(platform);
  ASSERT_EQ(table.size(), 15U);
  EXPECT_EQ(describe(table[0], platform), "c0=4");
  EXPECT_EQ(describe(table[1], platform), "c1=2");
  EXPECT_EQ(describe(table[5], platform), "c0=2,c1=2 | c0=2");
  EXPECT_EQ(describe(table[14], platform), "c1=1 | c1=1 | c0=1 | c0=1 | c0=1 | c0=1");
  // The numbers of contexts that the table's lines have; all but the first two are partitions of the machine.
  const std::vector<std::size_t> contexts{1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5, 5, 6};
  const std::set<Shape> partitions = shapes_of(all_partitions(platform, 100).candidates);
  const std::set<Shape> shapes = shapes_of(table);
  EXPECT_EQ(shapes.size(), 15U);
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(table[i].name, std::to_string(i + 1));
    EXPECT_EQ(table[i].parts.size(), contexts[i]);
    EXPECT_EQ(partitions.contains(shape_of(table[i])), i >= 2);
  }
}

TEST(Gazolla2017, IsOfItsMachineOnly) {
  for (const std::vector<std::uint32_t>& workers :
       std::vector<std::vector<std::uint32_t>>{{4}, {4, 3}, {2, 4}, {4, 2, 1}}) {
    EXPECT_THROW(static_cast<void>(gazolla_2017(machine(workers))), InputError);
  }
}

TEST(ContextsOf, TakesWorkersThatNoContextBeforeHas) {
  const Platform platform = machine({4, 2});
  Candidate candidate = gazolla_2017(platform)[9];
  candidate.parts[1].policy = "ws";
  const Table<ContextId, Context> contexts = contexts_of(candidate, platform, "lws");
  ASSERT_EQ(contexts.size(), 3U);
  EXPECT_EQ(contexts[ContextId{0}], (Context{"1", {WorkerId{0}, WorkerId{1}, WorkerId{4}, WorkerId{5}}, "lws"}));
  EXPECT_EQ(contexts[ContextId{1}], (Context{"2", {WorkerId{2}}, "ws"}));
  EXPECT_EQ(contexts[ContextId{2}], (Context{"3", {WorkerId{3}}, "lws"}));
}

TEST(ReadCandidates, TakesWhatTheCommandPrints) {
  const Platform platform = machine({4, 2});
  const auto read = [&](const char* text) { return read_candidates(text, "file", platform); };
  const std::vector<Candidate> found = read(R"({"instance": "x", "candidates": [
      {"name": "a:ws", "contexts": [{"workers": {"c0": 4}, "policy": "ws"}, {"workers": {"c1": 1}}], "estimate": 1.5},
      {"name": "b", "contexts": [{"workers": {"c1": 2, "c0": 0}, "policy": ""}]}]})");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "a:ws");
  EXPECT_EQ(describe(found[0], platform), "c0=4 | c1=1");
  EXPECT_EQ(found[0].parts[0].policy, "ws");
  EXPECT_EQ(found[0].parts[1].policy, "");
  EXPECT_EQ(describe(found[1], platform), "c1=2");
  EXPECT_EQ(read(R"([{"name": "b", "contexts": [{"workers": {"c1": 2}}]}])").size(), 1U);
}

TEST(ReadCandidates, RefusesWhatMakesNoSense) {
  const Platform platform = machine({4, 2});
  const std::map<std::string, std::string> sentences{
      {"3", "an array of candidates"},
      {"[]", "has no candidate"},
      {"{}", "an array of candidates"},
      {R"([{"contexts": []}])", "the name of the candidate"},
      {R"([{"name": "a"}])", "an array of contexts"},
      {R"([{"name": "a", "contexts": []}])", "has no context"},
      {R"([{"name": "a", "contexts": [{}]}])", "numbers of workers by class"},
      {R"([{"name": "a", "contexts": [{"workers": {}}]}])", "no worker"},
      {R"([{"name": "a", "contexts": [{"workers": {"c0": 0}}]}])", "no worker"},
      {R"([{"name": "a", "contexts": [{"workers": {"c0": 5}}]}])", "no more than the class has"},
      {R"([{"name": "a", "contexts": [{"workers": {"c0": 3}}, {"workers": {"c0": 2}}]}])",
       "more workers of class 'c0'"},
      {R"([{"name": "a", "contexts": [{"workers": {"c0": 3}, "shared": {"c0": 2}}]}])", "more workers of class 'c0'"},
      {R"([{"name": "a", "contexts": [{"workers": {}, "shared": {"c0": 0}}]}])", "no worker"},
      {R"([{"name": "a", "contexts": [{"workers": {"tpu": 1}}]}])", "tpu"},
      {R"([{"name": "a", "contexts": [{"workers": {"c0": 1}, "policy": "hft"}]}])", "hft"},
      {R"([{"name": "a", "contexts": [{"workers": {"c0": 1}}]}, {"name": "a", "contexts": [{"workers": {"c0": 1}}]}])",
       "candidate"}};
  for (const auto& [text, sentence] : sentences) {
    try {
      static_cast<void>(read_candidates(text, "file.json", platform));
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string_view(error.what()).find(sentence), std::string_view::npos) << text << ": " << error.what();
      EXPECT_TRUE(std::string_view(error.what()).starts_with("file.json")) << error.what();
    }
  }
}

}  // namespace
}  // namespace heddle::partition
