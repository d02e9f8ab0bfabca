#include "heddle/runtime/trace/recorder.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "heddle/model/observed_links.hpp"
#include "heddle/model/task_graph.hpp"
#include "heddle/runtime/trace/unique_names.hpp"

namespace heddle::runtime {
namespace {

/// Orders types by kernel and shapes.
struct AlikeFirst {
  using Key = std::pair<const KernelInfo*, std::span<const Shape>>;
  bool operator()(const Key& a, const Key& b) const {
    if (a.first != b.first) return std::less<>()(a.first, b.first);
    return std::ranges::lexicographical_compare(a.second, b.second);
  }
};

}  // namespace

void Recorder::submitted(const Node& node, std::uint64_t before) {
  Task task{before + node.sequence.load(std::memory_order_relaxed), node.type, node.priority, "", {}, {}};
  for (const BlockAccess& access : node.uses()) {
    const DataId data = access.block->id;
    if (index(data) >= bytes_.size()) bytes_.resize(index(data) + 1, 0);
    bytes_[index(data)] = static_cast<std::int64_t>(access.block->shape.bytes());
    task.accesses.push_back({data, access.mode});
  }
  if (node.extras) {
    task.name = node.extras->name;
    for (const Ref& other : node.extras->after) task.after.push_back(before + other.sequence);
  }
  tasks_.push_back(std::move(task));
}

void Recorder::attempted(const Node& node, std::uint64_t before, const Execution& execution, Time start, Time end,
                         Outcome outcome) {
  attempts_.push_back({before + node.sequence.load(std::memory_order_relaxed), node.type, execution.worker,
                       execution.implementation, start, end, outcome});
}

void Recorder::returned(WorkerId worker, Time end) {
  const auto last = std::ranges::find(attempts_.rbegin(), attempts_.rend(), worker, &Attempt::worker);
  if (last == attempts_.rend() || last->outcome != Outcome::aborted) return;
  last->end = std::clamp(end, last->start, last->end);
}

void Recorder::transferred(const Transfer& transfer, const MemoryPlaces& places, Time start, Time end) {
  const Block& block = *transfer.block;
  transfers_.push_back({block.id, places.in_platform(transfer.from), places.in_platform(transfer.to), start, end,
                        static_cast<std::int64_t>(block.shape.bytes())});
}

Trace Recorder::trace(const Platform& platform, Time begin) const {
  std::unordered_map<std::uint64_t, const Attempt*> completed;
  for (const Attempt& attempt : attempts_) {
    if (attempt.outcome == Outcome::completed) completed.emplace(attempt.sequence, &attempt);
  }
  TaskGraphBuilder builder;
  UniqueNames type_names;
  std::unordered_map<const TaskType*, TypeId> numbers;
  // Those of different contexts are one to others.
  std::map<AlikeFirst::Key, TypeId, AlikeFirst> alike;
  for (const TaskType* type : types_) {
    const auto [known, is_new] = alike.try_emplace({type->kernel.get(), type->shapes});
    if (is_new) known->second = builder.add_type(type_names(type->kernel->name));
    numbers.emplace(type, known->second);
  }
  for (std::size_t i = 0; i < bytes_.size(); ++i) builder.add_datum({"d" + std::to_string(i), bytes_[i]});
  std::unordered_map<std::uint64_t, TaskId> ids;
  Contexts own{contexts_.ever(), {}};  // an instance has no time: all workers that they ever had
  UniqueNames task_names;
  // In the order of submission.
  std::vector<const Task*> tasks;
  for (const Task& task : tasks_) {
    if (completed.contains(task.sequence)) tasks.push_back(&task);
  }
  std::ranges::sort(tasks, {}, &Task::sequence);
  for (const Task* const one : tasks) {
    const Task& task = *one;
    const std::string name = task_name(task.name, *task.type->kernel, task.sequence);
    const TaskId id = builder.add_task(task_names(name), numbers.at(task.type), task.accesses, task.priority);
    ids.emplace(task.sequence, id);
    if (!own.all.empty()) own.of.push_back(task.type->context);
    for (const std::uint64_t before : task.after) {
      if (ids.contains(before)) builder.add_edge(ids.at(before), id);
    }
  }
  TaskGraph graph = builder.build();
  Costs costs(graph, platform.class_count());
  for (const TaskType* type : types_) {
    for (const ClassId c : platform.classes()) {
      const Estimate* known = type->variants[index(c)].known();
      if (known != nullptr) costs.set_actual(Costs::row(numbers.at(type)), c, known->mean());
    }
  }
  // Where attempts were aborted and none completed, it takes at least as long as these did.
  std::map<std::pair<TypeId, ClassId>, Time> aborted;
  for (const Attempt& attempt : attempts_) {
    const ClassId c = platform.class_of(attempt.worker);
    if (attempt.outcome == Outcome::completed || attempt.type->variants[index(c)].known() != nullptr) continue;
    Time& longest = aborted[{numbers.at(attempt.type), c}];
    longest = std::max({longest, attempt.end - attempt.start, Time{1}});
  }
  for (const auto& [at, longest] : aborted) costs.set_actual(Costs::row(at.first), at.second, longest);
  Schedule schedule;
  std::vector<std::string> variants(graph.task_count());
  for (const Attempt& attempt : attempts_) {
    const auto id = ids.find(attempt.sequence);
    if (id == ids.end()) continue;
    schedule.attempts.push_back(
        {id->second, attempt.worker, attempt.start - begin, attempt.end - begin, attempt.outcome});
    const ClassId c = platform.class_of(attempt.worker);
    const Time duration = attempt.end - attempt.start;
    const std::uint32_t row = costs.own_row(id->second);
    if (attempt.outcome == Outcome::completed) {
      costs.set_actual(row, c, duration);
      variants[index(id->second)] = attempt.implementation->name;
    } else if (platform.class_of(completed.at(attempt.sequence)->worker) != c) {
      // Whatever others took there: this one would have taken longer. Where it completed in the end, it takes what it
      // took then.
      costs.set_actual(row, c, std::max(costs.actual(id->second, c), duration + 1));
    }
  }
  std::ranges::stable_sort(schedule.attempts, {}, &heddle::Attempt::end);
  for (heddle::Transfer transfer : transfers_) {
    transfer.start -= begin;
    transfer.end -= begin;
    if (index(transfer.data) < bytes_.size()) schedule.transfers.push_back(transfer);
  }
  Platform seen = with_links_of(platform, schedule.transfers);
  schedule.contexts = {contexts_.first(), own.of};
  schedule.moves = contexts_.moves(schedule, begin);
  Instance instance = make_instance("run", std::move(graph), std::move(seen), std::move(costs));
  return {with_contexts(std::move(instance), std::move(own)), std::move(schedule), std::move(variants)};
}

}  // namespace heddle::runtime
