#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "heddle/experiment/measures.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/partition/choose.hpp"

/// How to divide four cores and two GPUs into scheduling contexts for a set of independent tasks: the estimate of
/// Gazolla 2017 beside simulated runs (chapter 6).
namespace heddle::experiment::contexts {
namespace {

constexpr const char* kMachine = "kumar-2017:cpu=4,gpu=2";
constexpr std::array kPolicies{"eager", "lws", "ws", "random"};
constexpr const char* kRandom = "random";
constexpr int kConfigurations = 15;
constexpr int kFirstPartition = 3;  ///< the first that uses all workers

std::vector<int> sizes(Scale scale) {
  return scale == Scale::full ? std::vector{2'000, 4'000, 25'000, 50'000, 100'000} : std::vector{2'000, 4'000};
}

std::string key(const char* what, int configuration) {
  return fmt::format("{} {}", what, configuration);
}

/// The makespan in the contexts, of the durations that were estimated.
double run(const Cell& cell, const Instance& instance, const partition::Candidate& candidate,
           const partition::Estimate& estimate) {
  Contexts contexts = partition::assign_tasks(
      instance.graph, partition::contexts_of(candidate, instance.platform, cell.policy), estimate.tasks);
  Cell in_contexts = cell;
  in_contexts.policy = "contexts";
  return to_seconds(run_policy(in_contexts, with_contexts(instance, std::move(contexts))).makespan());
}

/// `estimate C` and `simulated C` of each configuration C, in seconds; the estimate as published.
Values measure_configurations(const Cell& cell) {
  const Instance instance = make_instance(cell);
  const partition::Means means = partition::means_of(instance);
  Values values;
  int number = 0;
  for (const partition::Candidate& candidate : partition::gazolla_2017(instance.platform)) {
    const partition::Estimate estimate = partition::estimate(means, candidate);
    values.emplace(key("estimate", ++number), estimate.total());
    values.emplace(key("simulated", number), run(cell, instance, candidate, estimate));
  }
  return values;
}

/// What Heddle chooses among the fifteen: the `makespan` of all tasks in these contexts, in seconds.
Values measure_choice(const Cell& cell) {
  const Instance instance = make_instance(cell);
  partition::Choice choice =
      partition::choose(instance, partition::gazolla_2017(instance.platform), {.policies = {cell.policy}});
  Cell in_contexts = cell;
  in_contexts.policy = "contexts";
  const Instance divided = with_contexts(instance, std::move(choice.contexts));
  return {{"makespan", to_seconds(run_policy(in_contexts, divided).makespan())}};
}

std::string workload_of(int tasks) {
  return fmt::format("independent:tasks={},share=equal", tasks);
}

Cell configurations_cell(int tasks, const char* policy) {
  return {.measure = {"configurations", measure_configurations},
          .workload = workload_of(tasks),
          .platform = kMachine,
          .policy = policy};
}

Cell choice_cell(int tasks, const char* policy) {
  return {
      .measure = {"choice", measure_choice}, .workload = workload_of(tasks), .platform = kMachine, .policy = policy};
}

std::vector<Cell> cells(Scale scale) {
  std::vector<Cell> all;
  for (const int tasks : sizes(scale)) {
    for (const char* policy : kPolicies) {
      all.push_back(configurations_cell(tasks, policy));
      if (std::string_view(policy) != kRandom) all.push_back(choice_cell(tasks, policy));
    }
  }
  return all;
}

/// What was found for one number of tasks under one policy, by configuration.
struct Found {
  std::vector<double> estimate;
  std::vector<double> simulated;

  /// The mean distance of the estimate from the run, over the run.
  [[nodiscard]] double gap() const { return mean_distance(estimate, simulated); }
  [[nodiscard]] std::size_t least_estimate() const {
    return static_cast<std::size_t>(std::ranges::min_element(estimate) - estimate.begin());
  }
  [[nodiscard]] std::size_t shortest() const {
    return static_cast<std::size_t>(std::ranges::min_element(simulated) - simulated.begin());
  }
  [[nodiscard]] std::size_t longest() const {
    return static_cast<std::size_t>(std::ranges::max_element(simulated) - simulated.begin());
  }
  /// How much longer the configuration of the least estimate takes than the best one.
  [[nodiscard]] double loss() const { return simulated[least_estimate()] / simulated[shortest()] - 1; }
};

Found found(const Results& results, int tasks, const char* policy) {
  const Cell cell = configurations_cell(tasks, policy);
  Found of;
  for (int configuration = 1; configuration <= kConfigurations; ++configuration) {
    of.estimate.push_back(results.value(cell, key("estimate", configuration)));
    of.simulated.push_back(results.value(cell, key("simulated", configuration)));
  }
  return of;
}

using ByPolicy = std::vector<std::pair<std::string, Found>>;

ByPolicy by_policy(const Results& results, int tasks) {
  ByPolicy all;
  for (const char* policy : kPolicies) all.emplace_back(policy, found(results, tasks, policy));
  return all;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

report::Claim cores_alone_are_worst(const ByPolicy& all) {
  bool holds = true;
  std::vector<std::string> parts;
  for (const auto& [policy, of] : all) {
    holds = holds && of.longest() == 0;
    parts.push_back(fmt::format("{} {:.1f}", policy, of.simulated.front() / of.simulated[of.shortest()]));
  }
  return {.source = "Gazolla 2017, 6.4.1",
          .published = "Configuration 1, the four cores alone, is the worst by far.",
          .criterion = "with each policy it has the longest run",
          .found = "over the best: " + joined(parts),
          .holds = holds};
}

report::Claim estimate_finds_the_best(const ByPolicy& all) {
  bool holds = true;
  std::vector<std::string> parts;
  for (const auto& [policy, of] : all) {
    if (policy == kRandom) continue;
    holds = holds && of.loss() <= 0.05;
    parts.push_back(fmt::format("{}: {} chosen, {} best, {:.1f} % longer", policy, of.least_estimate() + 1,
                                of.shortest() + 1, 100 * of.loss()));
  }
  return {.source = "Gazolla 2017, 6.4.3",
          .published =
              "The configuration of the least estimate is the most efficient one (10 with eager, 6 with lws and ws).",
          .criterion = "it takes at most 5 % longer than the best",
          .found = joined(parts),
          .holds = holds};
}

report::Claim choice_matters(const ByPolicy& all) {
  const Found& eager = all.front().second;
  const auto [least, most] =
      std::ranges::minmax(std::vector<double>(eager.simulated.begin() + kFirstPartition - 1, eager.simulated.end()));
  return {.source = "Gazolla 2017, 6.4.3.1",
          .published = "Configurations 3 to 15 with eager take from 6,829 to 9,099 ms, a third more.",
          .criterion = "the longest of them takes at least 20 % longer than the shortest",
          .found = fmt::format("{:.1f} % longer", 100 * (most / least - 1)),
          .holds = most >= 1.2 * least};
}

report::Claim estimate_is_near(const ByPolicy& all) {
  bool holds = true;
  std::vector<std::string> parts;
  for (const auto& [policy, of] : all) {
    if (policy == kRandom) continue;
    holds = holds && of.gap() <= 0.2;
    parts.push_back(fmt::format("{} {:.1f} %", policy, 100 * of.gap()));
  }
  return {.source = "Gazolla 2017, 6.4.1",
          .published = "The estimate differs from the run by 12 % (eager), 20 % (lws) and 19 % (ws) on average.",
          .criterion = "by at most 20 % with each of these policies",
          .found = joined(parts),
          .holds = holds};
}

report::Claim random_is_not_foreseen(const ByPolicy& all) {
  double largest_other = 0;
  for (const auto& [policy, of] : all) {
    if (policy != kRandom) largest_other = std::max(largest_other, of.gap());
  }
  const double gap = all.back().second.gap();
  return {.source = "Gazolla 2017, 6.4.1.4",
          .published = "With random the estimate is useless: it differs from the run by 263 to 303 %.",
          .criterion = "by at least twice as much as with any other policy",
          .found = fmt::format("{:.1f} % of the run, {:.1f} % at most with the others", 100 * gap, 100 * largest_other),
          .holds = gap >= 2 * largest_other};
}

report::Claim size_does_not_matter(Scale scale, const Results& results) {
  bool holds = true;
  std::vector<std::string> parts;
  for (const int tasks : sizes(scale)) {
    const Found of = found(results, tasks, "eager");
    const Found first = found(results, sizes(scale).front(), "eager");
    // What is best for few tasks is good for many.
    const double loss = of.simulated[first.least_estimate()] / of.simulated[of.shortest()] - 1;
    holds = holds && loss <= 0.05;
    parts.push_back(fmt::format("{} tasks: {:.1f} %", tasks, 100 * loss));
  }
  return {.source = "Gazolla 2017, 6.4.1",
          .published = "Which configuration is the best does not depend on the number of tasks.",
          .criterion =
              "that of the least estimate for the fewest tasks takes at most 5 % longer than the best for all others",
          .found = joined(parts),
          .holds = holds};
}

report::Claim simulation_chooses_as_well(Scale scale, const Results& results) {
  double most = 0;
  for (const int tasks : sizes(scale)) {
    for (const auto& [policy, of] : by_policy(results, tasks)) {
      if (policy == kRandom) continue;
      const double makespan = results.value(choice_cell(tasks, policy.c_str()), "makespan");
      most = std::max(most, makespan / of.simulated[of.shortest()] - 1);
    }
  }
  return {.source = "Heddle",
          .published = "Simulating a sample, for 1 % of the time of the run, chooses as well as simulating everything.",
          .criterion = "what it chooses takes at most 1 % longer than the best of the fifteen",
          .found = fmt::format("{:.2f} % longer at most", 100 * most),
          .holds = most <= 0.01};
}

report::StudyTable table_of(const ByPolicy& all, int tasks) {
  using report::Align;
  report::StudyTable table{fmt::format("{} tasks: estimated and simulated time in seconds", tasks),
                           {{"configuration", Align::right}, {"estimate", Align::right}}};
  for (const auto& [policy, of] : all) table.columns.push_back({policy, Align::right});
  for (std::size_t i = 0; i < kConfigurations; ++i) {
    std::vector<std::string> row{std::to_string(i + 1), fmt::format("{:.3f}", all.front().second.estimate[i])};
    for (const auto& [policy, of] : all) row.push_back(fmt::format("{:.3f}", of.simulated[i]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::Figure figure_of(Scale scale, const Results& results) {
  report::Figure figure{.title = "Estimated and simulated",
                        .note = "Configurations 2 to 15, as in figures 6.1 to 6.3 of the thesis; 1 is far above",
                        .x_label = "configuration",
                        .y_label = "time in s",
                        .own_scales = true};
  for (const int tasks : sizes(scale)) {
    const ByPolicy all = by_policy(results, tasks);
    report::Panel panel{fmt::format("{} tasks", tasks)};
    report::Series estimate{"estimate"};
    for (std::size_t i = 1; i < kConfigurations; ++i) {
      panel.x.push_back(static_cast<double>(i + 1));
      estimate.values.emplace_back(all.front().second.estimate[i]);
    }
    panel.series.push_back(std::move(estimate));
    for (const auto& [policy, of] : all) {
      panel.series.push_back({policy, {of.simulated.begin() + 1, of.simulated.end()}});
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

report::StudyReport make_report(Scale scale, const Results& results) {
  const int most = sizes(scale).back();
  const ByPolicy all = by_policy(results, most);
  report::StudyReport report;
  report.remark =
      "The thesis prints no durations of its kernels. The four kernels here are those of Cholesky as measured by Kumar "
      "2017, equally often, on four cores and two GPUs; data does not move, so that nothing is brought home. Runs are "
      "simulated.";
  report.claims = {cores_alone_are_worst(all),
                   estimate_finds_the_best(all),
                   choice_matters(all),
                   estimate_is_near(all),
                   random_is_not_foreseen(all),
                   size_does_not_matter(scale, results),
                   simulation_chooses_as_well(scale, results)};
  report.tables.push_back(table_of(all, most));
  report.figures.push_back(figure_of(scale, results));
  return report;
}

}  // namespace

Study study() {
  return {.name = "contexts",
          .summary = "How to divide a machine into scheduling contexts: an estimate beside simulated runs",
          .publication = "Gazolla 2017, chapter 6",
          .full =
              "2,000 to 100,000 independent tasks of four kernels, fifteen configurations of 4 cores and 2 GPUs, four "
              "policies",
          .quick = "the same with 2,000 and 4,000 tasks",
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::contexts
