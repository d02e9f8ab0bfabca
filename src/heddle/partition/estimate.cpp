#include "heddle/partition/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/routes.hpp"
#include "heddle/partition/machines.hpp"

namespace heddle::partition {
namespace {

/// The memory that a class computes in; any of them where each worker has its own, which are alike.
MemoryId memory_of(const Platform& platform, ClassId c) {
  return platform.memory_of(*platform.workers(c).begin());
}

/// Adds up what moving the data of tasks to and from a class takes.
class Moves {
 public:
  explicit Moves(const Instance& instance)
      : graph_(instance.graph), routes_(instance.platform), homes_(home_memories(instance)) {}

  [[nodiscard]] bool free() const { return routes_.free(); }
  [[nodiscard]] double input(TaskId task, MemoryId memory) const {
    double seconds = 0;
    for (const Access access : graph_.accesses(task)) {
      if (reads(access.mode)) seconds += move(homes_[access.data], memory, access.data);
    }
    return seconds;
  }
  [[nodiscard]] double output(TaskId task, MemoryId memory) const {
    double seconds = 0;
    for (const Access access : graph_.accesses(task)) {
      if (access.mode != AccessMode::read) seconds += move(memory, homes_[access.data], access.data);
    }
    return seconds;
  }

 private:
  [[nodiscard]] double move(MemoryId from, MemoryId to, DataId data) const {
    return from == to ? 0 : to_seconds(routes_.duration(from, to, graph_.datum(data).bytes));
  }

  const TaskGraph& graph_;
  Routes routes_;
  Table<DataId, MemoryId> homes_;
};

/// Distributes the tasks of one candidate.
class Balance {
 public:
  Balance(const Means& means, const Candidate& candidate, Reading reading, const std::vector<double>& slowdown)
      : means_(means) {
    for (std::size_t i = 0; i < candidate.parts.size(); ++i) {
      Table<ClassId, double>& workers = workers_.emplace_back();
      for (const ClassId c : means.is_accelerator.ids()) workers.push_back(candidate.worth(i, c));
      Table<TypeId, double>& lengths = lengths_.emplace_back(means.tasks.size(), kNever);
      const double slower = slowdown.empty() ? 1 : slowdown[lengths_.size() - 1];
      for (const TypeId type : lengths.ids()) lengths[type] = slower * length(means, workers, type, reading);
    }
    found_.operations = lengths_.size() * means.tasks.size();
    found_.tasks.assign(lengths_.size(), Table<TypeId, std::size_t>(means.tasks.size(), 0));
    found_.seconds.assign(lengths_.size(), 0);
  }

  /// From the greedy start.
  [[nodiscard]] Estimate run() && {
    start();
    return std::move(*this).finish();
  }
  /// From shares by computing power.
  [[nodiscard]] Estimate run_from_shares() && {
    for (const TypeId type : means_.tasks.ids()) share_out(type);
    return std::move(*this).finish();
  }

 private:
  [[nodiscard]] Estimate finish() && {
    while (improve()) {
    }
    found_.run = *std::ranges::max_element(found_.seconds);
    found_.output = output();
    return std::move(found_);
  }

  /// The tasks of the type in proportion to how many of them each context computes per second, by largest remainders.
  void share_out(TypeId type) {
    double rates = 0;
    for (const auto& lengths : lengths_) rates += 1 / lengths[type];
    std::vector<double> wanted;
    std::vector<std::size_t> order;
    std::size_t left = means_.tasks[type];
    for (std::size_t c = 0; c < lengths_.size(); ++c) {
      wanted.push_back(static_cast<double>(means_.tasks[type]) / lengths_[c][type] / rates);
      order.push_back(c);
    }
    // What takes no time, or can run nowhere, has no shares.
    if (!std::isfinite(rates) || rates == 0) return start(type);
    for (std::size_t c = 0; c < lengths_.size(); ++c) {
      found_.tasks[c][type] = std::min(left, static_cast<std::size_t>(wanted[c]));
      left -= found_.tasks[c][type];
    }
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t c) { return wanted[c] - std::floor(wanted[c]); });
    for (std::size_t i = 0; left > 0; ++i) {
      const std::size_t c = order[i % order.size()];
      if (lengths_[c][type] == kNever) continue;
      ++found_.tasks[c][type];
      --left;
    }
    for (std::size_t c = 0; c < lengths_.size(); ++c) {
      // No time is spent where no task runs, even if it could not run there.
      if (found_.tasks[c][type] > 0)
        found_.seconds[c] += static_cast<double>(found_.tasks[c][type]) * lengths_[c][type];
    }
  }

