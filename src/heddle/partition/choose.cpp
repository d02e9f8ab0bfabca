#include "heddle/partition/choose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/model/projection.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/sim/simulation.hpp"

namespace heddle::partition {
namespace {

/// How often the means of a candidate are corrected at most.
constexpr int kCorrections = 3;
/// Candidates that take longer than the best by more than this part are not corrected.
constexpr double kWorthCorrecting = 1.1;
/// So many simulations shall find room in the budget, if samples need not get too small for it.
constexpr std::size_t kSimulations = 20;
constexpr std::size_t kSmallestSample = 200;

template <class Value>
Value parse_word(std::string_view noun, std::string_view text, std::span<const std::pair<const char*, Value>> words) {
  std::vector<std::string> known;
  for (const auto& [word, value] : words) {
    if (text == word) return value;
    known.emplace_back(word);
  }
  throw InputError(fmt::format("--{} is '{}'{}", noun, text, suggest(text, known)));
}

/// Some of the tasks, which stand for all.
struct Sample {
  Instance instance;
  double factor = 1;  ///< how much larger the whole is
};

/// Independent tasks are thinned out evenly, so that types keep their proportions; of the most frequent one `most`
/// stay.
Sample take_sample(const Instance& instance, const Means& means, std::size_t most) {
  const std::size_t largest = *std::ranges::max_element(means.tasks);
  if (instance.graph.edge_count() > 0 || largest <= most) return {instance};
  Sample sample;
  std::vector<TaskId> tasks;
  Table<TypeId, std::size_t> seen(means.tasks.size(), 0);
  for (const TaskId task : instance.graph.tasks()) {
    const std::size_t before = seen[instance.graph.type(task)]++;
    // The first of each type stays.
    if ((before * most + largest - 1) / largest != ((before + 1) * most + largest - 1) / largest) tasks.push_back(task);
  }
  sample.factor = static_cast<double>(instance.graph.task_count()) / static_cast<double>(tasks.size());
  sample.instance = project(instance, std::move(tasks)).instance;
  return sample;
}

class Chooser {
 public:
  Chooser(const Instance& instance, const Options& options)
      : instance_(instance), options_(options), means_(means_of(instance)) {}

  [[nodiscard]] Choice choose(const std::vector<Candidate>& candidates) && {
    check();
    add_rows(candidates);
    if (options_.method == Method::estimate) {
      choose_by_estimate();
    } else {
      choose_by_simulation();
    }
    const Row& best = choice_.rows[choice_.best];
    choice_.contexts =
        assign_tasks(instance_.graph, contexts_of(best.candidate, instance_.platform, ""), best.estimate.tasks);
    return std::move(choice_);
  }

 private:
  void check() const {
    if (instance_.graph.task_count() == 0) throw InputError(instance_.name + " has no tasks to make contexts for");
    if (options_.policies.empty()) throw InputError("--policies is empty; expected a policy for the contexts");
    for (const std::string& policy : options_.policies) static_cast<void>(policy::Spec(policy));
    if (options_.objective == Objective::time) return;
    for (const ClassId c : instance_.platform.classes()) {
      if (instance_.platform.worker_count(c) > 0 && !instance_.platform.resource_class(c).watts) {
        throw InputError("--objective asks for energy, but the platform does not say what workers of class '" +
                         instance_.platform.class_name(c) + R"(' draw ("watts": {"busy": 12.5, "idle": 3.0}))");
      }
    }
  }

