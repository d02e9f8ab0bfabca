#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "heddle/experiment/factorizations.hpp"
#include "heddle/experiment/measures.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"

/// HeteroPrio, DualHP and HEFT on the tasks of three factorizations, first as independent tasks, then as graphs. Beside
/// the makespan: what the CPUs were given to do, and how long workers were idle.
namespace heddle::experiment::independent {
namespace {

constexpr std::size_t kCpus = 20;
constexpr const char* kIndependentTasks = "Kumar 2017, section 5.6.1";
constexpr const char* kTaskGraphs = "Kumar 2017, section 5.6.2";

const std::vector<Contender> kOnTasks{
    {"HeteroPrio min", "heteroprio-indep:rank=min"}, {"DualHP min", "dual-hp:rank=min"}, {"HEFT min", "heft:rank=min"}};

const std::vector<Contender> kOnGraphs{{"HeteroPrio min", "heteroprio-indep:rank=min"},
                                       {"HeteroPrio avg", "heteroprio-indep:rank=avg"},
                                       {"DualHP min", "dual-hp:rank=min"},
                                       {"DualHP avg", "dual-hp:rank=avg"},
                                       {"DualHP fifo", "dual-hp:rank=fifo"},
                                       {"HEFT min", "heft:rank=min"},
                                       {"HEFT avg", "heft:rank=avg"}};

std::vector<std::size_t> sizes(Scale scale) {
  if (scale == Scale::full) return range(4, 64, 4);
  return {4, 8, 12, 16, 24, 32, 64};
}

std::vector<GridPoint> grid(Scale scale, bool independent) {
  std::vector<GridPoint> points;
  for (const Factorization& factorization : kFactorizations) {
    for (const std::size_t size : sizes(scale)) {
      std::string workload = independent ? fmt::format("independent:of={},tiles={}", factorization.workload, size)
                                         : factorize(factorization, size);
      points.push_back({factorization.title, size, kCpus, std::move(workload), kumar_machine(kCpus)});
    }
  }
  return points;
}

std::vector<Cell> cells(Scale scale) {
  std::vector<Cell> all = comparison_cells(grid(scale, true), kOnTasks);
  const std::vector<Cell> graphs = comparison_cells(grid(scale, false), kOnGraphs);
  all.insert(all.end(), graphs.begin(), graphs.end());
  return all;
}

std::vector<Ratios> of_size(const std::vector<Ratios>& all, std::size_t from, std::size_t to) {
  return select(all, [=](const GridPoint& point) { return from <= point.size && point.size <= to; });
}

report::Claim close_to_optimal(const std::vector<Ratios>& tasks) {
  const std::vector<double> ratios = mean_ratios(of_size(tasks, 32, 64));
  return {.source = kIndependentTasks,
          .published = "On many independent tasks HeteroPrio and DualHP are close to optimal.",
          .criterion = "for 32 tiles and more both are on average within 2 % of the bound",
          .found = describe_ratios(kOnTasks, ratios),
          .holds = ratios[0] <= 1.02 && ratios[1] <= 1.02};
}

report::Claim better_on_few_tasks(const std::vector<Ratios>& tasks) {
  const std::vector<double> ratios = mean_ratios(of_size(tasks, 1, 19));
  return {.source = kIndependentTasks,
          .published =
              "On fewer independent tasks (below 20 tiles) HeteroPrio is better than DualHP, although its "
              "guarantee is worse.",
          .criterion = "below 20 tiles HeteroPrio's mean makespan / bound is smaller than DualHP's",
          .found = describe_ratios(kOnTasks, ratios),
          .holds = ratios[0] < ratios[1]};
}

report::Claim heft_is_poor(const std::vector<Ratios>& tasks) {
  const std::vector<double> ratios = mean_ratios(tasks);
  return {.source = kIndependentTasks,
          .published = "HEFT is rather poor on independent tasks, for it does not look at acceleration factors.",
          .criterion = "HEFT's mean makespan / bound over all sizes is the largest of the three",
          .found = describe_ratios(kOnTasks, ratios),
          .holds = ratios[2] > ratios[0] && ratios[2] > ratios[1]};
}

report::Claim extremes_are_easy(const std::vector<Ratios>& graphs) {
  std::string found;
  bool holds = true;
  for (const std::size_t size : {std::size_t{4}, std::size_t{64}}) {
    double worst = 1;
    std::string who;
    for (const Ratios& ratios : of_size(graphs, size, size)) {
      const auto place = static_cast<std::size_t>(std::ranges::max_element(ratios.of) - ratios.of.begin());
      if (ratios.of[place] <= worst) continue;
      worst = ratios.of[place];
      who = kOnGraphs[place].name + " on " + ratios.at.application;
    }
    holds = holds && worst <= 1.1;
    found += fmt::format("{}{} tiles: at most {:.3f} ({})", found.empty() ? "" : "; ", size, worst, who);
  }
  return {.source = kTaskGraphs,
          .published = "Graphs of few or of many tiles are easy: every algorithm is close to the bound.",
          .criterion = "every algorithm is within 10 % of the bound on every graph of 4 and of 64 tiles",
          .found = found,
          .holds = holds};
}

bool is_heteroprio(std::size_t contender) {
  return contender < 2;
}

report::Claim best_in_the_middle(const std::vector<Ratios>& graphs) {
  std::size_t instances = 0;
  std::size_t won = 0;
  std::string lost;
  for (const Ratios& ratios : of_size(graphs, 10, 40)) {
    const std::size_t best = place_of_smallest(ratios.of);
    ++instances;
    if (is_heteroprio(best)) {
      ++won;
    } else {
      lost += fmt::format("{}{} {} tiles: {} {:.3f}, HeteroPrio {:.3f}", lost.empty() ? "; but " : ", ",
                          ratios.at.application, ratios.at.size, kOnGraphs[best].name, ratios.of[best],
                          std::min(ratios.of[0], ratios.of[1]));
    }
  }
  return {.source = kTaskGraphs,
          .published = "Between 10 and 40 tiles the best result is always HeteroPrio's.",
          .criterion = "no other algorithm has a smaller makespan on any graph of 10 to 40 tiles",
          .found = fmt::format("the best on {} of {} graphs{}", won, instances, lost),
          .holds = won == instances};
}

report::Claim within_30_percent(const std::vector<Ratios>& graphs) {
  const auto worst = std::ranges::max_element(graphs, {}, [](const Ratios& ratios) { return ratios.of[0]; });
  return {.source = kTaskGraphs,
          .published = "HeteroPrio with min ranks is always within 30 % of the lower bound.",
          .criterion = "its largest makespan / bound is at most 1.3",
          .found = fmt::format("at most {:.3f} ({}, {} tiles)", worst->of[0], worst->at.application, worst->at.size),
          .holds = worst->of[0] <= 1.3};
}

report::Claim others_fail_somewhere(const std::vector<Ratios>& graphs) {
  std::vector<double> worst;
  for (std::size_t i = 0; i < kOnGraphs.size(); ++i) {
    worst.push_back(std::ranges::max(graphs, {}, [i](const Ratios& ratios) { return ratios.of[i]; }).of[i]);
  }
  const double best_other = *std::ranges::min_element(worst.begin() + 2, worst.end());
  return {.source = kTaskGraphs,
          .published = "Every other algorithm is significantly worse in at least one case.",
          .criterion =
              "the worst makespan / bound of each other algorithm is larger than HeteroPrio's with min ranks "
              "by 0.05 or more",
          .found = "worst cases: " + describe_ratios(kOnGraphs, worst),
          .holds = best_other >= worst[0] + 0.05};
}

/// A value of every contender on every graph; absent where it is not defined.
using Measurement = std::optional<double> (*)(const Results& results, const Cell& schedule);

std::optional<double> cpu_acceleration(const Results& results, const Cell& schedule) {
  const Values& values = results.of(schedule);
  const auto found = values.find("acceleration cpu");
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> gpu_acceleration(const Results& results, const Cell& schedule) {
  const Values& values = results.of(schedule);
  const auto found = values.find("acceleration gpu");
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> cpu_idle(const Results& results, const Cell& schedule) {
  return normalized_idle(results, schedule, "cpu");
}

std::optional<double> gpu_idle(const Results& results, const Cell& schedule) {
  return normalized_idle(results, schedule, "gpu");
}

Cell schedule_of(const GridPoint& point, const Contender& contender) {
  return schedule_cell(point.workload, point.platform, contender.policy);
}

/// The mean over the graphs of 10 to 40 tiles on which it is defined.
double middle_mean(Scale scale, const Results& results, const Contender& contender, Measurement measure) {
  std::vector<double> values;
  for (const GridPoint& point : grid(scale, false)) {
    if (point.size < 10 || point.size > 40) continue;
    if (const auto value = measure(results, schedule_of(point, contender))) values.push_back(*value);
  }
  return mean(values);
}

std::vector<double> middle_means(Scale scale, const Results& results, Measurement measure) {
  std::vector<double> means;
  for (const Contender& contender : kOnGraphs) means.push_back(middle_mean(scale, results, contender, measure));
  return means;
}

report::Claim suits_the_cpu(Scale scale, const Results& results) {
  const std::vector<double> means = middle_means(scale, results, cpu_acceleration);
  return {.source = kTaskGraphs,
          .published = "HeteroPrio gives CPUs tasks of low acceleration factor, HEFT of higher; DualHP is in between.",
          .criterion =
              "the equivalent acceleration factor of what CPUs executed, mean of 10 to 40 tiles with min "
              "ranks, is smallest for HeteroPrio and largest for HEFT",
          .found = describe_ratios(kOnGraphs, means),
          .holds = means[0] < means[2] && means[2] < means[5]};
}

report::Claim dual_hp_idles(Scale scale, const Results& results) {
  const std::vector<double> means = middle_means(scale, results, cpu_idle);
  return {.source = kTaskGraphs,
          .published = "HeteroPrio and HEFT keep idle times low; DualHP leaves the CPUs idle for very long.",
          .criterion =
              "DualHP's normalized idle time of CPUs, mean of 10 to 40 tiles with min ranks, is more than "
              "twice that of HeteroPrio and of HEFT",
          .found = describe_ratios(kOnGraphs, means),
          .holds = means[2] > 2 * means[0] && means[2] > 2 * means[5]};
}

report::Figure measured(Scale scale, const Results& results, const char* title, const char* y_label,
                        Measurement measure) {
  report::Figure figure{.title = title, .x_label = "tiles", .y_label = y_label};
  for (const Factorization& factorization : kFactorizations) {
    report::Panel panel{.title = factorization.title};
    for (const Contender& contender : kOnGraphs) panel.series.push_back({.name = contender.name});
    for (const GridPoint& point : grid(scale, false)) {
      if (point.application != factorization.title) continue;
      panel.x.push_back(static_cast<double>(point.size));
      for (std::size_t i = 0; i < kOnGraphs.size(); ++i) {
        panel.series[i].values.push_back(measure(results, schedule_of(point, kOnGraphs[i])));
      }
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

report::StudyReport make_report(Scale scale, const Results& results) {
  const auto tasks = comparison_ratios(grid(scale, true), kOnTasks, results);
  const auto graphs = comparison_ratios(grid(scale, false), kOnGraphs, results);
  report::StudyReport report;
  report.remark =
      "GETRF and the TRSMs of LU are not in the thesis's table of kernels; they take the rates of POTRF and TRSM.";
  report.claims = {close_to_optimal(tasks),       better_on_few_tasks(tasks),    heft_is_poor(tasks),
                   extremes_are_easy(graphs),     best_in_the_middle(graphs),    within_30_percent(graphs),
                   others_fail_somewhere(graphs), suits_the_cpu(scale, results), dual_hp_idles(scale, results)};
  report.tables = {ratio_table("Independent tasks: mean makespan / area bound", tasks, kOnTasks),
                   ratio_table("Graphs: mean makespan / lower bound", graphs, kOnGraphs)};
  report.figures = {
      ratio_figure("Independent tasks (figure 5.11)", tasks, kOnTasks, &GridPoint::size, "tiles"),
      ratio_figure("Task graphs (figure 5.12)", graphs, kOnGraphs, &GridPoint::size, "tiles"),
      measured(scale, results, "What the CPUs executed (figure 5.13)", "acceleration factor", cpu_acceleration),
      measured(scale, results, "What the GPUs executed (figure 5.13)", "acceleration factor", gpu_acceleration),
      measured(scale, results, "Idle time of CPUs (figure 5.14)", "idle / used by the bound", cpu_idle),
      measured(scale, results, "Idle time of GPUs (figure 5.14)", "idle / used by the bound", gpu_idle)};
  return report;
}

}  // namespace

Study study() {
  return {.name = "independent",
          .summary = "HeteroPrio, DualHP and HEFT on independent tasks and on graphs",
          .publication = "Kumar 2017, tel-01538516, section 5.6, figures 5.11 to 5.14",
          .full = "Cholesky, QR and LU of 4, 8, ..., 64 tiles on 20 CPUs and 4 GPUs",
          .quick = "4, 8, 12, 16, 24, 32 and 64 tiles",
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::independent
