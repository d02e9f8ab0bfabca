#include "heddle/policy/kit/learning/contest.hpp"

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
    : view_(view), budget_(budget), begin_(view.now()), after_(longest_paths_after(view.instance())) {
  if (!budget.seconds) return;
  deadline_ =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*budget.seconds));
}

bool Contest::entered(const std::string& name) const {
  return std::ranges::find(entrants_, name, &Entrant::name) != entrants_.end();
}

std::uint64_t Contest::spent() const {
  return planning_ + view_.lookahead()->events() - gratis_;
}

std::uint64_t Contest::allowed() const {
  return std::max(budget_.events, budget_.times_slowest * slowest_);
}

bool Contest::over() const {
  return makespan_ <= budget_.bound || reached(limit(1));
}

std::uint64_t Contest::events_left() const {
  return allowed() - std::min(allowed(), spent());
}

std::optional<double> Contest::seconds_left() const {
  if (!deadline_) return std::nullopt;
  return std::max(0.0, std::chrono::duration<double>(*deadline_ - Clock::now()).count());
}

Contest::Limit Contest::limit(std::uint64_t share) const {
  if (!deadline_) return {spent() + events_left() / share, std::nullopt};
  const Clock::time_point now = Clock::now();
  const auto left = std::max(*deadline_ - now, Clock::duration::zero());
  return {0, now + left / static_cast<Clock::rep>(share)};
}

bool Contest::reached(const Limit& limit) const {
  return limit.deadline ? Clock::now() >= *limit.deadline : spent() >= limit.events;
}

bool Contest::may_still_win(const Attempt& attempt) const {
  return attempt.outcome != Outcome::completed || attempt.end - begin_ + after_[attempt.task] < makespan_;
}

void Contest::complete(const Candidate& candidate) {
  enter(candidate, [](const Attempt&) { return Fate::completed; });
}

void Contest::consider(const Candidate& candidate) {
  if (makespan_ <= budget_.bound) {
    entrants_.push_back({candidate.name, Fate::untried});
    return;
  }
  const std::uint64_t before = spent();
  enter(candidate, [&](const Attempt& attempt) { return may_still_win(attempt) ? Fate::completed : Fate::passed; });
  gratis_ += spent() - before;
}

void Contest::attempt(const Candidate& candidate, std::uint64_t share) {
  const Limit limit = this->limit(share);
  const bool affordable = limit.deadline || spent() + candidate.planning + candidate.foreseen < limit.events;
  if (over() || !affordable) {
    entrants_.push_back({candidate.name, Fate::untried});
    return;
  }
  enter(candidate, [&](const Attempt& attempt) {
    if (!may_still_win(attempt)) return Fate::passed;
    return reached(limit) ? Fate::too_long : Fate::completed;
  });
}

void Contest::enter(const Candidate& candidate, const std::function<Fate(const Attempt&)>& judge) {
  Entrant entrant{candidate.name};
  const std::uint64_t before = spent();
  planning_ += candidate.planning;
  const auto observe = [&](const Attempt& attempt) {
    entrant.schedule.attempts.push_back(attempt);
    entrant.fate = judge(attempt);
    return entrant.fate == Fate::completed;
  };
  try {
    const std::optional<Time> end = view_.lookahead()->run(candidate.policy, observe);
    entrant.makespan = end ? *end - begin_ : kMaxTime;
  } catch (const InputError&) {
    entrant.fate = Fate::unfit;
  }
  slowest_ = std::max(slowest_, spent() - before);
  if (entrant.fate != Fate::completed) entrant.schedule = {};
  if (entrant.fate == Fate::completed && entrant.makespan < makespan_) {
    makespan_ = entrant.makespan;
    best_ = candidate.policy;
  }
  entrants_.push_back(std::move(entrant));
}

}  // namespace heddle::policy