  // Rows.
  void add_rows(const std::vector<Candidate>& candidates) {
    const bool has_whole = std::ranges::any_of(candidates, [&](const Candidate& one) { return is_whole(one); });
    for (const Candidate& candidate : candidates) add_rows(candidate);
    if (has_whole || options_.method == Method::estimate) return;
    Part all{Table<ClassId, std::uint32_t>(instance_.platform.class_count(), 0)};
    for (const ClassId c : all.workers.ids()) all.workers[c] = instance_.platform.worker_count(c);
    add_rows({.name = "whole", .parts = {std::move(all)}});
  }
  /// One for each policy, where the candidate leaves that open.
  void add_rows(const Candidate& candidate) {
    const auto is_open = [](const Part& part) { return part.policy.empty(); };
    const Estimate estimated = estimate(means_, candidate, options_.reading);
    if (std::ranges::none_of(candidate.parts, is_open)) return add_row(candidate, estimated);
    for (const std::string& policy : options_.policies) {
      Candidate one = candidate;
      if (options_.policies.size() > 1) one.name += ":" + policy;
      for (Part& part : one.parts) {
        if (part.policy.empty()) part.policy = policy;
      }
      add_row(std::move(one), estimated);
    }
  }
  void add_row(Candidate candidate, const Estimate& estimated) {
    Row& row = choice_.rows.emplace_back();
    row.candidate = std::move(candidate);
    row.estimate = estimated;
    if (can_run(row)) row.joules = joules(row.estimate, row.candidate, instance_.platform);
  }
  static bool can_run(const Row& row) { return row.estimate.run != kNever; }
  [[nodiscard]] bool is_whole(const Candidate& candidate) const {
    const auto has_all = [&](ClassId c) {
      return candidate.parts.front().workers[c] == instance_.platform.worker_count(c);
    };
    return candidate.parts.size() == 1 && std::ranges::all_of(instance_.platform.classes(), has_all);
  }

  // What is compared.
  [[nodiscard]] double cost(double seconds, const std::optional<double>& joules) const {
    switch (options_.objective) {
      case Objective::energy:
        return joules.value_or(kNever);
      case Objective::product:
        return seconds * joules.value_or(kNever);
      default:
        return seconds;
    }
  }
  /// The rows that can run, by their estimates.
  [[nodiscard]] std::vector<std::size_t> by_estimate() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
      if (can_run(choice_.rows[i])) order.push_back(i);
    }
    if (order.empty()) throw InputError("no candidate has a context for each type of task: some can run in none");
    std::ranges::stable_sort(order, {}, [&](std::size_t i) {
      const Row& row = choice_.rows[i];
      return cost(row.estimate.total(), row.joules);
    });
    return order;
  }

  void choose_by_estimate() {
    choice_.best = by_estimate().front();
    set_sample(options_.sample);
    Row& row = choice_.rows[choice_.best];
    simulate(row, kNever);
    choice_.reason = fmt::format("it has the least estimate of {} candidates", choice_.rows.size());
  }

  void choose_by_simulation() {
    std::vector<std::size_t> order = by_estimate();
    const double run = choice_.rows[order.front()].estimate.total();
    budget_ = static_cast<std::size_t>(std::min(options_.budget * run / kEventSeconds, 1e12));
    set_sample(std::clamp(budget_ / kSimulations / std::max<std::size_t>(means_.tasks.size(), 1), kSmallestSample,
                          std::max(options_.sample, kSmallestSample)));
    const std::size_t all = order.size();
    const std::string best_shape = least_shape(order, false);
    const std::string best_joint = least_shape(order, true);
    // First of all one context of all workers, and the partition and the joint contexts of the least estimates, each
    // with all policies.
    const auto is_whole_row = [&](std::size_t i) { return is_whole(choice_.rows[i].candidate); };
    const auto is_first = [&](std::size_t i) {
      return is_whole_row(i) || shape(i) == best_shape || shape(i) == best_joint;
    };
    const auto rest = std::ranges::stable_partition(order, is_first).begin();
    std::stable_partition(order.begin(), rest, is_whole_row);
    std::stable_partition(order.begin(), rest, [&](std::size_t i) { return !is_joint(i); });
    std::vector<std::size_t> first(order.begin(), rest);
    order.erase(order.begin(), rest);
    // One of each in any case.
    const auto second = std::ranges::find_if_not(first, is_whole_row);
    if (second != first.end() && second != first.begin()) std::rotate(first.begin() + 1, second, second + 1);
    for (const std::size_t i : first) try_row(i);
    rank_policies(order);
    for (const std::size_t i : order) try_row(i);
    if (least_ == kNever) throw InputError("no candidate can be simulated: " + first_objection());
    const std::size_t published = choice_.best;
    try_other_policies();
    explain(all, published);
  }

