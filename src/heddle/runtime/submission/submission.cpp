#include "heddle/runtime/submission/submission.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/trace/unique_names.hpp"

namespace heddle::runtime {
namespace {

/// Among so many predecessors each finds its place one by one.
constexpr std::size_t kFew = 16;

/// The datum of access i is one of those before: a task may access a datum twice only to read it.
void check_repeated(const KernelInfo& kernel, std::span<const BlockAccess> accesses, std::size_t i) {
  for (std::size_t j = 0; j < i; ++j) {
    const bool both_read = accesses[i].mode == AccessMode::read && accesses[j].mode == AccessMode::read;
    if (accesses[i].block != accesses[j].block || both_read) continue;
    throw InputError("a task of kernel '" + kernel.name + "' is given the same datum as arguments " +
                     std::to_string(j + 1) + " and " + std::to_string(i + 1) +
                     "; that is possible only when it reads both");
  }
}

void check_reduction(const KernelInfo& kernel, const Block& block) {
  if (block.reduction) return;
  throw InputError("a task of kernel '" + kernel.name +
                   "' reduces into a datum whose elements cannot be added; say how with Data::reduce_with");
}

/// Threads that submit wait while this lives.
class Taking {
 public:
  explicit Taking(std::atomic<std::uint32_t>& taking) : taking_(taking) { taking_.store(1, std::memory_order_relaxed); }
  ~Taking() {
    taking_.store(0, std::memory_order_release);
    taking_.notify_all();
  }
  Taking(const Taking&) = delete;
  Taking& operator=(const Taking&) = delete;

 private:
  std::atomic<std::uint32_t>& taking_;
};

}  // namespace

Submission::Submission(TypeTable::Bind bind, bool makes_parts, std::size_t most_nested)
    : may_make_parts_(makes_parts), makes_parts_(makes_parts), types_(std::move(bind)), nested_tasks_(most_nested) {}

void Submission::set_contexts(const JobContexts& contexts) {
  const Lock lock(mutex_);
  if (has_begun_) throw InputError("contexts have to be there before the first task is submitted or recorded");
  contexts_ = contexts;
  // Without a core in any context, tasks reduce in place.
  makes_parts_ = may_make_parts_ && context_to_combine(contexts_.standard()) != kNone<ContextId>;
}

void Submission::change_contexts(const JobContexts& contexts) {
  const Lock lock(mutex_);
  if (has_begun_ && contexts_.empty())
    throw InputError("the first context has to be there before the first task is submitted or recorded");
  types_.check(contexts);
  const JobContexts before = std::exchange(contexts_, contexts);
  if (makes_parts_ && has_begun_ && context_to_combine(contexts_.standard()) == kNone<ContextId>) {
    contexts_ = before;
    throw InputError("no context would have a core left to bring together what tasks have reduced");
  }
  if (!has_begun_) makes_parts_ = may_make_parts_ && context_to_combine(contexts_.standard()) != kNone<ContextId>;
  types_.enter(contexts);
}

void Submission::check_open(ContextId context) const {
  if (context == kNone<ContextId> || contexts_.empty() || !contexts_.is_closed(context)) return;
  throw InputError("context '" + contexts_.name(context) + "' is closed: it is given no more tasks");
}

Submission::Submitted Submission::submit(const std::shared_ptr<const KernelInfo>& kernel,
                                         std::span<const BlockAccess> accesses, std::span<const std::byte> values,
                                         TaskOptions& options, ContextId context, bool nested, Recording* recording) {
  if (taking_.load(std::memory_order_relaxed) != 0) taking_.wait(1, std::memory_order_relaxed);
  const Lock lock(mutex_);
  has_begun_ = true;
  const bool repeats = check_accesses(*kernel, accesses);
  // What is refused is so before anything is submitted that goes with it.
  const bool takes_standard = context == kNone<ContextId> && recording == nullptr;
  check_open(takes_standard ? contexts_.standard() : context);
  TaskType& type = types_.of(kernel, accesses, takes_standard ? contexts_.standard() : context, contexts_);
  const bool first = pending_.empty();
  if (!reduced(recording).empty()) [[unlikely]] {
    for (const BlockAccess& access : accesses) {
      if (access.mode != AccessMode::reduce) combine(*access.block, recording);
    }
  }
  return {add(type, accesses, repeats, values, options, nested, recording), first && recording == nullptr};
}

/// Whether a datum is accessed twice.
bool Submission::check_accesses(const KernelInfo& kernel, std::span<const BlockAccess> accesses) {
  bool repeats = false;
  ++looks_;
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const BlockAccess& access = accesses[i];
    if (access.mode == AccessMode::reduce) [[unlikely]]
      check_reduction(kernel, *access.block);
    if (!is_new(*access.block)) [[unlikely]] {
      check_repeated(kernel, accesses, i);
      repeats = true;
    }
  }
  return repeats;
}