  /// Each type goes to the context in which it takes shortest, the first of equals.
  void start() {
    for (const TypeId type : means_.tasks.ids()) start(type);
  }
  void start(TypeId type) {
    if (means_.tasks[type] == 0) return;
    std::size_t best = 0;
    for (std::size_t c = 1; c < lengths_.size(); ++c) {
      if (lengths_[c][type] < lengths_[best][type]) best = c;
    }
    found_.tasks[best][type] = means_.tasks[type];
    found_.seconds[best] += static_cast<double>(means_.tasks[type]) * lengths_[best][type];
  }

  /// Moves one task, if that helps: to the shortest context, or, if none helps there, to another one.
  bool improve() {
    const std::vector<double>& seconds = found_.seconds;
    const auto from = static_cast<std::size_t>(std::ranges::max_element(seconds) - seconds.begin());
    const auto shortest = static_cast<std::size_t>(std::ranges::min_element(seconds) - seconds.begin());
    if (!std::isfinite(seconds[from])) return false;
    Move best{.later = seconds[from]};
    try_moves(from, shortest, best);
    for (std::size_t to = 0; to < seconds.size() && best.type == kNone<TypeId>; ++to) {
      if (to != from && to != shortest) try_moves(from, to, best);
    }
    if (best.type == kNone<TypeId>) return false;
    --found_.tasks[from][best.type];
    ++found_.tasks[best.to][best.type];
    found_.seconds[from] -= lengths_[from][best.type];
    found_.seconds[best.to] += lengths_[best.to][best.type];
    ++found_.moves;
    return true;
  }

  struct Move {
    double later;  ///< when the later of the two contexts ends
    TypeId type = kNone<TypeId>;
    std::size_t to = 0;
  };
  void try_moves(std::size_t from, std::size_t to, Move& best) {
    for (const TypeId type : means_.tasks.ids()) {
      if (found_.tasks[from][type] == 0) continue;
      ++found_.operations;
      const double later =
          std::max(found_.seconds[from] - lengths_[from][type], found_.seconds[to] + lengths_[to][type]);
      if (later < best.later) best = {later, type, to};
    }
  }

  /// Procedure 3: the longest over the accelerators of overhead + tasks x mean. Workers of a class have equal shares.
  [[nodiscard]] double output() const {
    double longest = 0;
    for (std::size_t c = 0; c < lengths_.size(); ++c) {
      for (const ClassId on : workers_[c].ids()) {
        if (workers_[c][on] == 0 || !means_.is_accelerator[on]) continue;
        double seconds = means_.output_overhead;
        for (const TypeId type : means_.tasks.ids()) seconds += share(c, type, on) * output_of(c, type, on);
        longest = std::max(longest, seconds);
      }
    }
    return longest;
  }
  [[nodiscard]] double output_of(std::size_t c, TypeId type, ClassId on) const {
    return static_cast<double>(found_.tasks[c][type]) * means_.of[type][on].output;
  }
  /// Of the tasks of the type in a context, the part that one worker of the class runs.
  [[nodiscard]] double share(std::size_t c, TypeId type, ClassId on) const {
    const double own = means_.of[type][on].run;
    if (own == kNever) return 0;
    return length(means_, workers_[c], type, Reading::example) / own;
  }

  const Means& means_;
  std::vector<Table<ClassId, double>> workers_;  ///< by context
  std::vector<Table<TypeId, double>> lengths_;   ///< by context and type
  Estimate found_;
};

}  // namespace

