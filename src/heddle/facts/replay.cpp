#include "heddle/facts/replay.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heddle/facts/event.hpp"
#include "heddle/facts/format.hpp"
#include "heddle/facts/mirror.hpp"
#include "heddle/model/error.hpp"
#include "heddle/policy/lookahead.hpp"

namespace heddle::facts {
namespace {

/// The policy does what it did not do then. Policies that take bad input for an answer do not take this.
class Departure : public std::exception {
 public:
  explicit Departure(std::string sentence) : sentence_(std::move(sentence)) {}
  [[nodiscard]] const char* what() const noexcept override { return sentence_.c_str(); }

 private:
  std::string sentence_;
};

/// Says what a lookahead said then, as long as it is asked the same.
class Remembered final : public policy::Lookahead {
 public:
  /// `tells`: whether there are attempts in whatever an observer watches.
  Remembered(const std::vector<Foreseen>& foreseen, bool tells) : foreseen_(foreseen), tells_(tells) {}

  [[nodiscard]] std::optional<Time> run(policy::Policy, const Observer& observer) const override {
    constexpr const char* kQuestion = "it simulates the rest of a run";
    const std::size_t first = next_;
    bool has_seen_enough = false;
    while (const auto* told = peek<foreseen::Told>()) {
      if (!observer) throw Departure("it asks only how a run ends; in the log it watches the run");
      if (has_seen_enough) throw Departure("it has seen enough of a run of which it sees more in the log");
      ++next_;
      has_seen_enough = !observer(told->attempt);
    }
    const bool has_seen_none = observer && tells_ && next_ == first;
    const std::optional<Time> time = answer<foreseen::Makespan>(kQuestion).time;
    if (has_seen_none) throw Departure("it watches a run; in the log it asks only how it ends");
    if (has_seen_enough == time.has_value()) throw Departure("it sees more, or less, of a run than in the log");
    return time;
  }
  [[nodiscard]] std::uint64_t events() const override {
    return answer<foreseen::Events>("it asks what looking ahead has cost").count;
  }
  [[nodiscard]] Time makespan_on(const Instance& instance, policy::Policy) const override {
    const auto& then = answer<foreseen::MakespanOn>("it looks at a run on another instance");
    if (then.tasks != instance.graph.task_count()) {
      throw Departure("it looks at a run of " + std::to_string(instance.graph.task_count()) + " tasks; in the log of " +
                      std::to_string(then.tasks));
    }
    return then.time;
  }
  [[nodiscard]] Future until(policy::Policy, TaskId task, std::span<const WorkerId>) const override {
    const auto& then = answer<foreseen::Until>("it looks when a task ends");
    if (then.task != task) {
      throw Departure("it looks when task " + std::to_string(index(task)) + " ends; in the log task " +
                      std::to_string(index(then.task)));
    }
    return then.future;
  }

  /// The policy has answered.
  void expect_no_more() const {
    if (next_ < foreseen_.size()) throw Departure("it does not look ahead any more; in the log it does");
  }

 private:
  template <class Answer>
  [[nodiscard]] const Answer* peek() const {
    return next_ < foreseen_.size() ? std::get_if<Answer>(&foreseen_[next_]) : nullptr;
  }
  template <class Answer>
  [[nodiscard]] const Answer& answer(const char* question) const {
    if (const auto* failure = peek<foreseen::Failure>()) {
      ++next_;
      throw InputError(failure->sentence);
    }
    const Answer* answer = peek<Answer>();
    if (answer == nullptr) throw Departure(std::string(question) + "; in the log it does not");
    ++next_;
    return *answer;
  }

  const std::vector<Foreseen>& foreseen_;
  bool tells_;
  mutable std::size_t next_ = 0;
};

/// What another policy asks a lookahead was not asked then. Policies that take bad input for an answer do not take
/// this.
class NotInTheLog : public std::exception {};

class Unanswerable final : public policy::Lookahead {
 public:
  [[nodiscard]] std::optional<Time> run(policy::Policy, const Observer&) const override { throw NotInTheLog(); }
  [[nodiscard]] std::uint64_t events() const override { throw NotInTheLog(); }
  [[nodiscard]] Time makespan_on(const Instance&, policy::Policy) const override { throw NotInTheLog(); }
  [[nodiscard]] Future until(policy::Policy, TaskId, std::span<const WorkerId>) const override { throw NotInTheLog(); }
};

std::string describe(TaskId task, const Instance& instance) {
  const TaskGraph& graph = instance.graph;
  const std::string name(graph.name(task));
  return "task " + std::to_string(index(task)) + " (" + (name.empty() ? "" : name + ", ") +
         std::string(graph.type_name(graph.type(task))) + ")";
}

/// The answer, as a verb in the third person.
std::string describe(policy::Action action, const Instance& instance) {
  using Kind = policy::Action::Kind;
  const auto on = [&] { return " on " + instance.platform.worker_name(action.worker); };
  switch (action.kind) {
    case Kind::wait:
      return "waits";
    case Kind::run:
      return "runs " + describe(action.task, instance) + on();
    case Kind::restart:
      return "restarts " + describe(action.task, instance) + on();
    case Kind::preempt:
      return "preempts " + describe(action.task, instance);
    case Kind::prefetch:
      return "fetches the data of " + describe(action.task, instance) + " for " +
             instance.platform.worker_name(action.worker);
  }
  return "";
}

/// A policy that is told once more what another one was.
struct Again {
  Origin origin;
  std::shared_ptr<const Instance> instance{};  ///< null until it is started, as are the others
  std::optional<policy::Policy> policy{};
  std::optional<Mirror> mirror{};
  std::shared_ptr<const Again> before{};  ///< until it is started: what it recalls then
  bool is_asked = false;                  ///< this one, not what it is a copy of
};

class Replay {
 public:
  Replay(const std::string& name, const Audience& audience)
      : name_(name), make_(audience.make), is_other_(!audience.other.empty() && audience.other != name) {}