void Submission::set_reduction(Block& block, std::shared_ptr<const Reduction> reduction) {
  const Lock lock(mutex_);
  if (block.is_reduced)
    throw InputError("how tasks reduce into a datum has to be said before the first of them is submitted");
  block.reduction = std::move(reduction);
}

/// A task after all others. `repeats`: check_accesses().
Ref Submission::add(TaskType& type, std::span<const BlockAccess> accesses, bool repeats,
                    std::span<const std::byte> values, TaskOptions& options, bool nested, Recording* recording) {
  Node& node = recording != nullptr ? recording->add_node() : nodes_.take();
  const Ref self{&node, recording != nullptr ? recording->size() : next_sequence_++};
  node.recorded = recording != nullptr;
  node.type = &type;
  node.priority = options.priority;
  node.status = host::Status::waiting;
  node.watched = node.holds = node.held_back = false;
  node.nested = nested;
  predecessors_.clear();
  node.commutes = node.reduces = false;
  if (repeats) ++looks_;
  for (const BlockAccess& access : accesses) {
    Block& block = *access.block;
    if (access.mode == AccessMode::commute) node.commutes = true;
    if (access.mode == AccessMode::reduce) [[unlikely]] {
      node.reduces = block.is_reduced = true;
      if (makes_parts_) reduced(recording)[&block] = type.context;
    }
    if (repeats && !is_new(block)) [[unlikely]]
      continue;
    AccessHistory<Ref>& history = recording != nullptr ? recording->history(&block) : block.history;
    history.add(access.mode, self, [&](std::span<const Ref> refs) {
      mutex_.assert_held();
      for (const Ref& ref : refs) {
        if (!has_ended(ref)) depend_on(ref);
      }
    });
    if (recording == nullptr && block.history.size() >= block.prune_at) [[unlikely]] {
      block.history.forget([&](const Ref& ref) { return ref != self && has_ended(ref); });
      block.prune_at = std::max<std::size_t>(64, 2 * block.history.size());
    }
  }
  if (!options.after.empty() || options.on_done || options.stop.stop_possible() || !options.name.empty()) [[unlikely]] {
    node.extras = std::make_unique<Extras>();
    for (const Task& task : options.after) {
      // What was submitted before a recording runs comes before all of it.
      if (task.node_ == nullptr || task.recording_ != (recording != nullptr ? recording->number() : 0)) continue;
      node.extras->after.push_back({task.node_, task.sequence_});
      if (!has_ended(node.extras->after.back())) depend_on(node.extras->after.back());
    }
    node.extras->on_done = std::move(options.on_done);
    node.extras->name = std::move(options.name);
    node.extras->stop = std::move(options.stop);
  }
  unify_predecessors();
  fill(node, accesses, values);
  node.sequence.store(self.sequence, std::memory_order_release);
  if (recording == nullptr) {
    pending_.push_back(&node);
    nested_ += nested ? 1 : 0;
    submitted_.store(next_sequence_ - 1, std::memory_order_relaxed);
    // Each store costs the workers, who read it, a cache miss.
    constexpr std::size_t kStep = 16;
    const std::size_t pending = pending_.size();
    if (runs_ == 0 && (pending < kStep || pending % kStep == 0)) pending_count_.store(pending);
  }
  return self;
}

void Submission::combine(Block& block, Recording* recording) {
  Reduced& groups = reduced(recording);
  const auto found = groups.find(&block);
  if (found == groups.end()) return;
  const ContextId context = recording != nullptr ? kNone<ContextId> : context_to_combine(found->second);
  groups.erase(found);
  const Combination how{block.reduction.get()};
  const BlockAccess access{&block, AccessMode::read_write};
  TaskOptions options;
  const std::span accesses(&access, 1);
  add(types_.of(combining_kernel(), accesses, context, contexts_), accesses, false, std::as_bytes(std::span(&how, 1)),
      options, false, recording);
}

void Submission::combine_all(Recording* recording) {
  const Reduced& groups = reduced(recording);
  while (!groups.empty()) combine(*groups.begin()->first, recording);
}

bool Submission::combine(Block& block) {
  const Lock lock(mutex_);
  const bool first = pending_.empty();
  combine(block, nullptr);
  return first && !pending_.empty();
}

bool Submission::combine_all() {
  const Lock lock(mutex_);
  const bool first = pending_.empty();
  combine_all(nullptr);
  return first && !pending_.empty();
}

bool Submission::reduces() {
  const Lock lock(mutex_);
  return !reduced_.empty();
}

