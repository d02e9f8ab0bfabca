#include "heddle/sim/lookahead.hpp"

#include <utility>

#include "heddle/sim/simulation.hpp"

namespace heddle::sim {

std::optional<Time> Ahead::run(policy::Policy policy, const Observer& observer) const {
  Simulation future = present().look_ahead(std::move(policy), *events_);
  future.recording_ = observer != nullptr;
  if (future.started_) future.act();
  std::size_t seen = 0;
  while (!future.finished()) {
    future.step();
    for (; seen < future.attempts_.size(); ++seen) {
      if (!observer(future.attempts_[seen])) return std::nullopt;
    }
  }
  return future.now();
}

Time Ahead::makespan_on(const Instance& instance, policy::Policy policy) const {
  const host::Aborts aborts = present().session_.aborts();
  Simulation other(
      instance, std::move(policy),
      {.ahead = present().ahead_, .aborts = aborts == host::Aborts::none ? aborts : host::Aborts::allowed});
  other.durations_ = other.believed_;
  other.recording_ = false;
  other.events_ = events_;
  while (!other.finished()) other.step();
  return other.now();
}

policy::Lookahead::Future Ahead::until(policy::Policy policy, TaskId task) const {
  Simulation future = present().look_ahead(std::move(policy), *events_);
  const Platform& platform = future.instance_->platform;
  Future seen{0, Table<ClassId, bool>(platform.class_count(), false)};
  Table<ClassId, bool> idle = seen.idled;
  future.act();
  while (future.session_.status(task) != host::Status::done) {
    const Time before = future.now();
    for (const ClassId c : platform.classes()) idle[c] = future.view().has_idle(c);
    future.step();
    if (future.now() == before) continue;
    for (const ClassId c : platform.classes()) seen.idled[c] = seen.idled[c] || idle[c];
  }
  seen.end = future.now();
  return seen;
}

std::optional<Time> Ahead::abort_of(policy::Policy policy, TaskId task, WorkerId worker) const {
  Simulation future = present().look_ahead(std::move(policy), *events_);
  future.watched_ = task;
  future.give(task, worker);
  future.act();
  while (future.watched_ != kNone<TaskId> && future.session_.status(task) != host::Status::done) future.step();
  return future.watched_ == kNone<TaskId> ? std::optional(future.now()) : std::nullopt;
}

AheadOfOthers::AheadOfOthers(const Instance& instance, std::function<host::Present()> present)
    : instance_(instance), describe_(std::move(present)) {}

AheadOfOthers::~AheadOfOthers() = default;

void AheadOfOthers::renew() {
  Ahead::renew();
  present_.reset();
}

namespace {

/// Stands where a policy must.
struct NoPolicy {
  void ready(const policy::View&, std::span<const TaskId>) const {}
  [[nodiscard]] policy::Action next(const policy::View&) const { return policy::wait(); }
};

}  // namespace

Simulation& AheadOfOthers::present() const {
  if (!present_) {
    const host::Present present = describe_();
    present_ = std::make_unique<Simulation>(instance_, NoPolicy(), present, Config{.aborts = present.aborts});
  }
  return *present_;
}

std::unique_ptr<host::Foresight> foresee(const Instance& instance, std::function<host::Present()> present) {
  return std::make_unique<AheadOfOthers>(instance, std::move(present));
}

}  // namespace heddle::sim
