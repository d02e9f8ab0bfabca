#include "heddle/policy/composition.hpp"

#include <algorithm>
#include <utility>

#include "heddle/policy/lookahead.hpp"

namespace heddle::policy {
namespace {

std::vector<TaskId> tasks_of(const Instance& instance, ContextId context) {
  std::vector<TaskId> tasks;
  for (const TaskId task : instance.graph.tasks()) {
    if (instance.contexts.of[task] == context) tasks.push_back(task);
  }
  return tasks;
}

}  // namespace

ContextPart::ContextPart(const Instance& instance, ContextId context)
    : ContextPart(instance, tasks_of(instance, context), instance.contexts.all[context].workers) {}

ContextPart::ContextPart(const Instance& instance, std::vector<TaskId> own_tasks, std::vector<WorkerId> own_workers)
    : tasks(project(instance, std::move(own_tasks), own_workers)),
      workers(std::move(own_workers)),
      here(instance.platform.worker_count(), kNone<WorkerId>) {
  for (std::size_t i = 0; i < workers.size(); ++i) here[workers[i]] = make_id<WorkerId>(i);
}

/// What the policy of a context looks ahead with.
class Composition::Ahead final : public Lookahead {
 public:
  Ahead(const Composition& composition, std::size_t member, const Lookahead& whole, Time now)
      : composition_(composition), member_(member), whole_(whole), now_(now) {}

  [[nodiscard]] std::optional<Time> run(Policy policy, const Observer& observer) const override {
    const auto told = [&](const Attempt& attempt) {
      return observer(
          {own().here(attempt.task), own().here(attempt.worker), attempt.start, attempt.end, attempt.outcome});
    };
    if (composition_.is_alone()) return whole_.run(with(std::move(policy)), observer ? Observer(told) : Observer());
    Time end = now_;
    bool has_seen_enough = false;
    std::size_t left = own().left;
    static_cast<void>(whole_.run(with(std::move(policy)), [&](const Attempt& attempt) {
      if (own().here(attempt.task) == kNone<TaskId>) return left > 0;
      if (attempt.outcome == Outcome::completed) {
        end = attempt.end;
        --left;
      }
      has_seen_enough = observer && !told(attempt);
      return !has_seen_enough && left > 0;
    }));
    return has_seen_enough ? std::nullopt : std::optional(end);
  }
  [[nodiscard]] std::vector<Time> makespans(std::vector<Policy> policies) const override {
    if (!composition_.is_alone()) return Lookahead::makespans(std::move(policies));
    std::vector<Policy> all;
    for (Policy& policy : policies) all.emplace_back(with(std::move(policy)));
    return whole_.makespans(std::move(all));
  }
  [[nodiscard]] std::uint64_t events() const override {
    const std::uint64_t before = events_before();
    return whole_.events() - before;
  }
  [[nodiscard]] Time makespan_on(const Instance& instance, Policy policy) const override {
    static_cast<void>(events_before());
    return whole_.makespan_on(instance, std::move(policy));
  }
  [[nodiscard]] Future until(Policy policy, TaskId task, std::span<const WorkerId> among) const override {
    std::vector<WorkerId> there;
    for (const WorkerId worker : among) there.push_back(own().part->workers[index(worker)]);
    const bool has_all = own().part->workers.size() == own().part->here.size();
    if (among.empty() && !has_all) there = own().part->workers;
    return whole_.until(with(std::move(policy)), own().part->tasks.whole[index(task)], there);
  }

 private:
  [[nodiscard]] const Member& own() const { return composition_.members_[member_]; }
  [[nodiscard]] Composition with(Policy policy) const {
    static_cast<void>(events_before());
    return {composition_, member_, std::move(policy)};
  }
  /// Those of other contexts, which looked ahead before this one did.
  [[nodiscard]] std::uint64_t events_before() const {
    if (!before_) before_ = composition_.is_alone() ? 0 : whole_.events();
    return *before_;
  }