void Submission::begin(const std::shared_ptr<Recording>& recording) {
  const Lock lock(mutex_);
  has_begun_ = true;
  std::erase_if(recordings_, [](const auto& one) { return one.expired(); });
  recordings_.push_back(recording);
}

Submission::Tasks Submission::describe(const Recording& recording) const {
  const Lock lock(mutex_);
  Tasks tasks;
  tasks.contexts.all = contexts_.all();
  TaskGraphBuilder builder;
  UniqueNames unique;
  std::map<std::string, TypeId> types;
  std::unordered_map<const Block*, DataId> data;
  std::vector<Access> accesses;
  for (const Node* node : recording.nodes()) {
    if (node->type->combines) continue;
    const KernelInfo& kernel = *node->type->kernel;
    const auto [type, is_new] = types.try_emplace(kernel.name);
    if (is_new) type->second = builder.add_type(kernel.name);
    accesses.clear();
    for (const auto& [block, mode] : node->uses()) {
      const auto [datum, is_first] = data.try_emplace(block);
      if (is_first) {
        datum->second = builder.add_datum({.name = "", .bytes = static_cast<std::int64_t>(block->shape.bytes())});
      }
      accesses.push_back({datum->second, mode});
    }
    const std::string name = node->extras ? node->extras->name : "";
    builder.add_task(unique(task_name(name, kernel, node->sequence)), type->second, accesses, node->priority);
    const ContextId context = node->type->context;
    tasks.contexts.of.push_back(context == kNone<ContextId> ? contexts_.standard() : context);
  }
  tasks.graph = builder.build();
  return tasks;
}

void Submission::finish(Recording& recording, const Table<TaskId, ContextId>& contexts) {
  const Lock lock(mutex_);
  combine_all(&recording);
  if (!contexts_.empty()) enter_contexts(recording, contexts);
  recording.finish();
}

/// Tasks that bring together what others reduced are the runtime's own: they belong where the first of those do.
void Submission::enter_contexts(Recording& recording, const Table<TaskId, ContextId>& contexts) {
  auto next = contexts.begin();
  for (Node* node : recording.nodes()) {
    const bool combines = node->type->combines;
    const ContextId context = combines ? context_to_combine(node->after().front().node->type->context) : *next++;
    if (!combines) check_open(context);
    node->type = &types_.of(node->type->kernel, node->uses(), context, contexts_);
  }
}

/// The context to bring together what tasks of another reduced: the same, if it has a core, else the first that has.
/// kNone: there are no contexts, or none that has.
ContextId Submission::context_to_combine(ContextId wanted) const {
  if (contexts_.empty() || types_.can_run(combining_kernel(), wanted, contexts_)) return wanted;
  const auto all = contexts_.all().ids();
  const auto can = [&](ContextId context) {
    mutex_.assert_held();
    return types_.can_run(combining_kernel(), context, contexts_);
  };
  const auto first = std::ranges::find_if(all, can);
  return first == all.end() ? kNone<ContextId> : *first;
}

bool Submission::submit(const std::shared_ptr<Recording>& recording) {
  const Lock lock(mutex_);
  if (!recording->is_whole())
    throw InputError("a graph whose tasks use data that is no longer registered cannot be run");
  if (contexts_.some_closed()) {
    for (const Node* node : recording->nodes()) {
      if (!node->type->combines) check_open(node->type->context);
    }
  }
  const bool first = pending_.empty();
  combine_all(nullptr);
  Node& marker = nodes_.take();
  marker.extras = std::make_unique<Extras>();
  marker.extras->recording = recording;
  marker.recorded = true;
  marker.sequence.store(next_sequence_, std::memory_order_relaxed);
  next_sequence_ += recording->size();
  submitted_.store(next_sequence_ - 1, std::memory_order_relaxed);
  pending_.push_back(&marker);
  ++runs_;
  ++all_runs_;
  recording->last_run = all_runs_;
  count_pending();
  return first;
}

void Submission::count_pending() {
  const auto marker = runs_ == 0 ? pending_.end() : std::ranges::find(pending_, true, &Node::recorded);
  pending_count_.store(static_cast<std::size_t>(marker - pending_.begin()));
  recording_is_next_.store(marker == pending_.begin() && marker != pending_.end());
}

/// Notes a predecessor that has not ended: in the order of submission, as long as they are few.
void Submission::depend_on(const Ref& ref) {
  if (predecessors_.size() > kFew) return predecessors_.push_back(ref);
  auto place = predecessors_.end();
  while (place != predecessors_.begin() && (place - 1)->sequence > ref.sequence) --place;
  if (place == predecessors_.begin() || *(place - 1) != ref) predecessors_.insert(place, ref);
}

