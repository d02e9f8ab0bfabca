#include "heddle/policy/common/contest.hpp"

#include <algorithm>

#include "heddle/model/error.hpp"
#include "heddle/model/levels.hpp"
#include "heddle/policy/lookahead.hpp"

namespace heddle::policy {
namespace {

Table<TaskId, Time> longest_paths_after(const Instance& instance) {
  const Table<TaskId, std::int64_t> levels = bottom_levels(instance, Rank::min);
  Table<TaskId, Time> after(levels.size(), 0);
  for (const TaskId task : after.ids()) {
    for (const TaskId successor : instance.graph.successors(task)) {
      after[task] = std::max(after[task], levels[successor]);
    }
  }
  return after;
}

}  // namespace

Contest::Contest(const View& view, const Budget& budget)
    : view_(view), budget_(budget), after_(longest_paths_after(view.instance())) {
  if (!budget.seconds) return;
  deadline_ =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*budget.seconds));
}

std::uint64_t Contest::spent() const {
  return planning_ + view_.lookahead()->events();
}

bool Contest::entered(const std::string& name) const {
  return std::ranges::find(entrants_, name, &Entrant::name) != entrants_.end();
}

bool Contest::spent_up() const {
  return deadline_ ? Clock::now() >= *deadline_ : spent() >= budget_.events;
}

bool Contest::may_still_win(const Attempt& attempt) const {
  return attempt.outcome != Outcome::completed || attempt.end + after_[attempt.task] < makespan_;
}

void Contest::complete(const Candidate& candidate) {
  enter(candidate, true);
}

void Contest::attempt(const Candidate& candidate) {
  const bool affordable = deadline_ ? !spent_up() : spent() + candidate.planning < budget_.events;
  if (makespan_ <= budget_.bound || !affordable) {
    entrants_.push_back({candidate.name, Fate::untried});
    return;
  }
  enter(candidate, false);
}

void Contest::enter(const Candidate& candidate, bool to_the_end) {
  Entrant entrant{candidate.name, Fate::completed};
  planning_ += candidate.planning;
  const auto goes_on = [&](const Attempt& attempt) {
    if (!may_still_win(attempt)) entrant.fate = Fate::passed;
    if (entrant.fate == Fate::completed && spent_up()) entrant.fate = Fate::too_long;
    return entrant.fate == Fate::completed;
  };
  try {
    const Lookahead& lookahead = *view_.lookahead();
    entrant.makespan =
        to_the_end ? lookahead.makespan(candidate.policy) : lookahead.run(candidate.policy, goes_on).value_or(kMaxTime);
  } catch (const InputError&) {
    entrant.fate = Fate::unfit;
  }
  if (entrant.fate == Fate::completed && entrant.makespan < makespan_) {
    makespan_ = entrant.makespan;
    best_ = candidate.policy;
  }
  entrants_.push_back(std::move(entrant));
}

}  // namespace heddle::policy
