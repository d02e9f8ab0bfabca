#include "heddle/facts/recorder.hpp"

#include <utility>
#include <vector>

#include "heddle/facts/event.hpp"
#include "heddle/model/error.hpp"
#include "heddle/policy/lookahead.hpp"

namespace heddle::facts {
namespace {

/// Writes down what a lookahead tells, for as long as it lives the one of a view.
class Listening final : public policy::Lookahead {
 public:
  Listening(const policy::Lookahead* real, policy::HostView& view, std::vector<Foreseen>& foreseen)
      : real_(real), view_(view), foreseen_(foreseen) {
    view_.set_lookahead(real == nullptr ? nullptr : this);
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  ~Listening() override { view_.set_lookahead(nullptr); }

  [[nodiscard]] std::optional<Time> run(policy::Policy policy, const Observer& observer) const override {
    const Observer listening = [&](const Attempt& attempt) {
      foreseen_.emplace_back(foreseen::Told{attempt});
      return observer(attempt);
    };
    return asked([&] {
      const std::optional<Time> time = real_->run(std::move(policy), observer ? listening : Observer());
      foreseen_.emplace_back(foreseen::Makespan{time});
      return time;
    });
  }
  [[nodiscard]] std::vector<Time> makespans(std::vector<policy::Policy> policies) const override {
    return asked([&] {
      std::vector<Time> times = real_->makespans(std::move(policies));
      for (const Time time : times) foreseen_.emplace_back(foreseen::Makespan{time});
      return times;
    });
  }
  [[nodiscard]] std::uint64_t events() const override {
    const std::uint64_t count = real_->events();
    foreseen_.emplace_back(foreseen::Events{count});
    return count;
  }
  [[nodiscard]] Time makespan_on(const Instance& instance, policy::Policy policy) const override {
    return asked([&] {
      const Time time = real_->makespan_on(instance, std::move(policy));
      foreseen_.emplace_back(foreseen::MakespanOn{instance.graph.task_count(), time});
      return time;
    });
  }
  [[nodiscard]] Future until(policy::Policy policy, TaskId task, std::span<const WorkerId> among) const override {
    return asked([&] {
      Future future = real_->until(std::move(policy), task, among);
      foreseen_.emplace_back(foreseen::Until{task, future});
      return future;
    });
  }

 private:
  template <class Question>
  [[nodiscard]] auto asked(Question question) const -> decltype(question()) {
    try {
      return question();
    } catch (const InputError& error) {
      foreseen_.emplace_back(foreseen::Failure{error.what()});
      throw;
    }
  }

  const policy::Lookahead* real_;
  policy::HostView& view_;
  std::vector<Foreseen>& foreseen_;
};

}  // namespace

/// A policy in the log, from its first line to its last.
class Recorder::Self {
 public:
  Self(std::shared_ptr<Log> log, Call begin) : log_(std::move(log)), number_(log_->next_number()) {
    add({.call = std::move(begin)});
  }
  Self(const Self&) = delete;
  Self& operator=(const Self&) = delete;
  ~Self() { add({.call = call::End()}); }

  void add(Event event) const {
    event.policy = number_;
    log_->add(event);
  }
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] std::shared_ptr<const Self> copy() const {
    return std::make_shared<const Self>(log_, call::Copy{number_});
  }

 private:
  std::shared_ptr<Log> log_;
  std::uint32_t number_;
};

Recorder::Recorder(policy::Policy policy, std::shared_ptr<Log> log, const Origin& origin)
    : self_(std::make_shared<const Self>(std::move(log), call::Make{origin})), policy_(std::move(policy)) {}

template <class Step>
void Recorder::pass_on(const policy::View& view, Step step) {
  if (self_.use_count() > 1) self_ = self_->copy();
  if (!mirror_) mirror_.emplace(view.instance());
  Event event{.seen = mirror_->difference(view)};
  mirror_->apply(event.seen);
  {
    const Listening listening(view.lookahead(), mirror_->view(), event.foreseen);
    event.call = step(policy_, mirror_->view());
  }
  self_->add(std::move(event));
}

void Recorder::recall(const Recorder& before) {
  if (!before.mirror_ || !policy_.recall(before.policy_)) return;
  if (self_.use_count() > 1) self_ = self_->copy();
  self_->add({.call = call::Recall{before.self_->number()}});
}

void Recorder::start(const policy::View& view) {
  mirror_.reset();
  pass_on(view, [&](policy::Policy& policy, const policy::View& seen) {
    policy.start(seen);
    // The host's, which outlives the call.
    return call::Start{std::shared_ptr<const Instance>(std::shared_ptr<void>(), &view.instance())};
  });
}

void Recorder::ready(const policy::View& view, std::span<const TaskId> tasks) {
  pass_on(view, [&](policy::Policy& policy, const policy::View& seen) {
    policy.ready(seen, tasks);
    return call::Ready{{tasks.begin(), tasks.end()}};
  });
}

void Recorder::started(const policy::View& view, TaskId task, WorkerId worker) {
  pass_on(view, [&](policy::Policy& policy, const policy::View& seen) {
    policy.started(seen, task, worker);
    return call::Started{task, worker};
  });
}

void Recorder::finished(const policy::View& view, std::span<const policy::Completion> completions) {
  pass_on(view, [&](policy::Policy& policy, const policy::View& seen) {
    policy.finished(seen, completions);
    return call::Finished{{completions.begin(), completions.end()}};
  });
}

void Recorder::aborted(const policy::View& view, TaskId task, WorkerId worker) {
  pass_on(view, [&](policy::Policy& policy, const policy::View& seen) {
    policy.aborted(seen, task, worker);
    return call::Aborted{task, worker};
  });
}

void Recorder::refused(const policy::View& view, policy::Action action) {
  pass_on(view, [&](policy::Policy& policy, const policy::View& seen) {
    policy.refused(seen, action);
    return call::Refused{action};
  });
}

void Recorder::workers_changed(const policy::View& view) {
  pass_on(view, [&](policy::Policy& policy, const policy::View& seen) {
    policy.workers_changed(seen);
    return call::WorkersChanged();
  });
}

policy::Action Recorder::next(const policy::View& view) {
  policy::Action answer;
  pass_on(view, [&](policy::Policy& policy, const policy::View& seen) {
    answer = policy.next(seen);
    return call::Next{answer};
  });
  return answer;
}

bool Recorder::keeps_order() const {
  const bool answer = policy_.keeps_order();
  self_->add({.call = call::KeepsOrder{answer}});
  return answer;
}

policy::Policy make_watched(const policy::Spec& spec, std::uint64_t seed, const Schedule* plan,
                            std::shared_ptr<Log> log) {
  Origin origin{.seed = seed};
  const policy::Needs needs = spec.needs();
  const bool has_plan = plan != nullptr && !plan->attempts.empty();
  if (plan != nullptr && (needs.plan || (needs.contexts && has_plan))) origin.plan = *plan;
  return Recorder(spec.make(seed, plan), std::move(log), origin);
}

}  // namespace heddle::facts
