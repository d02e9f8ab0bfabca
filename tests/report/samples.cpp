#include "tests/report/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace heddle::report::test {
namespace {

constexpr ClassId kCpu = make_id<ClassId>(0);
constexpr ClassId kGpu = make_id<ClassId>(1);

TaskId task(std::size_t number) {
  return make_id<TaskId>(number);
}

WorkerId worker(std::size_t number) {
  return make_id<WorkerId>(number);
}

constexpr MemoryId kRam = make_id<MemoryId>(0);
constexpr MemoryId kGpuMemory = make_id<MemoryId>(1);
constexpr std::int64_t kMebibyte = 1 << 20;

std::vector<ResourceClass> machine(std::uint32_t cpus, std::uint32_t gpus) {
  return {{.name = "cpu", .workers = cpus}, {.name = "gpu", .workers = gpus}};
}

void set_durations(Costs& costs, TypeId type, Time cpu, Time gpu) {
  costs.set_actual(Costs::row(type), kCpu, cpu);
  costs.set_actual(Costs::row(type), kGpu, gpu);
}

/// The loops of a tiled Cholesky factorization. The last writer of each tile is remembered; edges are what tasks read.
class CholeskyBuilder {
 public:
  explicit CholeskyBuilder(std::size_t tiles) : tiles_(tiles), writer_(tiles * tiles) {
    for (const char* name : {"POTRF", "TRSM", "SYRK", "GEMM"}) types_.push_back(builder_.add_type(name));
  }

  TaskGraph build() {
    for (std::size_t i = 0; i < tiles_; ++i) {
      add(0, fmt::format("POTRF({})", i), i, i, {});
      for (std::size_t j = i + 1; j < tiles_; ++j) add(1, fmt::format("TRSM({},{})", j, i), j, i, {{i, i}});
      for (std::size_t k = i + 1; k < tiles_; ++k) {
        add(2, fmt::format("SYRK({},{})", k, i), k, k, {{k, i}});
        for (std::size_t j = k + 1; j < tiles_; ++j) {
          add(3, fmt::format("GEMM({},{},{})", j, k, i), j, k, {{j, i}, {k, i}});
        }
      }
    }
    return builder_.build();
  }

 private:
  using Tile = std::pair<std::size_t, std::size_t>;

  void add(std::size_t type, const std::string& name, std::size_t row, std::size_t column, std::vector<Tile> reads) {
    const TaskId added = builder_.add_task(name, types_[type]);
    reads.emplace_back(row, column);
    for (const auto& [r, c] : reads) {
      const std::optional<TaskId>& before = writer_[r * tiles_ + c];
      if (before) builder_.add_edge(*before, added);
    }
    writer_[row * tiles_ + column] = added;
  }

  std::size_t tiles_;
  std::vector<std::optional<TaskId>> writer_;
  TaskGraphBuilder builder_;
  std::vector<TypeId> types_;
};

/// Places tasks one after the other.
class GreedyPlacer {
 public:
  explicit GreedyPlacer(const Instance& instance)
      : instance_(instance), done_(instance.graph.task_count()), free_(instance.platform.worker_count()) {}

  void place(TaskId task, bool aborts_first) {
    Time ready = 0;
    for (const TaskId before : instance_.graph.predecessors(task)) ready = std::max(ready, done_[before]);
    if (aborts_first) ready = abort_on_cpu(task, ready);
    const WorkerId best = std::ranges::min(instance_.platform.workers(), {},
                                           [&](WorkerId w) { return std::max(free_[w], ready) + duration(task, w); });
    const Time start = std::max(free_[best], ready);
    done_[task] = free_[best] = start + duration(task, best);
    attempts_.push_back({task, best, start, free_[best], Outcome::completed});
  }

  std::vector<Attempt> finish() {
    std::ranges::sort(attempts_, {}, [](const Attempt& a) { return std::tuple(a.end, a.start, a.worker); });
    return std::move(attempts_);
  }