  const Composition& composition_;
  std::size_t member_;
  const Lookahead& whole_;
  Time now_;
  mutable std::optional<std::uint64_t> before_;
};

Composition::Composition(const Composition& other, std::size_t member, Policy policy)
    : make_(other.make_), numbers_(other.numbers_), has_news_(other.has_news_) {
  if (other.membership_ && other.has_news_) {
    membership_ = other.membership_;  // of what those that start are told
    membership_->drop_rule();
  }
  members_.reserve(other.members_.size());
  const auto copy = [this](const Member& one) {
    members_.push_back(one);
    if (!one.started && one.stand_in) members_.back().policy = *one.stand_in;
  };
  const std::span all(other.members_);
  std::ranges::for_each(all.first(member), copy);
  const Member& called = all[member];  // its policy is not to be copied now
  members_.push_back(
      {called.name, called.context, called.part, called.view, std::move(policy), {}, called.started, called.left});
  members_.back().view.set_lookahead(nullptr);
  std::ranges::for_each(all.subspan(member + 1), copy);
}

void Composition::Member::see(const View& whole) {
  view.set_now(whole.now());
  view.set_asks_ahead(whole.asks_ahead());
  view.show_data(whole);
  const std::vector<WorkerId>& workers = part->workers;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const WorkerId there = workers[i];
    const TaskId running = whole.running(there);
    const TaskId task = running == kNone<TaskId> ? running : here(running);
    view.show(make_id<WorkerId>(i), {task, whole.expected_end(there), whole.is_idle(there), whole.is_available(there)});
    if (task != kNone<TaskId>) view.set_committed(task, !whole.may_abort(there));
  }
}

void Composition::Member::see_at_start(const View& whole) {
  view.set_asks_ahead(false);
  for (const WorkerId worker : view.platform().workers()) {
    const WorkerId there = part->workers[index(worker)];
    const bool is_free = whole.is_available(there) && whole.running(there) == kNone<TaskId>;
    view.set_available(worker, true);
    view.mark_idle(worker, is_free);
  }
}

Action Composition::Member::whole(const Action& action) const {
  const auto& [instance, tasks, here] = part->tasks;
  // What there is not, the host says.
  return {action.kind, index(action.task) < tasks.size() ? tasks[index(action.task)] : kNone<TaskId>,
          index(action.worker) < part->workers.size() ? part->workers[index(action.worker)] : kNone<WorkerId>};
}

namespace {

/// Decides on nothing: for a context whose tasks are all on workers that it has no more.
struct NoTasks {
  void ready(const View&, std::span<const TaskId>) const {}
  [[nodiscard]] static Action next(const View&) { return wait(); }
  static constexpr bool kPolls = true;
};

}  // namespace

Composition::Member Composition::make_member(const Instance& instance, ContextId context,
                                             std::shared_ptr<const ContextPart> part) const {
  Made made = part->tasks.whole.empty() ? Made{NoTasks()} : make_(instance, context, *part);
  HostView view(part->tasks.instance);
  const std::size_t left = part->tasks.whole.size();
  return {instance.contexts.all[context].name,
          context,
          std::move(part),
          std::move(view),
          std::move(made.policy),
          std::move(made.stand_in),
          false,
          left};
}

void Composition::make_members(const View& view) {
  const Instance& instance = view.instance();
  const Table<ContextId, Context>& all = instance.contexts.all;
  // A run may begin while a worker has tasks of a context that has it no more.
  std::vector<TaskId> away;
  bool runs = false;
  for (const WorkerId worker : view.platform().workers()) {
    const TaskId task = view.running(worker);
    if (task == kNone<TaskId>) continue;
    runs = true;
    if (!std::ranges::binary_search(all[instance.contexts.of[task]].workers, worker)) away.push_back(task);
  }
  const auto lacks_workers = [&](const Context& one) { return one.workers.size() < instance.platform.worker_count(); };
  if (rule_ || (runs && std::ranges::any_of(all, lacks_workers))) membership_.emplace(instance, rule_, view.now());
  if (rule_ && membership_before_) membership_->recall(*membership_before_, view.now());
  for (const ContextId context : all.ids()) {
    numbers_.push_back(members_.size());
    std::vector<TaskId> tasks = tasks_of(instance, context);
    if (tasks.empty()) continue;
    std::erase_if(tasks, [&](TaskId task) { return std::ranges::find(away, task) != away.end(); });
    Member member = make_member(instance, context,
                                std::make_shared<const ContextPart>(instance, std::move(tasks), all[context].workers));
    const auto before = std::ranges::find(before_, member.name, &Member::name);
    if (before != before_.end()) member.recall(*before);
    members_.push_back(std::move(member));
  }
}

