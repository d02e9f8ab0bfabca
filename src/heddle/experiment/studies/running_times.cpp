#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "heddle/experiment/factorizations.hpp"
#include "heddle/experiment/measures.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/report/format.hpp"
#include "heddle/sim/simulation.hpp"

/// How long the algorithms themselves take: the one study whose numbers depend on the machine it runs on.
namespace heddle::experiment::running_times {
namespace {

constexpr const char* kSource = "Eyraud-Dubois & Kumar 2020, section VI.D";
constexpr std::size_t kRepetitions = 3;

enum Place : std::size_t { kHeteroPrioDep, kHlp };

const std::vector<Contender> kContenders{{"HeteroPrioDep", "heteroprio-dep:order=best"},
                                         {"HLP", "hlp"},
                                         {"ER-LS", "er-ls"},
                                         {"QA", "qa"},
                                         {"HEFT", "heft"},
                                         {"ECT", "ect"}};

/// From the first fact told to the policy to its last decision, engine included.
double seconds_of_run(const Cell& cell, const Instance& instance) {
  sim::Config config;
  config.seed = cell.seed;
  sim::Simulation simulation(instance, policy::Spec(cell.policy).make(cell.seed), config);
  const auto start = std::chrono::steady_clock::now();
  while (!simulation.finished()) simulation.step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The shortest of a few runs: what disturbs a run only ever makes it longer.
Values measure_time(const Cell& cell) {
  const Instance instance = make_instance(cell);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < kRepetitions; ++i) seconds.push_back(seconds_of_run(cell, instance));
  return {{"seconds", smallest(seconds)}, {"tasks", static_cast<double>(instance.graph.task_count())}};
}

Cell time_cell(const GridPoint& point, const Contender& contender) {
  return {.measure = {"time", measure_time},
          .workload = point.workload,
          .platform = point.platform,
          .policy = contender.policy};
}

std::vector<GridPoint> grid(Scale scale) {
  const bool full = scale == Scale::full;
  const auto sizes = full ? range(4, 64, 4) : std::vector<std::size_t>{4, 16, 32, 64};
  const auto counts = full ? std::vector<std::size_t>{4, 20, 40, 60} : std::vector<std::size_t>{20};
  std::vector<GridPoint> points;
  for (const Factorization& factorization : kFactorizations) {
    for (const std::size_t size : sizes) {
      for (const std::size_t cpus : counts) {
        points.push_back({factorization.title, size, cpus, factorize(factorization, size), kumar_machine(cpus)});
      }
    }
  }
  return points;
}

std::vector<Cell> cells(Scale scale) {
  std::vector<Cell> all;
  for (const GridPoint& point : grid(scale)) {
    for (const Contender& contender : kContenders) all.push_back(time_cell(point, contender));
  }
  return all;
}

/// Seconds of every contender on every instance: the shape of a comparison, with times in place of ratios.
std::vector<Ratios> times(Scale scale, const Results& results) {
  std::vector<Ratios> all;
  for (const GridPoint& point : grid(scale)) {
    Ratios seconds{point, {}};
    for (const Contender& contender : kContenders) {
      seconds.of.push_back(results.value(time_cell(point, contender), "seconds"));
    }
    all.push_back(std::move(seconds));
  }
  return all;
}

std::string describe(double seconds) {
  return report::format_time(static_cast<Time>(seconds * static_cast<double>(kSecond)));
}

report::Claim heteroprio_dep_is_quick(const std::vector<Ratios>& all) {
  const auto worst = std::ranges::max_element(all, {}, [](const Ratios& each) { return each.of[kHeteroPrioDep]; });
  return {.source = kSource,
          .published = "HeteroPrioDep, all three orders together, takes at most 200 ms.",
          .criterion = "its longest running time here is at most 200 ms",
          .found = fmt::format("at most {} ({}, {} tiles, {} CPUs)", describe(worst->of[kHeteroPrioDep]),
                               worst->at.application, worst->at.size, worst->at.cpus),
          .holds = worst->of[kHeteroPrioDep] <= 0.2};
}

report::Claim hlp_is_slow(const std::vector<Ratios>& all) {
  const auto factor = [](const Ratios& each) {
    std::vector<double> others = each.of;
    others.erase(others.begin() + kHlp);
    return each.of[kHlp] / largest(others);
  };
  std::vector<double> factors;
  for (const Ratios& each : all) factors.push_back(factor(each));
  const auto longest = std::ranges::max_element(all, {}, [](const Ratios& each) { return each.of[kHlp]; });
  return {.source = kSource,
          .published = "HLP, which solves a linear program, takes far longer than the others: up to 200 s at 64 tiles.",
          .criterion = "on the median instance HLP takes more than ten times as long as the slowest other algorithm",
          .found = fmt::format("{:.1f} times as long on the median instance; at most {} ({}, {} tiles, {} CPUs)",
                               quantile(factors, 0.5), describe(longest->of[kHlp]), longest->at.application,
                               longest->at.size, longest->at.cpus),
          .holds = quantile(factors, 0.5) > 10};
}

report::StudyTable table(const std::vector<Ratios>& all) {
  report::StudyTable table{.title = "Running time, mean over factorizations and numbers of CPUs",
                           .columns = {{"tiles", report::Align::right}}};
  for (const Contender& contender : kContenders) table.columns.push_back({contender.name, report::Align::right});
  const report::Panel panel = ratio_panel("", all, kContenders, &GridPoint::size);
  for (std::size_t i = 0; i < panel.x.size(); ++i) {
    std::vector<std::string> row{fmt::format("{}", panel.x[i])};
    for (const report::Series& series : panel.series) row.push_back(describe(*series.values[i]));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::StudyReport make_report(Scale scale, const Results& results) {
  const auto all = times(scale, results);
  report::StudyReport report;
  report.remark =
      "Times depend on the machine. Cells are computed one after the other; each is the shortest of three "
      "runs and includes the simulated engine.";
  report.claims = {heteroprio_dep_is_quick(all), hlp_is_slow(all)};
  report.tables = {table(all)};
  report::Figure figure = ratio_figure("Running time, mean over the numbers of CPUs (figure 10)", all, kContenders,
                                       &GridPoint::size, "tiles");
  figure.y_label = "seconds";
  figure.logarithmic = true;
  figure.level.reset();
  report.figures = {std::move(figure)};
  return report;
}

}  // namespace

Study study() {
  return {.name = "running-times",
          .summary = "How long HeteroPrioDep, HLP, ER-LS, QA, HEFT and ECT take to decide",
          .publication = "Eyraud-Dubois and Kumar 2020, hal-02431810, section VI.D, figure 10",
          .full = "Cholesky, QR and LU of 4, 8, ..., 64 tiles on 4, 20, 40 and 60 CPUs and 4 GPUs",
          .quick = "4, 16, 32 and 64 tiles on 20 CPUs and 4 GPUs",
          .timed = true,
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::running_times