 private:
  Time duration(TaskId task, WorkerId w) const { return instance_.costs.actual(task, instance_.platform.class_of(w)); }

  Time abort_on_cpu(TaskId task, Time ready) {
    const WorkerId first = std::ranges::min(instance_.platform.workers(kCpu), {}, [&](WorkerId w) { return free_[w]; });
    const Time start = std::max(free_[first], ready);
    free_[first] = start + duration(task, first) / 2;
    attempts_.push_back({task, first, start, free_[first], Outcome::aborted});
    return free_[first];
  }

  const Instance& instance_;
  Table<TaskId, Time> done_;
  Table<WorkerId, Time> free_;
  std::vector<Attempt> attempts_;
};

}  // namespace

Instance diamond() {
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("work");
  for (const char* name : {"a", "b", "c", "d"}) builder.add_task(name, type);
  builder.add_datum({.name = "A(0,0)", .bytes = 256 * kMebibyte});
  builder.add_datum({.name = "A(1,0)", .bytes = 128 * kMebibyte});
  builder.add_edge(task(0), task(1));
  builder.add_edge(task(0), task(2));
  builder.add_edge(task(1), task(3));
  builder.add_edge(task(2), task(3));
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  set_durations(costs, type, kSecond, kSecond / 2);
  std::vector<ResourceClass> classes = machine(2, 1);
  classes[1].memory = ResourceClass::kEach;
  return make_instance("diamond", std::move(graph), Platform(classes), std::move(costs));
}

Schedule diamond_schedule() {
  Schedule schedule;
  schedule.instance = "diamond";
  schedule.policy = "by-hand";
  const Time half = kSecond / 2;
  schedule.attempts = {
      {task(0), worker(2), 0, half, Outcome::completed},
      {task(2), worker(1), half, 2 * half, Outcome::aborted},
      {task(1), worker(0), half, 3 * half, Outcome::completed},
      {task(2), worker(2), 2 * half, 3 * half, Outcome::completed},
      {task(3), worker(2), 3 * half, 4 * half, Outcome::completed},
  };
  return schedule;
}

Instance diamond_with_watts() {
  Instance instance = diamond();
  std::vector<ResourceClass> classes;
  for (const ClassId c : instance.platform.classes()) classes.push_back(instance.platform.resource_class(c));
  classes[0].watts = {10, 1};
  classes[1].watts = {100, 20};
  instance.platform = Platform(std::move(classes));
  return instance;
}

Schedule diamond_schedule_in_contexts() {
  Schedule schedule = diamond_schedule();
  schedule.contexts.all.push_back({"main", {worker(1), worker(2)}, "heft"});
  schedule.contexts.all.push_back({"side", {worker(0)}, "eager"});
  for (const std::size_t context : {0U, 1U, 0U, 0U}) schedule.contexts.of.push_back(make_id<ContextId>(context));
  return schedule;
}

Schedule diamond_schedule_with_move() {
  Schedule schedule = diamond_schedule_in_contexts();
  schedule.moves.push_back({3 * kSecond / 2, worker(0), ContextId{1}, ContextId{0}});
  return schedule;
}

Schedule diamond_schedule_with_transfers() {
  Schedule schedule = diamond_schedule();
  const auto first = make_id<DataId>(0);
  const auto second = make_id<DataId>(1);
  const Time quarter = kSecond / 4;
  schedule.transfers = {
      {second, kRam, kGpuMemory, 0, quarter, 128 * kMebibyte},
      {second, kGpuMemory, kRam, 3 * quarter, 4 * quarter, 128 * kMebibyte},
      {first, kRam, kGpuMemory, 2 * quarter, 4 * quarter, 256 * kMebibyte},
  };
  return schedule;
}

const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> kNames = {
      "</script><script>window.hacked=1</script>",
      "<img src=x onerror=\"window.hacked=1\">",
      "<!--<script>",
      "\"};window.hacked=1;//",
      "line\u2028separator\u2029and\nnewline",
      "nul\x01 and \x1b[31mescape",
      "not utf-8: \xC3\x28 \xFF \xED\xA0\x80",
      "${window.hacked=1} `x` {{data}} &lt;b&gt;",
      "digits 007 and 12345678901234567890",
      std::string(300, 'W'),
      "",
  };
  return kNames;
}