  [[nodiscard]] std::string shape(std::size_t i) const {
    return describe(choice_.rows[i].candidate, instance_.platform);
  }
  [[nodiscard]] bool is_joint(std::size_t i) const {
    const Candidate& candidate = choice_.rows[i].candidate;
    return std::ranges::any_of(instance_.platform.classes(), [&](ClassId c) { return candidate.shared(c) > 0; });
  }
  /// The shape of the first that shares workers, or shares none; empty if there is none.
  [[nodiscard]] std::string least_shape(const std::vector<std::size_t>& order, bool joint) const {
    const auto found = std::ranges::find_if(order, [&](std::size_t i) { return is_joint(i) == joint; });
    return found == order.end() ? "" : shape(*found);
  }

  void try_row(std::size_t i) {
    if (tried_ >= 2 && !has_budget()) return;
    ++tried_;
    const double found = improve(choice_.rows[i], least_);
    if (found < least_) least_ = found, choice_.best = i;
  }

  /// Puts those first whose policies did best so far, then those of the least estimates.
  void rank_policies(std::vector<std::size_t>& order) const {
    const auto policy_of = [&](std::size_t i) -> const std::string& {
      return choice_.rows[i].candidate.parts.front().policy;
    };
    const auto least_of = [&](const std::string& policy) {
      double least = kNever;
      for (std::size_t i = 0; i < choice_.rows.size(); ++i) {
        const Row& row = choice_.rows[i];
        if (policy_of(i) == policy && row.simulated) least = std::min(least, cost(*row.simulated, row.joules));
      }
      return least;
    };
    std::map<std::string, double> found;
    for (const std::size_t i : order) {
      if (!found.contains(policy_of(i))) found.emplace(policy_of(i), least_of(policy_of(i)));
    }
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return found.at(policy_of(i)); });
  }

  [[nodiscard]] std::string first_objection() const {
    for (const Row& row : choice_.rows) {
      if (!row.objection.empty()) return row.objection;
    }
    return "none has a context for each type of task";
  }
  [[nodiscard]] bool has_budget() const { return choice_.events < budget_; }

  void set_sample(std::size_t most) {
    sample_ = take_sample(instance_, means_, most);
    choice_.sample = sample_.instance.graph.task_count();
    sampled_ = means_;
    sampled_.tasks.assign(means_.tasks.size(), 0);
    for (const TaskId task : sample_.instance.graph.tasks()) ++sampled_.tasks[sample_.instance.graph.type(task)];
    sample_.instance.costs = sample_.instance.costs.as_estimated();
  }

  /// Simulates a candidate, and again with corrected means while that helps. What it costs in the end; kNever where it
  /// costs more than `limit`.
  double improve(Row& row, double limit) {
    double least = simulate(row, limit);
    std::vector<double> slowdown(row.candidate.parts.size(), 1);
    std::vector<double> ends = ends_;
    for (int i = 0; i < kCorrections && row.candidate.parts.size() > 1; ++i) {
      if (ends.empty() || !has_budget()) break;
      correct(row, ends, slowdown);
      Row changed{row.candidate, {}};
      const double found = simulate(changed, std::min(limit, least), slowdown);
      if (found >= least) break;
      least = found;
      ends = ends_;
      row.estimate.tasks = estimate(means_, row.candidate, options_.reading, slowdown).tasks;
      row.simulated = changed.simulated;
      row.joules = changed.joules;
      row.given_up = false;
    }
    return least;
  }
  /// A context that ended late has longer means.
  void correct(const Row& row, const std::vector<double>& ends, std::vector<double>& slowdown) const {
    const Estimate expected = estimate(sampled_, row.candidate, options_.reading, slowdown);
    for (std::size_t c = 0; c < slowdown.size(); ++c) {
      if (expected.seconds[c] > 0 && ends[c] > 0) slowdown[c] *= ends[c] / expected.seconds[c];
    }
  }

  /// Simulates the sample. What it costs; kNever where that is more than `limit`, or there is an objection.
  double simulate(Row& row, double limit, const std::vector<double>& slowdown = {}) {
    ends_.clear();
    const Estimate shares = estimate(sampled_, row.candidate, options_.reading, slowdown);
    try {
      const Contexts contexts =
          assign_tasks(sample_.instance.graph, contexts_of(row.candidate, instance_.platform, ""), shares.tasks);
      const Instance instance = with_contexts(sample_.instance, contexts);
      const policy::Spec spec("contexts");
      const std::string objection = spec.objection(instance);
      if (!objection.empty()) throw InputError(objection);
      sim::Simulation simulation(instance, spec.make(options_.seed, nullptr), {.seed = options_.seed});
      const bool may_give_up = options_.objective == Objective::time;
      const double most = may_give_up ? limit * kWorthCorrecting / sample_.factor : kNever;
      while (simulation.step() && to_seconds(simulation.now()) <= most) {
      }
      choice_.events += simulation.completed_tasks();
      if (options_.watch) options_.watch(std::min(choice_.events, budget_), budget_);
      row.given_up = !simulation.finished();
      if (row.given_up) return kNever;
      return note_run(row, instance, simulation);
    } catch (const InputError& error) {
      row.objection = error.what();
      return kNever;
    }
  }
  double note_run(Row& row, const Instance& instance, const sim::Simulation& simulation) {
    Schedule schedule;
    schedule.attempts = simulation.attempts();
    schedule.contexts = instance.contexts;
    for (const ContextUse& use : context_use(schedule)) ends_.push_back(to_seconds(use.end));
    row.simulated = to_seconds(simulation.now()) * sample_.factor;
    row.joules = heddle::joules(instance.platform, class_joules(instance, schedule));
    if (row.joules) *row.joules *= sample_.factor;
    return cost(*row.simulated, row.joules);
  }

  /// One context after the other gets each of the other policies.
  void try_other_policies() {
    if (options_.policies.size() < 2) return;
    const std::size_t parts = choice_.rows[choice_.best].candidate.parts.size();
    for (std::size_t c = 0; c < parts && parts > 1; ++c) {
      for (const std::string& policy : options_.policies) {
        const Row& best = choice_.rows[choice_.best];
        if (best.candidate.parts[c].policy == policy) continue;
        if (!has_budget()) return;
        Row row{best.candidate, best.estimate};
        row.candidate.parts[c].policy = policy;
        row.candidate.name = fmt::format("{}, context {}:{}", best.candidate.name, c + 1, policy);
        const double found = improve(row, least_);
        if (found >= least_) continue;
        least_ = found;
        choice_.best = choice_.rows.size();
        choice_.rows.push_back(std::move(row));
      }
    }
  }

  void explain(std::size_t all, std::size_t published) {
    const Row& best = choice_.rows[choice_.best];
    const auto one =
        std::ranges::find_if(choice_.rows, [&](const Row& row) { return is_whole(row.candidate) && row.simulated; });
    std::string text = fmt::format("of {} candidates {} were simulated, and none is better", all, tried_);
    if (choice_.best != published) text += "; other policies for some of its contexts help";
    if (one != choice_.rows.end() && !is_whole(best.candidate)) {
      const double gain = 1 - cost(*best.simulated, best.joules) / cost(*one->simulated, one->joules);
      text += fmt::format("; {:.1f} % less than in one context of all workers", 100 * gain);
    }
    choice_.reason = text;
  }

  const Instance& instance_;
  const Options& options_;
  Means means_;
  Means sampled_;  ///< the same means, with the numbers of tasks of the sample
  Sample sample_;
  std::size_t budget_ = 0;
  std::size_t tried_ = 0;
  double least_ = kNever;     ///< cost of the best so far
  std::vector<double> ends_;  ///< of each context in the last simulation; empty: it was given up
  Choice choice_;
};

}  // namespace

Method parse_method(std::string_view text) {
  static constexpr std::pair<const char*, Method> kWords[] = {{"estimate", Method::estimate},
                                                              {"simulate", Method::simulate}};
  return parse_word<Method>("method", text, kWords);
}

Objective parse_objective(std::string_view text) {
  static constexpr std::pair<const char*, Objective> kWords[] = {
      {"time", Objective::time}, {"energy", Objective::energy}, {"product", Objective::product}};
  return parse_word<Objective>("objective", text, kWords);
}

Reading parse_reading(std::string_view text) {
  static constexpr std::pair<const char*, Reading> kWords[] = {{"example", Reading::example},
                                                               {"printed", Reading::printed}};
  return parse_word<Reading>("reading", text, kWords);
}

Choice choose(const Instance& instance, const std::vector<Candidate>& candidates, const Options& options) {
  return Chooser(instance, options).choose(candidates);
}

}  // namespace heddle::partition
