#include "heddle/sim/lookahead.hpp"

#include <algorithm>
#include <cstddef>
#include <future>
#include <iterator>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "heddle/model/parallel.hpp"
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

/// A simulation from the present on, of policies that have decided alike so far.
class Ahead::Race {
 public:
  struct Member {
    std::size_t number;
    policy::Policy policy;
  };
  /// What became of them, and of those that branched off.
  struct Outcome {
    std::vector<std::pair<std::size_t, Time>> makespans;  ///< by number
    Time least;                                           ///< of these
    std::size_t best;                                     ///< the smallest number that has it
    Simulation::Foreseen foreseen;                        ///< how that one's simulation went
    std::uint64_t events;                                 ///< of all simulations
  };

  /// `answer`: what the members answer first, if they were asked already.
  Race(Simulation& present, std::vector<Member> members, std::optional<policy::Action> answer, bool records);
  Race(const Race&) = delete;
  Race& operator=(const Race&) = delete;
  ~Race() = default;

  /// To the end.
  [[nodiscard]] Outcome run();

 private:
  /// The policies as one.
  class Together;
  /// Those that decided otherwise, in a simulation of their own, which begins just before that decision.
  struct Branch {
    std::future<Outcome> outcome;
    std::size_t attempts;  ///< of the common past
    std::size_t repeats;   ///< likewise
  };

  void branch_off(std::vector<Member> members, policy::Action answer);

  std::vector<std::size_t> left_;  ///< the numbers of those that are together, ascending
  std::uint64_t events_ = 0;
  std::unique_ptr<Simulation> simulation_;
  std::vector<Branch> branches_;
};

class Ahead::Race::Together {
 public:
  Together(Race& race, std::vector<Member> members, std::optional<policy::Action> answer)
      : race_(&race), members_(std::move(members)), answer_(answer) {}

  void start(const policy::View& view) {
    for (Member& member : members_) member.policy.start(view);
  }
  void ready(const policy::View& view, std::span<const TaskId> tasks) {
    for (Member& member : members_) member.policy.ready(view, tasks);
  }
  void started(const policy::View& view, TaskId task, WorkerId worker) {
    for (Member& member : members_) member.policy.started(view, task, worker);
  }
  void finished(const policy::View& view, std::span<const policy::Completion> completions) {
    for (Member& member : members_) member.policy.finished(view, completions);
  }
  void aborted(const policy::View& view, TaskId task, WorkerId worker) {
    for (Member& member : members_) member.policy.aborted(view, task, worker);
  }
  void refused(const policy::View& view, policy::Action action) {
    for (Member& member : members_) member.policy.refused(view, action);
  }
  void workers_changed(const policy::View& view) {
    for (Member& member : members_) member.policy.workers_changed(view);
  }
  [[nodiscard]] bool keeps_order() const { return members_.front().policy.keeps_order(); }
  [[nodiscard]] bool polls() const { return members_.front().policy.polls(); }