Instance hostile_instance() {
  TaskGraphBuilder builder;
  std::vector<TypeId> types;
  for (const std::string& name : hostile_names()) {
    types.push_back(builder.add_type(name + "?"));
    builder.add_task(name, types.back());
    builder.add_datum({.name = name, .bytes = 1});
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, 2);
  for (const TypeId type : types) set_durations(costs, type, kSecond, kSecond);
  std::vector<ResourceClass> classes = machine(2, 1);
  classes[0].name = hostile_names()[0];
  classes[1].name = hostile_names()[1];
  classes[1].memory = hostile_names()[2];
  return make_instance(hostile_names()[1], std::move(graph), Platform(classes), std::move(costs));
}

void add_transfers(Schedule& schedule, const Instance& instance) {
  Time now = 0;
  for (const DataId data : instance.graph.data().ids()) {
    const Time end = now + kSecond / 10;
    schedule.transfers.push_back({data, kRam, kGpuMemory, now, end, instance.graph.datum(data).bytes});
    now = end;
  }
}

Instance cholesky(std::size_t tiles) {
  TaskGraph graph = CholeskyBuilder(tiles).build();
  Costs costs(graph, 2);
  // Measured on Sirocco with tiles of order 960 (double precision), rounded.
  constexpr Time kCpuTimes[] = {17'200, 48'700, 46'100, 88'600};
  constexpr Time kGpuTimes[] = {9'840, 5'300, 1'870, 3'070};
  for (const TypeId type : graph.types()) {
    set_durations(costs, type, kCpuTimes[index(type)] * kMicrosecond, kGpuTimes[index(type)] * kMicrosecond);
  }
  return make_instance(fmt::format("cholesky:tiles={}", tiles), std::move(graph), Platform(machine(20, 4)),
                       std::move(costs));
}

Schedule greedy_schedule(const Instance& instance, std::string policy, std::size_t abort_every) {
  GreedyPlacer placer(instance);
  for (const TaskId t : instance.graph.topological_order()) {
    placer.place(t, abort_every > 0 && index(t) % abort_every == 0);
  }
  Schedule schedule;
  schedule.instance = instance.name;
  schedule.policy = std::move(policy);
  schedule.attempts = placer.finish();
  return schedule;
}

StudyReport sample_study(const std::vector<std::string>& words) {
  const auto word = [&](std::size_t number) { return words[number % words.size()]; };
  StudyReport report{.name = word(0), .summary = word(1), .publication = word(2), .grid = word(3), .remark = word(4)};
  report.claims = {{word(0), word(1), word(2), word(3), true}, {word(1), word(2), word(3), word(4), false}};
  report.tables = {{.title = word(2), .columns = {{word(0)}, {word(1), Align::right}}, .rows = {{word(3), "1.5"}}}};
  Series banded{.name = word(0), .values = {1.0, 2.0, 4.0}, .low = {0.5, 1.5, 3.0}, .high = {1.5, 3.0, 8.0}};
  Series broken{.name = word(1), .values = {3.0, std::nullopt, 1.0}};
  const Panel lines{.title = word(3), .x = {4, 8, 12}, .series = {banded, broken}};
  const Panel cloud{.title = word(4), .x = {1, 1, 2}, .series = {{.name = word(1), .values = {10.0, 1000.0, 0.1}}}};
  report.figures = {{.title = word(0),
                     .note = word(1),
                     .x_label = word(2),
                     .y_label = word(3),
                     .panels = {lines, lines},
                     .level = 1.2},
                    {.title = word(1),
                     .x_label = word(2),
                     .y_label = word(3),
                     .panels = {cloud},
                     .points = true,
                     .logarithmic = true}};
  return report;
}

}  // namespace heddle::report::test
