// Writes instances and their bounds to standard output for scipy_oracle.py, which computes the bounds a second way:
//
//   instance NAME
//   workers 20 4             by class
//   task TYPE 3000 -1        durations by class, -1 where it cannot run
//   edge 0 2                 task numbers
//   bound area 1500          or "mixed", "iterative"
//   end

#include <cstdio>
#include <string>

#include "heddle/bounds/bounds.hpp"
#include "tests/bounds/public_instances.hpp"
#include "tests/bounds/tiled.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

void dump_task(const Instance& instance, TaskId task) {
  std::printf("task %s", std::string(instance.graph.type_name(instance.graph.type(task))).c_str());
  for (const Time duration : instance.costs.actual_row(task)) {
    std::printf(" %lld", duration == kCannotRun ? -1LL : static_cast<long long>(duration));
  }
  std::printf("\n");
}

void dump(const char* kind, const bounds::Bound& bound) {
  std::printf("bound %s %lld\n", kind, static_cast<long long>(bound.value));
}

void dump(const Instance& instance) {
  std::printf("instance %s\nworkers", instance.name.c_str());
  for (const ClassId c : instance.platform.classes()) std::printf(" %u", instance.platform.worker_count(c));
  std::printf("\n");
  for (const TaskId task : instance.graph.tasks()) dump_task(instance, task);
  for (const TaskId task : instance.graph.tasks()) {
    for (const TaskId next : instance.graph.successors(task)) std::printf("edge %zu %zu\n", index(task), index(next));
  }
  // Not those of compute(), which rounds them up.
  const bounds::Bound iterative = bounds::iterative_bound(instance);
  dump("critical-path", bounds::critical_path_bound(instance));
  dump("area", bounds::area_bound(instance));
  if (const auto mixed = bounds::mixed_bound(instance)) dump("mixed", *mixed);
  dump("iterative", iterative);
  dump("window", bounds::window_bound(instance, {}, iterative));
  std::printf("end\n");
}

void dump_factorizations() {
  const std::vector<std::vector<ClassSize>> machines{
      {{"cpu", 20}, {"gpu", 4}}, {{"cpu", 4}, {"gpu", 8}}, {{"cpu", 6}, {"cpu5", 2}, {"gpu", 3}}, {{"cpu", 3}}};
  for (const char* algorithm : {"cholesky", "lu", "qr"}) {
    for (const int tiles : {1, 2, 5, 8, 11}) {
      for (const auto& machine : machines) dump(tiled_instance(algorithm, tiles, machine));
    }
  }
}

/// Where critical path and area compete.
void dump_competing() {
  for (const auto& machine :
       std::vector<std::vector<ClassSize>>{{{"cpu", 60}, {"gpu", 4}}, {{"cpu", 40}, {"cpu5", 4}, {"gpu", 3}}}) {
    dump(tiled_instance("cholesky", 14, machine));
    dump(tiled_instance("lu", 11, machine));
    dump(tiled_instance("qr", 11, machine));
  }
}

void dump_random_instances() {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    RandomShape shape;
    shape.max_classes = 4;
    shape.max_tasks = 40;
    shape.max_duration = 1'000'000'000;
    shape.shared_types = seed % 3 != 0;
    Instance instance = random_instance(random, shape);
    instance.name = "random" + std::to_string(seed);
    dump(instance);
  }
}

void dump_public_instances() {
  const auto data = data_folder();
  if (!data) return;
  for (const Instance& instance : hetero_swf_instances(*data)) dump(instance);
}

}  // namespace
}  // namespace heddle::test

int main() {
  heddle::test::dump_factorizations();
  heddle::test::dump_competing();
  heddle::test::dump_random_instances();
  heddle::test::dump_public_instances();
}
