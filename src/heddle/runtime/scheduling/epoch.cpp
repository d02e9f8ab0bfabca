#include "heddle/runtime/scheduling/epoch.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "heddle/runtime/models/performance_model.hpp"
#include "heddle/runtime/trace/unique_names.hpp"

namespace heddle::runtime {
namespace {

/// Believed of a task that was never measured.
constexpr Time kUnknown = kMillisecond;

/// The durations a policy is told, as believed at one moment (DurationSource).
class Beliefs {
 public:
  /// Of these types, which must outlive it.
  explicit Beliefs(std::span<TaskType* const> types) : types_(types) {}

  [[nodiscard]] Time operator()(TypeId type, ClassId c) {
    const TaskType& one = *types_[index(type)];
    return one.seems_to_run_on(c) ? of(one, index(c)) : kCannotRun;
  }
  /// What is known; without that, somewhat less than on the fastest class of which something is, so that policies try
  /// it. They try again what was measured once: that may have been an accident.
  [[nodiscard]] Time of(const TaskType& type, std::size_t c) {
    const Belief own = belief(type, c);
    if (own.trust == Trust::sure) return own.time;
    std::optional<Time> least = least_of_others(type, c, Trust::once);
    if (!least && own.trust == Trust::none) least = least_of_others(type, c, Trust::assumed);
    if (!least) return own.time;
    const Time guess = std::max<Time>(*least / 2, 1);
    return own.trust == Trust::none ? guess : std::min(own.time, guess);
  }

 private:
  /// Nothing is known; only one other size is known; measured once; measured again, or found at several other sizes.
  enum class Trust { none, assumed, once, sure };
  struct Belief {
    Time time = kUnknown;
    Trust trust = Trust::none;
  };

  [[nodiscard]] Belief belief(const TaskType& type, std::size_t c) {
    if (const Estimate* measured = type.variants[c].known())
      return {std::max<Time>(measured->mean(), 1), measured->count() > 1 ? Trust::sure : Trust::once};
    const auto& law = law_of(*type.model, c);
    if (!law) return {};
    return {(*law)(size_of(type.shapes)), law->is_assumed ? Trust::assumed : Trust::sure};
  }
  [[nodiscard]] std::optional<Time> least_of_others(const TaskType& type, std::size_t c, Trust trust) {
    std::optional<Time> least;
    for (std::size_t other = 0; other < type.variants.size(); ++other) {
      if (other == c) continue;
      const Belief there = belief(type, other);
      if (there.trust >= trust) least = std::min(least.value_or(there.time), there.time);
    }
    return least;
  }
  [[nodiscard]] const std::optional<PowerLaw>& law_of(KernelModel& model, std::size_t c) {
    const auto [found, is_new] = laws_.try_emplace({&model, c});
    if (is_new) found->second = model.law(c);
    return found->second;
  }

  std::span<TaskType* const> types_;
  std::map<std::pair<const KernelModel*, std::size_t>, std::optional<PowerLaw>> laws_;
};

/// Numbers the data that the tasks access, in the order in which they first do.
std::vector<Block*> number_blocks(std::uint64_t epoch, std::span<Node* const> nodes, const Platform& platform) {
  std::vector<Block*> blocks;
  if (platform.links().empty()) return blocks;
  for (const Node* node : nodes) {
    for (const BlockAccess& access : node->uses()) {
      Block& block = *access.block;
      if (std::exchange(block.epoch, epoch) == epoch) continue;
      block.number = make_id<DataId>(blocks.size());
      blocks.push_back(&block);
    }
  }
  return blocks;
}

/// What each task accesses, each datum once.
void add_accesses(TaskGraph::Parts& parts, std::span<Node* const> nodes, std::span<Block* const> blocks) {
  if (blocks.empty()) return;
  for (const Block* block : blocks) parts.data.push_back({"", static_cast<std::int64_t>(block->shape.bytes())});
  parts.access_begin.push_back(0);
  for (const Node* node : nodes) {
    const auto first = static_cast<std::ptrdiff_t>(parts.accesses.size());
    for (const BlockAccess& access : node->uses()) {
      const auto own = std::span(parts.accesses).subspan(static_cast<std::size_t>(first));
      if (std::ranges::find(own, access.block->number, &Access::data) != own.end()) continue;
      parts.accesses.push_back({access.block->number, access.mode});
    }
    parts.access_begin.push_back(static_cast<std::uint32_t>(parts.accesses.size()));
  }
}

/// Nodes come from the thread that submitted them: so many are on their way at once.
constexpr std::size_t kPrefetched = 8;

/// Numbers the tasks as well, in the order of submission, in which those that one waits for come before it, and their
/// types, in the order in which they first come.
TaskGraph graph_of(std::uint64_t epoch, std::span<Node* const> nodes, Epoch::Tasks& tasks,
                   std::span<Block* const> blocks, const Epoch::NameTask& name) {
  TaskGraph::Parts parts;
  parts.type.resize(nodes.size());
  parts.priority.resize(nodes.size());
  parts.predecessor_begin.resize(nodes.size() + 1);
  bool hints = false;
  UniqueNames type_names;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    prefetch(*nodes[std::min(i + kPrefetched, nodes.size() - 1)]);
    Node& node = *nodes[i];
    node.task = make_id<TaskId>(i);
    TaskType& type = *node.type;
    tasks.are_plain = tasks.are_plain && node.extras == nullptr && !node.commutes;
    if (std::exchange(type.epoch, epoch) != epoch) {
      type.number = make_id<TypeId>(tasks.types.size());
      tasks.types.push_back(&type);
      parts.types.push_back(name ? type_names(type.kernel->name) : type.kernel->name);
    }
    if (name) parts.names.push_back(name(node));
    parts.type[node.task] = type.number;
    parts.priority[node.task] = node.priority;
    hints = hints || node.priority != 0;
    for (const Ref& before : node.after()) {
      if (!is_over(node, before)) parts.predecessors.push_back(before.node->task);
    }
    parts.predecessor_begin[i + 1] = static_cast<std::uint32_t>(parts.predecessors.size());
  }
  if (!hints) parts.priority = {};
  add_accesses(parts, nodes, blocks);
  return TaskGraph::assemble(std::move(parts));
}

Costs costs_of(const TaskGraph& graph, std::span<Node* const> nodes, std::span<TaskType* const> types,
               const Platform& platform) {
  Beliefs believed(types);
  Costs costs(graph, platform.class_count(), std::ref(believed));
  // What runs can run there, even if nothing else of its type shall (TaskType::forbid), and only there, if nothing
  // shall.
  for (const Node* node : nodes) {
    if (node->status != host::Status::running) continue;
    const ClassId here = platform.class_of(node->worker);
    if (node->type->runs_on(here)) continue;
    const std::uint32_t row = costs.own_row(node->task);
    if (node->type->lost) {
      for (const ClassId c : platform.classes()) costs.set_actual(row, c, kCannotRun);
    }
    costs.set_actual(row, here, believed.of(*node->type, index(here)));
  }
  return costs;
}

Contexts contexts_of(std::span<Node* const> nodes, const Table<ContextId, Context>& all) {
  if (all.empty()) return {};
  Contexts contexts{all, {}};
  contexts.of.reserve(nodes.size());
  for (const Node* node : nodes) contexts.of.push_back(node->type->context);
  return contexts;
}

Instance instance_of(std::uint64_t epoch, std::span<Node* const> nodes, Epoch::Tasks& tasks,
                     std::span<Block* const> blocks, const Platform& platform,
                     const Table<ContextId, Context>& contexts, const Epoch::NameTask& name) {
  TaskGraph graph = graph_of(epoch, nodes, tasks, blocks, name);
  Costs costs = costs_of(graph, nodes, tasks.types, platform);
  return {"", std::move(graph), platform, std::move(costs), contexts_of(nodes, contexts)};
}

}  // namespace