/// Of a task with many predecessors some may have been noted twice, and out of order.
void Submission::unify_predecessors() {
  if (predecessors_.size() <= kFew) return;
  std::ranges::sort(predecessors_, {}, &Ref::sequence);
  const auto repeated = std::ranges::unique(predecessors_);
  predecessors_.erase(repeated.begin(), repeated.end());
}

/// Lays accesses, values and predecessors into the node, or beside it where they are too many.
void Submission::fill(Node& node, std::span<const BlockAccess> accesses, std::span<const std::byte> values) const {
  constexpr std::size_t kAlign = alignof(std::max_align_t);
  static_assert(sizeof(BlockAccess) % kAlign == 0);
  const std::size_t accesses_end = accesses.size() * sizeof(BlockAccess);
  const std::size_t values_end = accesses_end + (values.size() + kAlign - 1) / kAlign * kAlign;
  const std::size_t size = values_end + predecessors_.size() * sizeof(Ref);
  std::byte* room = node.room;
  if (size > Node::kInlineBytes) {
    node.overflow = std::make_unique_for_overwrite<std::byte[]>(size);
    room = node.overflow.get();
  }
  node.accesses = reinterpret_cast<BlockAccess*>(room);
  node.access_count = static_cast<std::uint32_t>(accesses.size());
  std::uninitialized_copy(accesses.begin(), accesses.end(), node.accesses);
  node.value_bytes = static_cast<std::uint32_t>(values.size());
  if (!values.empty()) std::memcpy(room + accesses_end, values.data(), values.size());
  node.predecessors = reinterpret_cast<Ref*>(room + values_end);
  node.predecessor_count = static_cast<std::uint32_t>(predecessors_.size());
  std::uninitialized_copy(predecessors_.begin(), predecessors_.end(), node.predecessors);
}

void Submission::take(std::vector<Node*>& tasks, std::vector<TaskType*>& types, std::vector<std::uint32_t>& ended) {
  std::size_t nested = 0;
  {
    const Taking first(taking_);
    const Lock lock(mutex_);
    for (const std::uint32_t number : ended) nodes_.give_back(number);
    types_.tell(types);
    count_pending();
    nested = nested_;
    if (runs_ == 0) {
      taken_.swap(pending_);
      nested_ = 0;
    } else {
      const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(pending());
      taken_.assign(pending_.begin(), end);
      pending_.erase(pending_.begin(), end);
      nested_ -= static_cast<std::size_t>(std::ranges::count(taken_, true, &Node::nested));
    }
    count_pending();
  }
  // The thread that submits does not wait for this.
  ended.clear();
  if (nested == 0 && nested_tasks_.count() == 0) {
    tasks.insert(tasks.end(), taken_.begin(), taken_.end());
  } else {
    nested_tasks_.choose(taken_, tasks);
  }
  taken_.clear();
}

std::pair<std::shared_ptr<Recording>, std::uint64_t> Submission::take_recording(std::vector<TaskType*>& types) {
  const Lock lock(mutex_);
  types_.tell(types);
  Node& marker = *pending_.front();
  pending_.pop_front();
  --runs_;
  count_pending();
  std::pair taken{std::move(marker.extras->recording), marker.sequence.load(std::memory_order_relaxed)};
  marker.sequence.store(0, std::memory_order_relaxed);
  marker.extras.reset();
  nodes_.give_back(marker.number);
  return taken;
}

void Submission::take_types(std::vector<TaskType*>& types) {
  const Lock lock(mutex_);
  types_.tell(types);
}

std::size_t Submission::forget_types(std::uint64_t epoch, std::vector<std::shared_ptr<const void>>& gone) {
  const Lock lock(mutex_);
  std::unordered_set<const TaskType*> used;
  for (const Node* node : pending_) used.insert(node->type);
  nested_tasks_.for_each([&](const Node& node) { used.insert(node.type); });
  for (const auto& one : recordings_) {
    const std::shared_ptr<Recording> recording = one.lock();
    if (!recording) continue;
    for (const Node* node : recording->nodes()) used.insert(node->type);
    gone.push_back(recording);  // this may be the last to hold it
  }
  return types_.forget(epoch, used, gone);
}

Submission::Users Submission::forget(Block& block) {
  Users users;
  std::vector<std::shared_ptr<Recording>> others;  // who may be the last to hold one: not under the lock
  const Lock lock(mutex_);
  for (const auto& one : recordings_) {
    auto recording = one.lock();
    if (!recording) continue;
    const bool uses = recording->forget(&block);
    if (uses) users.run = std::max(users.run, recording->last_run);
    (uses ? users.recordings : others).push_back(std::move(recording));
  }
  block.history.for_each([&](const Ref& task) { users.tasks.push_back(task); });
  return users;
}

}  // namespace heddle::runtime