template <class Step>
auto Composition::with_foresight(std::size_t member, const View& view, Step step) {
  Member& own = members_[member];
  own.see(view);
  if (view.lookahead() == nullptr) return step(own.policy, own.view);
  const Ahead ahead(*this, member, *view.lookahead(), view.now());
  struct Foresight {
    Foresight(HostView& of, const Lookahead* lookahead) : view(of) { view.set_lookahead(lookahead); }
    Foresight(const Foresight&) = delete;
    Foresight& operator=(const Foresight&) = delete;
    ~Foresight() { view.set_lookahead(nullptr); }
    HostView& view;
  };
  const Foresight foresight(own.view, &ahead);
  return step(own.policy, own.view);
}

void Composition::start(const View& view) {
  if (members_.empty()) make_members(view);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].started) continue;  // in a look ahead, before the others
    with_foresight(i, view, [](Policy& policy, const View& seen) { policy.start(seen); });
    members_[i].begun();
  }
  before_.clear();
  membership_before_.reset();
  has_news_ = false;
}

void Composition::resize(const View& view) {
  membership_->settle(view.now());
  if (!membership_->is_due()) return;
  Situation now = membership_->look(view);
  if (view.lookahead() != nullptr) {
    now.foresee = [this, &view](std::span<const Move> moves) { return makespan_after(view, moves); };
  }
  const std::vector<Move> moves = membership_->rule()->moves(now);
  membership_->begin_part(view.now());
  apply(view, moves);
}

void Composition::apply(const View& view, std::span<const Move> moves) {
  Situation now = membership_->look(view);
  Table<ContextId, bool> changes(now.contexts.size(), false);
  for (const Move& move : moves) {
    if (!now.objection(move).empty()) continue;
    now.make(move);
    membership_->move(view, move);
    changes[move.from] = changes[move.to] = true;
  }
  for (const ContextId context : changes.ids()) {
    if (changes[context] && membership_->left(context) > 0) renew(view, context);
  }
}

/// The policy of the context is a new one, of the tasks and workers that it has now. One that has not started would
/// forget what it has recalled.
void Composition::renew(const View& view, ContextId context) {
  Member& member = members_[numbers_[context]];
  std::vector<TaskId> tasks = membership_->own_tasks(view, context);
  const std::vector<WorkerId>& workers = membership_->workers(context);
  if (!member.started && member.part->tasks.whole == tasks && member.part->workers == workers) return;
  Member renewed = make_member(view.instance(), context,
                               std::make_shared<const ContextPart>(view.instance(), std::move(tasks), workers));
  renewed.recall(member);
  // What the policy has recalled may be of the instance that it had before.
  const std::shared_ptr<const ContextPart> before = std::exchange(member.part, renewed.part);
  member = std::move(renewed);
  has_news_ = true;
}

/// Starts the policy of a context in the middle of the run.
void Composition::begin(std::size_t number, const View& view) {
  with_foresight(number, view, [&](Policy& policy, const View& seen) {
    members_[number].see_at_start(view);
    policy.start(seen);
  });
  Member& member = members_[number];
  member.begun();
  for (const WorkerId worker : member.view.platform().workers()) {
    const TaskId task = member.view.running(worker);
    if (task != kNone<TaskId>) member.policy.started(member.view, task, worker);
  }
  const auto is_away = [&](WorkerId worker) { return !view.is_available(worker); };
  member.see(view);
  if (std::ranges::any_of(member.part->workers, is_away)) member.policy.workers_changed(member.view);
  std::vector<TaskId> ready;
  const std::vector<TaskId>& tasks = member.part->tasks.whole;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (membership_->is_ready(tasks[i])) ready.push_back(make_id<TaskId>(i));
  }
  if (!ready.empty()) member.policy.ready(member.view, ready);
}

void Composition::begin_news(const View& view) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!members_[i].started) begin(i, view);
  }
  has_news_ = false;
}

/// Policies that look ahead themselves are represented by simple ones.
Time Composition::makespan_after(const View& view, std::span<const Move> moves) const {
  Composition future = *this;
  future.membership_->drop_rule();
  future.apply(view, moves);
  for (Member& member : future.members_) {
    if (!member.started && member.stand_in) member.policy = *member.stand_in;
  }
  return view.lookahead()->makespan(std::move(future));
}