Epoch::Epoch(std::uint64_t number, std::vector<Node*> nodes, const Platform& platform,
             const Table<ContextId, Context>& contexts, const NameTask& name, const MakePolicy& make_policy,
             host::Aborts aborts)
    : nodes_(std::move(nodes)),
      left_(nodes_.size()),
      blocks_(number_blocks(number, nodes_, platform)),
      instance_(instance_of(number, nodes_, tasks_, blocks_, platform, contexts, name)),
      waiting_(instance_.graph),
      session_(instance_, make_policy(instance_), aborts) {
  waiting_.take_turns_at_start(true);
  for (const TaskId task : instance_.graph.tasks()) {
    if (waiting_.unmet(task) == 0 && node(task)->status == host::Status::waiting) waiting_.release(task);
  }
}

std::pair<Instance, std::vector<std::string>> Epoch::describe(std::uint64_t number, std::span<Node* const> nodes,
                                                              const Platform& platform,
                                                              const Table<ContextId, Context>& contexts,
                                                              const NameTask& name) {
  Tasks tasks;
  const std::vector<Block*> blocks = number_blocks(number, nodes, platform);
  Instance instance = instance_of(number, nodes, tasks, blocks, platform, contexts, name);
  for (Block* block : blocks) block->epoch = 0;
  std::vector<std::string> guessed;
  for (const TaskType* type : tasks.types) {
    for (const ClassId c : platform.classes()) {
      if (!type->runs_on(c) || type->variants[index(c)].known() != nullptr || type->model->law(index(c))) continue;
      std::string text = type->kernel->name + " on " + platform.class_name(c);
      if (std::ranges::find(guessed, text) == guessed.end()) guessed.push_back(std::move(text));
    }
  }
  return {std::move(instance), std::move(guessed)};
}

bool Epoch::is_short() {
  const auto is_short = [&](TaskId task) {
    return std::ranges::all_of(instance_.costs.estimate_row(task),
                               [](Time estimate) { return estimate < kShort || estimate == kCannotRun; });
  };
  if (!is_short_) is_short_ = std::ranges::all_of(instance_.graph.tasks(), is_short);
  return *is_short_;
}

bool Epoch::still_believed() const {
  // A quarter more or less changes what a policy decides; below a microsecond it is noise.
  const auto much_alike = [](Time a, Time b) { return std::abs(a - b) <= std::max(std::min(a, b) / 4, kMicrosecond); };
  const Costs& costs = instance_.costs;
  Beliefs believed(tasks_.types);
  for (const TypeId type : instance_.graph.types()) {
    const auto row = costs.estimate_row(Costs::row(type));
    for (const ClassId c : instance_.platform.classes()) {
      const Time now = believed(type, c);
      const Time then = row[index(c)];
      if ((now == kCannotRun) != (then == kCannotRun) || !much_alike(now, then)) return false;
    }
  }
  return true;
}

void Epoch::rewind(std::uint64_t number, std::vector<Node*> nodes, const policy::Policy& policy) {
  nodes_ = std::move(nodes);
  blocks_ = number_blocks(number, nodes_, instance_.platform);
  left_ = nodes_.size();
  session_ = host::Session(instance_, policy, session_.aborts());
  waiting_ = *beginning_;
}

std::vector<Node*> Epoch::release_nodes() {
  for (const TaskId task : instance_.graph.tasks()) {
    if (Node* const node = this->node(task)) node->status = session_.status(task);
  }
  std::erase(nodes_, nullptr);
  left_ = 0;
  return std::move(nodes_);
}

}  // namespace heddle::runtime
