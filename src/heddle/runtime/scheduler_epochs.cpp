// The beginnings of epochs.
#include <algorithm>
#include <utility>

#include "heddle/facts/witness.hpp"
#include "heddle/runtime/scheduler.hpp"

namespace heddle::runtime {

/// An epoch is due, when there is time for one: idle workers look around then.
void Scheduler::outdate() {
  if (outdated_.exchange(true)) return;
  for (const auto& worker : workers_) {
    if (worker->bell.is_idle()) worker->bell.ring();
  }
}

/// One that knows nothing yet. Policies that draw lots draw others in each epoch.
policy::Policy Scheduler::new_policy(const Instance& instance) {
  const std::uint64_t seed = seed_ + policies_++;
  if (facts_ && decider_) return facts::Witness(*decider_, facts_, {seed});
  if (decider_) return *decider_;
  const Schedule plan = plan_ ? plan_(instance) : Schedule();
  return facts_ ? facts::make_watched(spec_, seed, &plan, facts_) : spec_.make(seed, &plan);
}

/// Config::plan knows tasks by their names in traces.
const std::string& Scheduler::planned_name(const Node& node) {
  std::string& name = planned_names_[number_of(node)];
  if (name.empty()) name = unique_names_(name_of(node));
  return name;
}

std::shared_ptr<Epoch> Scheduler::new_epoch(std::vector<Node*> nodes) {
  Epoch::NameTask name;
  if (plan_) name = [this](const Node& node) { return planned_name(node); };
  return std::make_shared<Epoch>(++epochs_, std::move(nodes), platform_, name, [this](const Instance& instance) {
    policy::Policy policy = new_policy(instance);
    if (epoch_) policy.recall(epoch_->policy());
    return policy;
  });
}

/// The types of tasks that were just taken up for the first time.
void Scheduler::adopt_types() {
  durations_.adopt(new_types_);
  if (recorder_) types_.insert(types_.end(), new_types_.begin(), new_types_.end());
  type_count_ += new_types_.size();
  new_types_.clear();
}

/// Once there are twice as many as were left the last time, so that each is looked at a few times. Traces name all, and
/// aborted attempts may still run what belongs to one.
void Scheduler::forget_types() {
  if (type_count_ < forget_at_ || recorder_ || zombies_ > 0) return;
  type_count_ = submission_.forget_types(epochs_, afterwards().gone);
  forget_at_ = std::max(2 * type_count_, kFewTypes);
}

void Scheduler::begin_epoch() {
  take_back_ahead();
  // What the policy was not told of is pending in the next one.
  for (const TaskId task : std::exchange(released_, {})) epoch_->node(task)->state = State::pending;
  for (const auto& [datum, tasks] : std::exchange(contending_, {})) {
    for (const TaskId task : tasks) epoch_->node(task)->state = State::pending;
  }
  let_go_.clear();
  std::vector<Node*> nodes = epoch_ ? epoch_->release_nodes() : std::vector<Node*>();
  if (stale_ || some_poisoned_) drop_poisoned(nodes);
  const std::size_t known = nodes.size();
  if (nodes.empty()) in_recording_ = false, let_go_of_recording(nullptr);
  if (in_recording_) {
    recording_->epoch = nullptr;  // its tasks get other numbers
  } else {
    submission_.take(nodes, new_types_, freed_);
    adopt_types();
  }
  if (recorder_) {
    for (std::size_t i = known; i < nodes.size(); ++i) recorder_->submitted(*nodes[i], 0);
  }
  stale_ = outdated_ = false;
  epoch_ = new_epoch(std::move(nodes));
  forget_types();
  observe();
  policy::HostView& view = epoch_->view();
  policy::Policy& policy = epoch_->policy();
  view.set_now(clock_.now());
  for (const WorkerId worker : platform_.workers()) {
    Worker& at = *workers_[index(worker)];
    for (Attempt* attempt : at.given) {
      if (attempt->node == nullptr) continue;
      at.work -= attempt->estimate;
      attempt->estimate = view.estimate(attempt->node->task, attempt->resource_class);
      // What takes longer than believed takes as long again, for all that is known.
      const Time taken = attempt == at.given.front() && at.started > 0 ? view.now() - attempt->given : 0;
      attempt->overran = taken > attempt->estimate;
      if (attempt->overran) attempt->estimate = 2 * taken;
      at.work += attempt->estimate;
    }
    expect(worker);
  }
  start_policy();
  tell_away();
  for (const WorkerId worker : platform_.workers()) {
    for (const Attempt* attempt : workers_[index(worker)]->given) {
      if (attempt->node != nullptr) policy.started(view, attempt->node->task, worker);
    }
  }
  told_.clear();
  for (const TaskId task : epoch_->instance().graph.tasks()) {
    Node& node = *epoch_->node(task);
    if (node.state == State::ready) {
      // The policy before may have kept an order of its own, or this one may: then it is the first to start that holds.
      if (keeps_order_) let_go(node);
      if (node.commutes && stands_in_line(node)) {
        node.state = State::waiting;
      } else {
        told_.push_back(task);
      }
    }
    if (node.state == State::pending) {
      node.state = State::waiting;
      if (epoch_->unmet(task) == 0) released_.push_back(task);
    }
  }
  ready_ = told_.size();
  if (!told_.empty()) policy.ready(view, told_);
  settle();
}

/// Ends the tasks that cannot run any more, and then those that cannot because of them: they come behind.
void Scheduler::drop_poisoned(std::vector<Node*>& nodes) {
  for (Node*& node : nodes) {
    const auto over = [&](const Ref& before) { return is_over(*node, before); };
    if (node->state == State::running || !std::ranges::all_of(node->after(), over)) continue;
    if (const std::exception_ptr failure = poison_of(*node)) {
      close(*std::exchange(node, nullptr), failure);
    } else if (node->state == State::waiting) {
      node->state = State::pending;
    }
  }
  std::erase(nodes, nullptr);
}

/// The epoch is about to know other tasks.
void Scheduler::let_go_of_recording(std::shared_ptr<Recording> next) {
  if (recording_ && recording_ != next) afterwards().gone.push_back(recording_);
  recording_ = std::move(next);
}

/// Goes through the epoch of recorded tasks, again if it was before; nothing runs and nothing else is left.
void Scheduler::begin_recorded() {
  const auto [recording, first] = submission_.take_recording(new_types_);
  adopt_types();
  let_go_of_recording(recording);
  in_recording_ = true;
  ++runs_;
  stale_ = outdated_ = false;
  before_run_ = first - 1;
  ++recording->runs;
  if (recorder_) {
    for (const Node* node : recording->nodes()) recorder_->submitted(*node, before_run_);
  }
  if (recording->epoch && recording->epoch->still_believed()) {
    epoch_ = recording->epoch;
    epoch_->rewind(++epochs_, recording->nodes(), *recording->started);
    observe();
    keeps_order_ = epoch_->policy().keeps_order();
  } else {
    // No value leaves its home then.
    if (recording->runs == 1 && !aborts_ && !copies_.are_many()) recording->settle_arguments();
    epoch_ = new_epoch(recording->nodes());
    observe();
    epoch_->view().set_now(clock_.now());
    start_policy();
    epoch_->note_beginning();
    recording->epoch = epoch_;
    recording->started = epoch_->policy();
  }
  forget_types();
  epoch_->view().set_now(clock_.now());
  for (const WorkerId worker : platform_.workers()) expect(worker);
  tell_away();
  ready_ = 0;
  released_.assign(epoch_->sources().begin(), epoch_->sources().end());
  settle();
}

/// Keeps the view of the epoch informed of where data is.
void Scheduler::observe() {
  copies_.observe(epoch_->view(), epochs_);
  for (Block* block : epoch_->blocks()) copies_.describe(*block);
}

/// What a policy looks ahead from.
host::Present Scheduler::present(bool started) const {
  using Status = host::Status;
  host::Present present;
  present.now = epoch_->view().now();
  present.started = started;
  const Instance& instance = epoch_->instance();
  present.status.assign(instance.graph.task_count(), Status::done);
  present.keeps_order = keeps_order_;
  present.work.resize(platform_.worker_count());
  for (const TaskId task : instance.graph.tasks()) {
    const Node* node = epoch_->node(task);
    if (node == nullptr) continue;
    present.status[task] = node->state == State::running ? Status::running
                           : node->state == State::ready ? Status::ready
                                                         : Status::waiting;
  }
  for (const WorkerId worker : platform_.workers()) {
    const Worker& at = *workers_[index(worker)];
    host::Present::Work& work = present.work[worker];
    for (const Attempt* attempt : at.given) {
      if (attempt->node != nullptr) work.tasks.push_back(attempt->node->task);
    }
    if (started && !epoch_->view().is_available(worker)) present.workers_return = true;
    if (at.started > 0 && at.given.front()->node != nullptr)
      work.since = std::min(at.given.front()->given, present.now);
  }
  for (Block* block : epoch_->blocks()) {
    for (const MemoryId memory : platform_.memories().ids())
      present.copies.push_back(block != nullptr ? copies_.present(*block, places_.of(memory)) : host::Present::Copy());
  }
  return present;
}

void Scheduler::start_policy() {
  const sim::AheadOfOthers ahead(epoch_->instance(), [this] { return present(false); });
  if (looks_ahead_) epoch_->view().set_lookahead(&ahead);
  epoch_->policy().start(epoch_->view());
  epoch_->view().set_lookahead(nullptr);
  keeps_order_ = epoch_->policy().keeps_order();
}

}  // namespace heddle::runtime