/// The policy of the context is to be renewed, once however many tasks it takes for what they are not.
void Composition::note_lack(ContextId context) {
  if (std::ranges::find(lack_tasks_, context) == lack_tasks_.end()) lack_tasks_.push_back(context);
}

void Composition::ready(const View& view, std::span<const TaskId> tasks) {
  if (membership_) membership_->ready(tasks);
  for (Member& member : members_) {
    own_ready_.clear();
    for (const TaskId task : tasks) {
      if (member.here(task) != kNone<TaskId>) own_ready_.push_back(member.here(task));
    }
    if (own_ready_.empty() && !is_alone()) continue;
    member.see(view);
    member.policy.ready(member.view, own_ready_);
  }
  if (!membership_) return;
  for (const TaskId task : tasks) {
    // A worker that is its context's no more has lost it.
    if (owner(view, task).here(task) == kNone<TaskId>) note_lack(view.instance().contexts.of[task]);
  }
}

void Composition::started(const View& view, TaskId task, WorkerId worker) {
  if (membership_) membership_->started(view, task, worker);
  Member& member = owner(view, task);
  if (member.here(task) == kNone<TaskId>) return;
  if (member.here(worker) == kNone<WorkerId>) {
    // Given to a worker that is its context's no more, behind what that runs.
    note_lack(member.context);
    return;
  }
  member.see(view);
  member.policy.started(member.view, member.here(task), member.here(worker));
}

void Composition::finished(const View& view, std::span<const Completion> completions) {
  if (membership_) membership_->finished(view, completions);
  for (Member& member : members_) {
    own_completions_.clear();
    for (const auto& [task, worker] : completions) {
      if (member.has(task, worker)) own_completions_.push_back({member.here(task), member.here(worker)});
    }
    if (own_completions_.empty() && !is_alone()) continue;
    member.left -= own_completions_.size();
    member.see(view);
    member.policy.finished(member.view, own_completions_);
  }
}

void Composition::aborted(const View& view, TaskId task, WorkerId worker) {
  if (membership_) membership_->aborted(view, task, worker);
  Member& member = owner(view, task);
  if (!member.has(task, worker)) return;
  member.see(view);
  member.policy.aborted(member.view, member.here(task), member.here(worker));
}

void Composition::refused(const View& view, Action action) {
  if (membership_) membership_->refused(action.task);
  Member& member = owner(view, action.task);
  member.see(view);
  member.policy.refused(member.view, member.here(action));
}

void Composition::workers_changed(const View& view) {
  for (Member& member : members_) {
    if (!member.started) continue;  // in a look ahead: it sees at its start which there are
    member.see(view);
    member.policy.workers_changed(member.view);
  }
}

Action Composition::next(const View& view) {
  if (membership_) resize(view);
  for (const ContextId context : std::exchange(lack_tasks_, {})) renew(view, context);
  if (has_news_) begin_news(view);
  for (std::size_t i = 0; i < members_.size(); ++i) {
    Member& member = members_[i];
    if (member.polls && !view.moves_data() && !member.some_idle(view)) continue;
    const Action action = with_foresight(i, view, [](Policy& policy, const View& seen) { return policy.next(seen); });
    if (action.kind == Action::Kind::wait) continue;
    if (action.kind == Action::Kind::preempt && !member.view.may_abort(action.task)) {
      // A host that refuses this asks no more in this instant; the contexts that follow are to be asked.
      member.policy.refused(member.view, action);
      continue;
    }
    return member.whole(action);
  }
  return wait();
}

bool Composition::keeps_order() const {
  return std::ranges::any_of(members_, [](const Member& member) { return member.policy.keeps_order(); });
}

bool Composition::polls() const {
  // Where it does, it is not asked while no task is ready: policies would start too late, and workers move too late.
  if (has_news_ || (membership_ && membership_->is_due())) return false;
  return std::ranges::all_of(members_, [](const Member& member) { return member.policy.polls(); });
}

bool Composition::follows_best() const {
  return is_alone() && members_.front().policy.follows_best();
}

std::string Composition::note() const {
  if (is_alone()) return members_.front().policy.note();
  std::string text;
  for (const Member& member : members_) {
    const std::string note = member.policy.note();
    if (!note.empty()) text += (text.empty() ? "" : "; ") + member.name + ": " + note;
  }
  return text;
}

}  // namespace heddle::policy