  [[nodiscard]] policy::Action next(const policy::View& view) {
    if (answer_) return *std::exchange(answer_, std::nullopt);
    const policy::Action answer = members_.front().policy.next(view);
    std::vector<std::pair<policy::Action, std::vector<Member>>> others;
    for (std::size_t i = 1; i < members_.size();) {
      const policy::Action other = members_[i].policy.next(view);
      if (other == answer) {
        ++i;
        continue;
      }
      auto group = std::ranges::find(others, other, [](const auto& one) { return one.first; });
      if (group == others.end()) group = others.insert(group, {other, {}});
      group->second.push_back(std::move(members_[i]));
      members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (auto& [other, group] : others) race_->branch_off(std::move(group), other);
    return answer;
  }

 private:
  Race* race_;  ///< that of copies, too, which are never asked
  std::vector<Member> members_;
  std::optional<policy::Action> answer_;
};

Ahead::Race::Race(Simulation& present, std::vector<Member> members, std::optional<policy::Action> answer,
                  bool records) {
  for (const Member& member : members) left_.push_back(member.number);
  simulation_ = std::make_unique<Simulation>(present.look_ahead(Together(*this, std::move(members), answer), events_));
  simulation_->weight_ = left_.size();
  simulation_->recording_ = records;
  if (records) simulation_->reserve_attempts();
}

Ahead::Race::Outcome Ahead::Race::run() {
  Simulation& simulation = *simulation_;
  if (simulation.started_) simulation.act();
  while (!simulation.finished()) simulation.step();
  Outcome outcome{{}, simulation.now(), left_.front(), {}, events_};
  for (const std::size_t number : left_) outcome.makespans.emplace_back(number, simulation.now());
  const Branch* best = nullptr;
  Simulation::Foreseen after;
  for (Branch& branch : branches_) {
    Outcome other = branch.outcome.get();
    std::ranges::copy(other.makespans, std::back_inserter(outcome.makespans));
    outcome.events += other.events;
    if (std::tuple(outcome.least, outcome.best) < std::tuple(other.least, other.best)) continue;
    outcome.least = other.least;
    outcome.best = other.best;
    after = std::move(other.foreseen);
    best = &branch;
  }
  outcome.foreseen = {std::move(simulation.attempts_), std::move(simulation.repeats_)};
  if (best != nullptr) outcome.foreseen.replace_end(best->attempts, best->repeats, after);
  return outcome;
}

void Ahead::Race::branch_off(std::vector<Member> members, policy::Action answer) {
  // Fewer tasks are simulated before a thread has begun.
  constexpr std::size_t kManyTasks = 4096;
  Simulation& here = *simulation_;
  for (const Member& member : members) std::erase(left_, member.number);
  here.weight_ = left_.size();
  auto race = std::make_shared<Race>(here, std::move(members), answer, here.recording_);
  const bool may_use_thread = here.may_use_threads_ && here.tasks_.size() - here.completed_tasks() >= kManyTasks;
  branches_.push_back(
      {call_aside([race] { return race->run(); }, may_use_thread), here.attempts_.size(), here.repeats_.size()});
}

std::vector<Time> Ahead::makespans(std::vector<policy::Policy> policies) const {
  Simulation& now = present();
  // Where data moves, what a worker is asked for depends on which worker asks: a simulation cannot begin at any answer.
  if (now.data_ || policies.empty()) return Foresight::makespans(std::move(policies));
  std::vector<Race::Member> members;
  for (policy::Policy& policy : policies) members.push_back({members.size(), std::move(policy)});
  Race::Outcome outcome = Race(now, std::move(members), std::nullopt, now.may_follow()).run();
  *events_ += outcome.events;
  if (now.may_follow()) now.foresee(std::move(outcome.foreseen));
  std::vector<Time> makespans(policies.size());
  for (const auto& [number, makespan] : outcome.makespans) makespans[number] = makespan;
  return makespans;
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

policy::Lookahead::Future Ahead::until(policy::Policy policy, TaskId task, std::span<const WorkerId> among) const {
  Simulation future = present().look_ahead(std::move(policy), *events_);
  const Platform& platform = future.instance_->platform;
  future.steps_singly_ = true;
  Future seen{0, Table<ClassId, bool>(platform.class_count(), false)};
  Table<ClassId, bool> idle = seen.idled;
  const auto note_idle = [&] {
    const policy::View& view = future.view();
    for (const ClassId c : platform.classes()) idle[c] = among.empty() && view.has_idle(c);
    for (const WorkerId worker : among) {
      if (view.is_idle(worker)) idle[platform.class_of(worker)] = true;
    }
  };
  future.act();
  while (future.session_.status(task) != host::Status::done) {
    const Time before = future.now();
    note_idle();
    future.step();
    if (future.now() == before) continue;
    for (const ClassId c : platform.classes()) seen.idled[c] = seen.idled[c] || idle[c];
  }
  seen.end = future.now();
  return seen;
}

std::optional<Time> Ahead::abort_of(policy::Policy policy, TaskId task, WorkerId worker) const {
  Simulation future = present().look_ahead(std::move(policy), *events_);
  future.steps_singly_ = true;
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
