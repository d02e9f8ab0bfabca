#include "heddle/judge/what_if.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "heddle/judge/real_run.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/observed_links.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulation.hpp"

namespace heddle::judge {
namespace {

/// What decides in a simulation.
struct Decisions {
  policy::Spec spec;
  const Schedule* plan;  ///< what it follows; null: nothing
};

/// The schedule's own policy, if it is one that can be made again.
std::optional<policy::Spec> policy_of(const Schedule& schedule, const Instance& instance) {
  try {
    policy::Spec spec(schedule.policy);
    const bool fits = !spec.needs().plan && spec.objection(instance).empty();
    return fits ? std::optional(std::move(spec)) : std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

sim::Noise noise_of(const Schedule& schedule) {
  try {
    return sim::Noise(schedule.noise);
  } catch (const InputError&) {
    return {};
  }
}

/// All tasks of the type take `percent` less time.
Instance with_faster(const Instance& instance, TypeId type, Time percent) {
  Instance faster = instance;
  std::vector<bool> done(instance.costs.row_count(), false);
  const auto less = [&](Time time) { return time - time / 100 * percent - time % 100 * percent / 100; };
  for (const TaskId task : instance.graph.tasks()) {
    const std::uint32_t row = instance.costs.row(task);
    if (instance.graph.type(task) != type || done[row]) continue;
    done[row] = true;
    for (const ClassId c : instance.platform.classes()) {
      const Time duration = instance.costs.actual_row(row)[index(c)];
      if (duration == kCannotRun) continue;
      faster.costs.set_actual(row, c, less(duration));
      if (instance.costs.estimates_differ()) {
        faster.costs.set_estimate(row, c, less(instance.costs.estimate_row(row)[index(c)]));
      }
    }
  }
  return faster;
}

Instance with_faster_links(const Instance& instance) {
  std::vector<ResourceClass> classes;
  for (const ClassId c : instance.platform.classes()) classes.push_back(instance.platform.resource_class(c));
  std::vector<Link> links = instance.platform.links();
  for (Link& link : links) link.bandwidth *= 2, link.latency /= 2;
  std::vector<Bus> buses = instance.platform.buses();
  for (Bus& bus : buses) bus.bandwidth *= 2;
  Instance faster = instance;
  faster.platform = Platform(std::move(classes), std::move(links), std::move(buses));
  return faster;
}

/// With so many workers of the class; new ones copy the links of the others. Nothing where some task could not run, or
/// the machine would be more than can be said.
std::optional<Instance> with_workers(const Instance& instance, ClassId c, std::uint32_t workers) {
  try {
    Machine machine{instance.name, {}, instance.platform.links(), instance.platform.buses(), {}};
    for (const ClassId other : instance.platform.classes()) {
      machine.classes.push_back(instance.platform.resource_class(other));
    }
    const std::string setting = fmt::format("{}={}", instance.platform.class_name(c), workers);
    machine = platforms::configure(std::move(machine), setting, platforms::Links::measured);
    return make_instance(instance.name, instance.graph,
                         Platform(std::move(machine.classes), std::move(machine.links), std::move(machine.buses)),
                         instance.costs.reopened());
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Simulates one change after the other while the budget lasts.
class WhatIfSimulator {
 public:
  WhatIfSimulator(const Instance& instance, const Schedule& schedule, const Diagnosis& diagnosis,
                  const analysis::Recording& recording, const WhatIfOptions& options)
      : instance_(instance),
        schedule_(schedule),
        diagnosis_(diagnosis),
        recording_(recording),
        options_(options),
        config_{.noise = noise_of(schedule), .seed = schedule.seed},
        own_(policy_of(schedule, instance)),
        is_real_(!recording.has_transfers || really_happened(schedule)) {
    if (!recording.has_transfers) {
      slower_ = with_overhead_of_recording(instance, schedule, diagnosis.losses);
    } else if (is_real_) {
      slower_ = with_overhead_of_run(instance, schedule);
      seen_ = instance;
      seen_->platform = slower_->platform = with_mean_links_of(instance.platform, schedule.transfers);
    }
  }

  WhatIf run() {
    if (simulate_run()) {
      try_policies();
      try_more_workers();
      if (!pure().platform.links().empty()) {
        try_change("links twice as fast", [&] { return with_faster_links(model()); });
      }
      for (const TypeId type : longest_types()) {
        for (const Time percent : {10, 50}) {
          try_change(fmt::format("{} {} % faster", pure().graph.type_name(type), percent),
                     [&] { return with_faster(model(), type, percent); });
        }
      }
      const bool waited = pure().platform.links().empty() && !schedule_.transfers.empty();
      if (slower_) try_change(waited ? "no overhead, data at once" : "no overhead", [&] { return pure(); });
      try_fewer_workers();
    }
    std::ranges::stable_sort(result_.changes, {}, &Change::makespan);
    return std::move(result_);
  }

 private:
  /// The types that the chain spends most time on: others are not worth a look.
  static constexpr std::size_t kTypes = 5;
  /// How much longer a run may take, as a part of it, without harm.
  static constexpr double kHarm = 0.005;
  static constexpr const char* kReplay = "replay";
  /// How often durations are drawn, an odd number, and about how many tasks of all draws suffice: the more tasks, the
  /// less chance has to say.
  static constexpr std::size_t kDraws = 9;
  static constexpr std::size_t kTasksOfDraws = 5000;

  /// Without overhead.
  [[nodiscard]] const Instance& pure() const { return seen_ ? *seen_ : instance_; }
  [[nodiscard]] const Instance& model() const { return slower_ ? *slower_ : pure(); }
  [[nodiscard]] std::size_t draws() const {
    const std::size_t tasks = std::max<std::size_t>(1, instance_.graph.task_count());
    return std::min(kDraws, kTasksOfDraws / tasks | 1);
  }
  [[nodiscard]] double allowed_error() const { return is_real_ ? kMaxModelErrorOfRun : kMaxModelError; }

  [[nodiscard]] bool is_over() const { return used_ >= options_.attempts || (options_.stop && options_.stop()); }

  /// The makespan; nothing where the budget does not suffice, or the simulator cannot do it (a memory is too small).
  std::optional<Time> simulate(const Instance& instance, const Decisions& decisions) {
    if (is_over()) return std::nullopt;
    try {
      return simulated(instance, decisions);
    } catch (const InputError&) {
      return std::nullopt;
    }
  }
  std::optional<Time> simulated(const Instance& instance, const Decisions& decisions) {
    sim::Simulation simulation(instance, decisions.spec.make(config_.seed, decisions.plan), config_);
    constexpr std::size_t kStepsPerQuestion = 256;
    for (std::size_t steps = 0; !simulation.finished(); ++steps) {
      if (steps % kStepsPerQuestion == 0 && options_.stop && options_.stop()) return std::nullopt;
      simulation.step();
    }
    used_ += simulation.attempts().size();
    Time makespan = 0;
    for (const Attempt& attempt : simulation.attempts()) {
      if (attempt.outcome == Outcome::completed) makespan = std::max(makespan, attempt.end);
    }
    return makespan;
  }

  /// The median makespan over the models; nothing where the budget does not suffice for all.
  std::optional<Time> simulate_policy(const policy::Spec& spec, std::span<const Instance> models) {
    std::vector<Time> makespans;
    for (const Instance& model : models) {
      const std::optional<Time> makespan = simulate(model, {spec, nullptr});
      if (!makespan) return std::nullopt;
      makespans.push_back(*makespan);
    }
    const auto middle = makespans.begin() + std::ssize(makespans) / 2;
    std::ranges::nth_element(makespans, middle);
    return *middle;
  }

  [[nodiscard]] double error_of(Time simulated) const {
    const auto makespan = static_cast<double>(schedule_.makespan());
    return makespan > 0 ? std::abs(static_cast<double>(simulated) - makespan) / makespan : 0;
  }

  bool simulate_run() {
    decisions_ = Decisions{policy::Spec("static"), &schedule_};
    const std::optional<Time> replayed = simulate(model(), *decisions_);
    if (!replayed) {
      result_.not_reached.emplace_back("the run's own decisions");
      return false;
    }
    set_model(kReplay, *replayed);
    if (result_.model_error > kMaxModelError && own_) {
      const Decisions own{*own_, nullptr};
      const std::optional<Time> again = simulate(model(), own);
      if (again && error_of(*again) < result_.model_error) {
        decisions_ = own;
        set_model(own_->text(), *again);
      }
    }
    return true;
  }

  void set_model(std::string name, Time simulated) {
    result_.model = std::move(name);
    result_.simulated = simulated;
    result_.model_error = error_of(simulated);
    result_.trusted = result_.model_error <= allowed_error();
  }

  void add(std::string what, std::string policy, std::optional<Time> makespan) {
    if (!makespan) return result_.not_reached.push_back(std::move(what));
    Change change{std::move(what), std::move(policy), *makespan, std::nullopt};
    if (result_.trusted && result_.simulated > 0) {
      change.gain = 1 - static_cast<double>(*makespan) / static_cast<double>(result_.simulated);
    }
    result_.changes.push_back(std::move(change));
  }

  /// With the decisions of the run.
  template <class Make>
  void try_change(std::string what, Make&& make) {
    if (is_over()) {
      return result_.not_reached.push_back(std::move(what));
    }
    const Instance changed = make();
    const std::string decided = decisions_->plan == nullptr ? decisions_->spec.text() : "";
    add(std::move(what), decided, simulate(changed, *decisions_));
  }

  /// All that can take the instance, but for those that follow plans or simulate all others.
  void try_policies() {
    std::vector<Instance> drawn;
    if (is_real_ && !is_over()) drawn = with_drawn_durations(model(), schedule_, draws());
    const std::span<const Instance> models = is_real_ ? std::span<const Instance>(drawn) : std::span(&model(), 1);
    for (const policy::Entry& entry : policy::entries()) {
      const policy::Spec spec(entry.name);
      if (entry.name == "auto" || entry.needs(spec.options()).plan || !spec.objection(model()).empty()) continue;
      if (own_ && own_->text() == spec.text()) continue;
      const std::optional<Time> makespan = is_over() ? std::nullopt : simulate_policy(spec, models);
      if (makespan && (!best_ || *makespan < best_->second)) best_.emplace(spec, *makespan);
      add("policy " + spec.text(), spec.text(), makespan);
    }
  }

  /// Decisions cannot be kept where there is a worker more: the run's policy decides, or else the best one.
  void try_more_workers() {
    if (!own_ && !best_) return;
    const policy::Spec& spec = own_ ? *own_ : best_->first;
    for (const ClassId c : pure().platform.classes()) {
      const std::string what = "one more " + pure().platform.class_name(c);
      if (is_over()) {
        result_.not_reached.push_back(what);
        continue;
      }
      const std::optional<Instance> larger = with_workers(model(), c, pure().platform.worker_count(c) + 1);
      if (larger && spec.objection(*larger).empty()) add(what, spec.text(), simulate(*larger, {spec, nullptr}));
    }
  }

  /// By class: as many as can leave so that the run takes at most kHarm longer, by halving; the answer was simulated.
  void try_fewer_workers() {
    if (!own_ && !best_) return;
    const policy::Spec& spec = own_ ? *own_ : best_->first;
    const auto most = static_cast<Time>(static_cast<double>(result_.simulated) * (1 + kHarm));
    for (const ClassId c : pure().platform.classes()) {
      const std::uint32_t workers = pure().platform.worker_count(c);
      std::uint32_t few = 0;
      std::uint32_t many = workers;
      std::optional<Time> makespan;
      while (few < many) {
        if (is_over()) {
          result_.not_reached.push_back("fewer " + pure().platform.class_name(c));
          break;
        }
        const std::uint32_t left = (few + many) / 2;
        const std::optional<Instance> smaller = with_workers(model(), c, left);
        const bool can = smaller && spec.objection(*smaller).empty();
        const std::optional<Time> found = can ? simulate(*smaller, {spec, nullptr}) : std::nullopt;
        if (found && *found <= most) {
          many = left;
          makespan = found;
        } else {
          few = left + 1;
        }
      }
      if (!makespan) continue;
      result_.leaving.push_back({c, workers - many});
      add(fmt::format("{} fewer {}", workers - many, pure().platform.class_name(c)), spec.text(), makespan);
    }
  }

  [[nodiscard]] std::vector<TypeId> longest_types() const {
    Table<TypeId, Time> time(pure().graph.type_count(), 0);
    for (const analysis::ChainLink& link : diagnosis_.chain) {
      const Attempt& attempt = schedule_.attempts[link.attempt];
      time[pure().graph.type(attempt.task)] += attempt.end - attempt.start;
    }
    std::vector<TypeId> types;
    for (const TypeId type : time.ids()) {
      if (time[type] > 0) types.push_back(type);
    }
    std::ranges::stable_sort(types, [&](TypeId a, TypeId b) { return time[a] > time[b]; });
    if (types.size() > kTypes) types.resize(kTypes);
    return types;
  }

  const Instance& instance_;
  const Schedule& schedule_;
  const Diagnosis& diagnosis_;
  const analysis::Recording& recording_;
  const WhatIfOptions& options_;
  sim::Config config_;
  std::optional<policy::Spec> own_;
  bool is_real_;
  std::optional<Instance> seen_;    ///< of a run that really happened, with transfers: with the links that it saw
  std::optional<Instance> slower_;  ///< of a run that really happened: with overhead, too
  std::optional<Decisions> decisions_;
  std::optional<std::pair<policy::Spec, Time>> best_;
  std::uint64_t used_ = 0;
  WhatIf result_;
};

}  // namespace

WhatIf what_if(const Instance& instance, const Schedule& schedule, const Diagnosis& diagnosis,
               const analysis::Recording& recording, const WhatIfOptions& options) {
  return WhatIfSimulator(instance, schedule, diagnosis, recording, options).run();
}

std::string advice(const WhatIf& what_if) {
  constexpr double kWorthwhile = 0.01;
  if (!what_if.trusted) return "";
  const auto best =
      std::ranges::find_if(what_if.changes, [](const Change& change) { return change.what.starts_with("policy "); });
  if (best == what_if.changes.end() || !best->gain) return "";
  if (*best->gain < kWorthwhile) return "No other policy would gain 1 %.";
  if (*best->gain <= what_if.model_error) return "No other policy would gain more than the model's error.";
  return fmt::format("Policy {} would gain {:.0f} %.", best->policy, 100 * *best->gain);
}

}  // namespace heddle::judge
