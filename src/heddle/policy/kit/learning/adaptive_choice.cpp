#include "heddle/policy/kit/learning/adaptive_choice.hpp"

#include <algorithm>
#include <array>

#include "heddle/policy/kit/learning/known_part.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::policy {
namespace {

/// What knows nothing of tasks that are not ready; the first is the best on average, the others make up for it.
constexpr std::array kUsual{"dmdas:priority=hint", "dmda", "dada:alpha=0", "mix-eft:lambda=1", "qa"};
/// Where data moves: what looks at where it is.
constexpr std::array kWhereDataMoves{"dmdas:priority=hint", "dmda", "dmdar", "dada:cp=true"};

std::span<const char* const> candidates(const View& view) {
  if (view.moves_data()) return kWhereDataMoves;
  return kUsual;
}

/// Another policy has to be better by this part: less may be chance.
constexpr Time kReserve = 20;

}  // namespace

void AdaptiveChoice::start(const View& view) {
  seen_.assign(view.graph().task_count(), false);
  waiting_ = seen_;
  due_ = 2 * view.platform().worker_count();
  name_ = candidates(view).front();
  policy_ = Spec(name_).make(seed_);
  policy_->start(view);
}

void AdaptiveChoice::ready(const View& view, std::span<const TaskId> tasks) {
  for (const TaskId task : tasks) {
    if (!seen_[task]) known_.push_back(task);
    seen_[task] = true;
    waiting_[task] = true;
  }
  policy_->ready(view, tasks);
}

void AdaptiveChoice::started(const View& view, TaskId task, WorkerId worker) {
  // One that ran before this took over was never told to be ready.
  if (!seen_[task]) known_.push_back(task);
  seen_[task] = true;
  policy_->started(view, task, worker);
}

void AdaptiveChoice::finished(const View& view, std::span<const Completion> completions) {
  completed_ += completions.size();
  policy_->finished(view, completions);
}

void AdaptiveChoice::refused(const View& view, Action action) {
  if (action.kind == Action::Kind::run) waiting_[action.task] = true;
  policy_->refused(view, action);
}

Action AdaptiveChoice::next(const View& view) {
  if (completed_ >= due_ && !view.asks_ahead()) reconsider(view);
  const Action action = policy_->next(view);
  if (action.kind == Action::Kind::run) waiting_[action.task] = false;
  return action;
}

void AdaptiveChoice::reconsider(const View& view) {
  due_ = 2 * completed_;
  std::ranges::sort(known_);
  const Instance known = known_part(view.instance(), known_);
  const auto makespan = [&](const char* name) { return view.lookahead()->makespan_on(known, Spec(name).make(seed_)); };
  const char* best = name_;
  Time least = makespan(name_);
  least -= least / kReserve;
  for (const char* name : candidates(view)) {
    if (name == name_ || !Spec(name).objection(known).empty()) continue;
    const Time time = makespan(name);
    if (time >= least) continue;
    least = time;
    best = name;
  }
  if (best != name_) take_over(view, best);
}

/// The new policy is told what is true now, as if the run began with it.
void AdaptiveChoice::take_over(const View& view, const char* name) {
  name_ = name;
  since_ = completed_;
  policy_ = Spec(name).make(seed_);
  policy_->start(view);
  const auto workers = view.platform().workers();
  if (!std::ranges::all_of(workers, [&](WorkerId worker) { return view.is_available(worker); })) {
    policy_->workers_changed(view);
  }
  std::vector<TaskId> waiting;
  for (const TaskId task : known_) {
    if (waiting_[task]) waiting.push_back(task);
  }
  if (!waiting.empty()) policy_->ready(view, waiting);
}

std::string AdaptiveChoice::note() const {
  return std::string(name_) +
         (since_ == 0 ? " at the start" : " since " + std::to_string(since_) + " tasks had completed");
}

}  // namespace heddle::policy