Means means_of(const Instance& instance) {
  const TaskGraph& graph = instance.graph;
  const Platform& platform = instance.platform;
  const Moves moves(instance);
  Means means;
  means.tasks.assign(graph.type_count(), 0);
  means.of.assign(graph.type_count(), Table<ClassId, Means::OnClass>(platform.class_count()));
  means.is_accelerator.assign(platform.class_count(), false);
  for (const TaskId task : graph.tasks()) ++means.tasks[graph.type(task)];
  const auto ram = platform.find_memory("ram");
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) == 0) continue;
    const MemoryId memory = memory_of(platform, c);
    means.is_accelerator[c] = memory != ram;
    // Tasks of a type may differ: where one of them cannot run, the type counts as one that cannot.
    Table<TypeId, Means::OnClass> sums(graph.type_count(), {.run = 0});
    for (const TaskId task : graph.tasks()) {
      Means::OnClass& sum = sums[graph.type(task)];
      const Time estimate = instance.costs.estimate(task, c);
      sum.run += estimate == kCannotRun ? kNever : to_seconds(estimate);
      if (moves.free()) continue;
      sum.run += moves.input(task, memory);
      sum.output += moves.output(task, memory);
    }
    for (const TypeId type : means.tasks.ids()) {
      const auto count = static_cast<double>(means.tasks[type]);
      if (count > 0) means.of[type][c] = {sums[type].run / count, sums[type].output / count};
    }
  }
  return means;
}

double length(const Means& means, const Part& part, TypeId type, Reading reading) {
  Table<ClassId, double> workers;
  for (const std::uint32_t count : part.workers) workers.push_back(count);
  return length(means, workers, type, reading);
}

double length(const Means& means, const Table<ClassId, double>& workers, TypeId type, Reading reading) {
  double longest = 0;
  double shortest = kNever;
  double rates = 0;  // tasks per second
  double sum = 0;
  for (const ClassId c : workers.ids()) {
    const double mean = means.of[type][c].run;
    const double number = workers[c];
    if (number == 0 || mean == kNever) continue;
    longest = std::max(longest, mean);
    shortest = std::min(shortest, mean);
    rates += number / mean;
    sum += number * mean;
  }
  if (shortest == kNever) return kNever;
  if (reading == Reading::example) return 1 / rates;
  return shortest == 0 ? 0 : longest / (sum / shortest);
}

Estimate estimate(const Means& means, const Candidate& candidate, Reading reading) {
  return estimate(means, candidate, reading, {});
}

Estimate estimate(const Means& means, const Candidate& candidate, Reading reading,
                  const std::vector<double>& slowdown) {
  return Balance(means, candidate, reading, slowdown).run();
}

Estimate split(const Means& means, const Candidate& machines, Reading reading, const std::vector<double>& slowdown) {
  Estimate shares = Balance(means, machines, reading, slowdown).run_from_shares();
  Estimate greedy = Balance(means, machines, reading, slowdown).run();
  return greedy.run < shares.run ? greedy : shares;
}

std::optional<double> joules(const Estimate& estimate, const Candidate& candidate, const Platform& platform) {
  double sum = 0;
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) == 0) continue;
    const std::optional<Watts>& watts = platform.resource_class(c).watts;
    if (!watts) return std::nullopt;
    double busy = 0;
    for (std::size_t i = 0; i < candidate.parts.size(); ++i) busy += candidate.worth(i, c) * estimate.seconds[i];
    sum += watts->busy * busy + watts->idle * (platform.worker_count(c) * estimate.total() - busy);
  }
  return sum;
}

Contexts assign_tasks(const TaskGraph& graph, Table<ContextId, Context> contexts,
                      const std::vector<Table<TypeId, std::size_t>>& tasks) {
  Contexts assigned{std::move(contexts), {}};
  assigned.of.reserve(graph.task_count());
  Table<TypeId, double> seen(graph.type_count(), 0);
  Table<TypeId, double> all(graph.type_count(), 0);
  for (const auto& of_context : tasks) {
    for (const TypeId type : of_context.ids()) all[type] += static_cast<double>(of_context[type]);
  }
  std::vector<Table<TypeId, std::size_t>> given(tasks.size(), Table<TypeId, std::size_t>(graph.type_count(), 0));
  for (const TaskId task : graph.tasks()) {
    const TypeId type = graph.type(task);
    const double part = ++seen[type] / all[type];
    std::size_t best = 0;
    double most = -kNever;
    for (std::size_t c = 0; c < tasks.size(); ++c) {
      if (given[c][type] == tasks[c][type]) continue;
      const double lag = part * static_cast<double>(tasks[c][type]) - static_cast<double>(given[c][type]);
      if (lag > most) most = lag, best = c;
    }
    ++given[best][type];
    assigned.of.push_back(make_id<ContextId>(best));
  }
  return assigned;
}

}  // namespace heddle::partition