  /// Goes through what happened; throws Departure when something else happens now.
  void operator()(const Event& event) {
    if (const auto* made = std::get_if<call::Make>(&event.call)) {
      policies_[event.policy] = {made->origin};
    } else if (const auto* copy = std::get_if<call::Copy>(&event.call)) {
      policies_[event.policy] = policies_.at(copy->original);
      policies_[event.policy].is_asked = false;
    } else if (std::holds_alternative<call::End>(event.call)) {
      policies_.erase(event.policy);
    } else if (const auto* recall = std::get_if<call::Recall>(&event.call)) {
      policies_.at(event.policy).before = std::make_shared<const Again>(policies_.at(recall->before));
    } else {
      call(policies_.at(event.policy), event);
    }
  }

  [[nodiscard]] const Replayed& result() const { return result_; }

 private:
  void call(Again& again, const Event& event) {
    if (const auto* start = std::get_if<call::Start>(&event.call)) {
      again.instance = start->instance;
      again.policy = make_(name_, again.origin, *again.instance);
      if (again.before) again.policy->recall(*again.before->policy);
      again.before.reset();
      again.mirror.emplace(*again.instance);
    }
    if (const auto* keeps = std::get_if<call::KeepsOrder>(&event.call)) {
      if (is_other_ || again.policy->keeps_order() == keeps->answer) return;
      throw Departure(keeps->answer ? "it keeps to no order; in the log it does"
                                    : "it keeps to an order; in the log not");
    }
    again.mirror->apply(event.seen);
    policy::HostView& view = again.mirror->view();
    const bool starts = std::holds_alternative<call::Start>(event.call);
    const Remembered remembered(event.foreseen, starts && again.instance->graph.task_count() > 0);
    const Unanswerable unanswerable;
    view.set_lookahead(is_other_ ? static_cast<const policy::Lookahead*>(&unanswerable) : &remembered);
    tell(again, event, view);
    view.set_lookahead(nullptr);
    if (!is_other_) remembered.expect_no_more();
  }

  void tell(Again& again, const Event& event, const policy::View& view) {
    policy::Policy& policy = *again.policy;
    if (std::holds_alternative<call::Start>(event.call)) {
      policy.start(view);
    } else if (const auto* ready = std::get_if<call::Ready>(&event.call)) {
      policy.ready(view, ready->tasks);
    } else if (const auto* started = std::get_if<call::Started>(&event.call)) {
      policy.started(view, started->task, started->worker);
    } else if (const auto* finished = std::get_if<call::Finished>(&event.call)) {
      policy.finished(view, finished->completions);
    } else if (const auto* aborted = std::get_if<call::Aborted>(&event.call)) {
      policy.aborted(view, aborted->task, aborted->worker);
    } else if (const auto* refused = std::get_if<call::Refused>(&event.call)) {
      policy.refused(view, refused->action);
    } else if (std::holds_alternative<call::WorkersChanged>(event.call)) {
      policy.workers_changed(view);
    } else if (const auto* next = std::get_if<call::Next>(&event.call)) {
      compare(policy.next(view), next->answer, *again.instance);
      if (!std::exchange(again.is_asked, true)) ++result_.epochs;
    }
  }

  void compare(policy::Action now, policy::Action then, const Instance& instance) {
    if (now != then) {
      throw Departure("it " + describe(now, instance) + "; in the log it " + describe(then, instance));
    }
    if (now.kind != policy::Action::Kind::wait) ++result_.decisions;
  }

  const std::string& name_;
  const Maker& make_;
  const bool is_other_;  ///< than the policy of which the log is
  std::unordered_map<std::uint32_t, Again> policies_;
  Replayed result_;
};

}  // namespace

policy::Policy make_again(const policy::Spec& spec, const Origin& origin, const Instance& instance) {
  const std::string objection = spec.objection(instance);
  if (!objection.empty()) throw InputError(objection);
  return spec.make(origin.seed, origin.plan ? &*origin.plan : nullptr);
}

policy::Policy make_registered(const std::string& name, const Origin& origin, const Instance& instance) {
  if (name.empty()) {
    throw InputError("the log names no policy: a program brought its own, and has to make it again (facts::replay)");
  }
  return make_again(policy::Spec(name), origin, instance);
}

Replayed replay(std::string_view text, std::string_view source, const Audience& audience) {
  constexpr std::size_t kOften = 1024;
  EventReader reader(text, source);
  Replay replay(reader.policy(), audience);
  for (std::size_t number = 0; const std::optional<Event> event = reader.next(); ++number) {
    if (audience.watch && number % kOften == 0) audience.watch(number, reader.size());
    try {
      replay(*event);
    } catch (const Departure& departure) {
      Replayed result = replay.result();
      result.difference = "events[" + std::to_string(number) + "], at " + format_seconds(event->seen.now) + " s: now " +
                          departure.what();
      return result;
    } catch (const NotInTheLog&) {
      throw InputError(std::string(source) +
                       ": the policy simulates the rest of the run, and the log has the results only for "
                       "the policy that was logged");
    }
  }
  return replay.result();
}

}  // namespace heddle::facts
