// The beginnings of epochs.
#include <algorithm>
#include <utility>

#include "heddle/runtime/scheduling/scheduler.hpp"
#include "heddle/runtime/task.hpp"
#include "heddle/runtime/trace/unique_names.hpp"

namespace heddle::runtime {

using host::Status;

/// An epoch is due, when there is time for one: idle workers look around then.
void Scheduler::outdate() {
  if (progress_.outdated.exchange(true)) return;
  for (const auto& worker : workers_) {
    if (worker->bell.is_idle()) worker->bell.ring();
  }
}

void Scheduler::make_epoch(std::vector<Node*> nodes) {
  Epoch::NameTask name;
  if (new_policy_.makes_plans())
    name = [this](const Node& node) { return new_policy_.planned_name(runs_.number_of(node), runs_.name_of(node)); };
  const auto make_policy = [this](const Instance& instance) {
    policy::Policy policy = new_policy_(instance);
    if (epoch_) policy.recall(epoch_->session().policy());
    return policy;
  };
  set_epoch(std::make_shared<Epoch>(++epochs_, std::move(nodes), platform_, contexts_.now().all(), name, make_policy,
                                    new_policy_.aborts()));
}

void Scheduler::set_epoch(std::shared_ptr<Epoch> epoch) {
  record_contexts(clock_.now());
  foresight_ = nullptr;  // which looks at the one before
  epoch_ = std::move(epoch);
  if (new_policy_.looks_ahead()) foresight_ = sim::foresee(epoch_->instance(), [this] { return present(); });
}

/// Traces name all, and aborted executions may still run what belongs to one.
void Scheduler::forget_types() {
  if (!recorder_ && zombies_ == 0) types_.forget_unused(submission_, epochs_, deferred_);
}

void Scheduler::begin_epoch() {
  take_back_ahead();
  turns_.forget_lines();
  std::vector<Node*> nodes = epoch_ ? epoch_->release_nodes() : std::vector<Node*>();
  if (stale_ || validity_.some_poisoned()) drop_poisoned(nodes);
  const std::size_t known = nodes.size();
  if (nodes.empty()) runs_.end();
  if (runs_.under_way()) {
    runs_.forget_epoch();  // its tasks get other numbers
  } else {
    submission_.take(nodes, types_.incoming(), freed_);
    types_.adopt(recorder_);
    if (copies_.are_many()) {
      for (std::size_t i = known; i < nodes.size(); ++i) DataStore::note_known(*nodes[i]);
    }
  }
  if (recorder_) {
    for (std::size_t i = known; i < nodes.size(); ++i) recorder_->submitted(*nodes[i], 0);
  }
  stale_ = progress_.outdated = false;
  if (known == 0 || contexts_.lack_workers(nodes)) contexts_.bring_home();
  make_epoch(std::move(nodes));
  forget_types();
  observe();
  host::Session& session = epoch_->session();
  policy::HostView& view = epoch_->view();
  view.set_now(clock_.now());
  for (const WorkerId worker : platform_.workers()) {
    Worker& at = workers_[worker];
    for (Execution* execution : at.given) {
      if (execution->node == nullptr) continue;
      at.work -= execution->estimate;
      execution->estimate = view.estimate(execution->node->task, execution->resource_class);
      // The engine expects a task that takes longer than believed to take as long again.
      const Time taken = execution == at.given.front() && at.started > 0 ? view.now() - execution->given : 0;
      execution->overran = taken > execution->estimate;
      if (execution->overran) execution->estimate = 2 * taken;
      at.work += execution->estimate;
      note_committed(*execution);
    }
    expect(worker);
  }
  start_policy();
  tell_away();
  for (const WorkerId worker : platform_.workers()) {
    for (const Execution* execution : workers_[worker].given) {
      if (execution->node != nullptr) session.started(execution->node->task, worker);
    }
  }
  told_.clear();
  for (const TaskId task : epoch_->instance().graph.tasks()) {
    Node& node = *epoch_->node(task);
    if (node.status != Status::ready) continue;
    // The policy before may have kept an order of its own, or this one may: then it is the first to start that holds.
    if (keeps_order_) turns_.let_go(node);
    if (!node.commutes || keeps_order_ || !turns_.stands_in_line(node)) told_.push_back(task);
  }
  if (!told_.empty()) session.ready(told_);
  settle();
  send_final_home();
}

/// Whether all tasks are known, and a thread waits until all data is home: what no known task will write is final.
bool Scheduler::is_final() const {
  return waiters_.some_want_home() && submission_.pending() == 0 && !submission_.recording_is_next();
}

void Scheduler::send_final_home() {
  if (is_final() && copies_.are_many()) copies_.send_final_home();
}

/// Ends the tasks that cannot run any more, and then those that cannot because of them: they come behind.
void Scheduler::drop_poisoned(std::vector<Node*>& nodes) {
  for (Node*& node : nodes) {
    const auto over = [&](const Ref& before) { return is_over(*node, before); };
    if (node->status == Status::running || !std::ranges::all_of(node->after(), over)) continue;
    if (const std::exception_ptr failure = poison_of(*node)) close(*std::exchange(node, nullptr), failure);
  }
  std::erase(nodes, nullptr);
}

/// A rule may have moved workers between contexts. The tasks of those whose policies have thrown fail, and the next
/// epoch does without them.
void Scheduler::note_contexts() {
  if (new_policy_.resizings() != resizings_) adopt_moves();
  if (new_policy_.failures()->count() == lost_contexts_) return;
  lost_contexts_ = new_policy_.failures()->count();
  for (const ContextId context : contexts_.now().all().ids()) {
    if (const std::exception_ptr failure = new_policy_.failures()->of(context)) validity_.lose(context, failure);
  }
  stale_ = true;
}

/// Goes through the epoch of recorded tasks, again if it was before; nothing runs and nothing else is left.
void Scheduler::begin_recorded() {
  const auto [recording, first] = submission_.take_recording(types_.incoming());
  types_.adopt(recorder_);
  runs_.begin(recording, first - 1);
  contexts_.bring_home();
  stale_ = progress_.outdated = false;
  if (copies_.are_many())
    std::ranges::for_each(recording->nodes(), [](const Node* node) { DataStore::note_known(*node); });
  if (recorder_) {
    for (const Node* node : recording->nodes()) recorder_->submitted(*node, runs_.before(*node));
  }
  const auto knows_contexts = [&] { return recording->epoch->instance().contexts.all == contexts_.now().all(); };
  // What the policy knew of the time when it started does not suit a rule that looks at how time passes.
  const bool starts_alike = recording->epoch && knows_contexts() && !new_policy_.resizes();
  if (starts_alike && recording->epoch->still_believed()) {
    set_epoch(recording->epoch);
    epoch_->rewind(++epochs_, recording->nodes(), *recording->started);
    observe();
    keeps_order_ = epoch_->session().policy().keeps_order();
  } else {
    // No value leaves its home then.
    if (recording->runs == 1 && new_policy_.aborts() == host::Aborts::none && !copies_.are_many())
      recording->settle_arguments();
    make_epoch(recording->nodes());
    observe();
    epoch_->view().set_now(clock_.now());
    start_policy();
    epoch_->note_beginning();
    recording->epoch = epoch_;
    recording->started = epoch_->session().policy();
  }
  forget_types();
  epoch_->view().set_now(clock_.now());
  for (const WorkerId worker : platform_.workers()) expect(worker);
  tell_away();
  settle();
}

std::pair<Instance, std::vector<std::string>> Scheduler::describe(const Recording& recording) {
  submission_.take_types(types_.incoming());
  types_.adopt(recorder_);
  UniqueNames unique;
  const auto name = [&](const Node& node) {
    return unique(task_name(node.extras ? node.extras->name : "", *node.type->kernel, node.sequence));
  };
  return Epoch::describe(++epochs_, recording.nodes(), platform_, contexts_.home().all(), name);
}

/// Keeps the view of the epoch informed of where data is.
void Scheduler::observe() {
  copies_.observe(epoch_->view(), epochs_);
  for (Block* block : epoch_->blocks()) copies_.describe(*block);
}

/// What a policy looks ahead from.
host::Present Scheduler::present() const {
  host::Present present;
  present.now = epoch_->view().now();
  present.started = !starting_;
  const Instance& instance = epoch_->instance();
  present.status.assign(instance.graph.task_count(), Status::done);
  present.keeps_order = keeps_order_;
  present.aborts = new_policy_.aborts();
  present.work.resize(platform_.worker_count());
  for (const TaskId task : instance.graph.tasks()) {
    const Node* node = epoch_->node(task);
    if (node != nullptr) present.status[task] = starting_ ? node->status : epoch_->session().status(task);
  }
  for (const WorkerId worker : platform_.workers()) {
    const Worker& at = workers_[worker];
    host::Present::Work& work = present.work[worker];
    for (const Execution* execution : at.given) {
      if (execution->node != nullptr) work.tasks.push_back(execution->node->task);
    }
    if (!starting_ && !epoch_->view().is_available(worker)) present.workers_return = true;
    if (at.started > 0 && at.given.front()->node != nullptr)
      work.since = std::min(at.given.front()->given, present.now);
    work.committed = !work.tasks.empty() && !epoch_->view().may_abort(work.tasks.front()) ? 1 : 0;
  }
  for (Block* block : epoch_->blocks()) {
    for (const MemoryId memory : platform_.memories().ids())
      present.copies.push_back(block != nullptr ? copies_.present(*block, places_.of(memory)) : host::Present::Copy());
  }
  return present;
}

void Scheduler::start_policy() {
  starting_ = true;
  epoch_->session().start(foresight_.get());
  starting_ = false;
  keeps_order_ = epoch_->session().policy().keeps_order();
}

}  // namespace heddle::runtime
