#include "heddle/search/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/experiment/factorizations.hpp"
#include "heddle/experiment/measures.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/policy/search_starts.hpp"
#include "heddle/report/format.hpp"

/// What a search gains over policies in some seconds, and how much of what then remains is the bound's fault.
namespace heddle::experiment::search {
namespace {

constexpr const char* kSource = "Heddle, docs/search.md";

/// `heddle search` with `--time`, on all cores.
template <int Seconds>
Values measure_search(const Cell& cell) {
  const Instance instance = make_instance(cell);
  std::vector<Schedule> starts;
  for (const char* start : policy::kSearchStarts) {
    if (!policy::Spec(start).objection(instance).empty()) continue;
    Cell of_policy = cell;
    of_policy.policy = start;
    starts.push_back(run_policy(of_policy, instance));
  }
  const heddle::search::Result found = heddle::search::improve(instance, starts,
                                                               {.seconds = Seconds,
                                                                .enough = bounds::iterative_bound(instance).value,
                                                                .seed = cell.seed,
                                                                .threads = core_count()});
  const auto violations = validate(instance, found.schedule);
  if (!violations.empty()) throw InternalError(cell.key() + ": the schedule is not valid: " + violations.front());
  return {{"makespan", to_seconds(found.schedule.makespan())},
          {"start", to_seconds(std::ranges::min_element(starts, {}, &Schedule::makespan)->makespan())},
          {"moves", static_cast<double>(found.moves)}};
}

Values measure_window(const Cell& cell) {
  return {{"bound", to_seconds(bounds::window_bound(make_instance(cell)).value)}};
}

/// How long to search, and the mean makespan / lower bound that is to be reached over the full grid.
struct Budget {
  const char* name;
  Measure measure;
  std::optional<double> goal{};
};

/// The shortest first: the only one of the quick grid.
constexpr std::array kBudgets{Budget{"search 1 s", {"search-1s", measure_search<1>}},
                              Budget{"search 10 s", {"search-10s", measure_search<10>}, 1.10},
                              Budget{"search 60 s", {"search-60s", measure_search<60>}, 1.085}};

std::span<const Budget> budgets(Scale scale) {
  return std::span(kBudgets).first(scale == Scale::full ? kBudgets.size() : 1);
}

const std::vector<Contender> kPolicies{{"heteroprio-dep:order=best", "heteroprio-dep:order=best"}, {"auto", "auto"}};
constexpr std::size_t kAuto = 1;

/// Everything that is compared: the policies, then the searches.
std::vector<Contender> contenders(Scale scale) {
  std::vector<Contender> all = kPolicies;
  for (const Budget& budget : budgets(scale)) all.push_back({budget.name, ""});
  return all;
}

Cell search_cell(const GridPoint& point, const Budget& budget) {
  return {.measure = budget.measure, .workload = point.workload, .platform = point.platform};
}

Cell window_cell(const GridPoint& point) {
  return {.measure = {"window", measure_window}, .workload = point.workload, .platform = point.platform};
}

std::vector<GridPoint> grid(Scale scale) {
  const auto sizes = scale == Scale::full ? range(8, 24, 4) : range(8, 12, 4);
  std::vector<GridPoint> points;
  for (const Factorization& factorization : kFactorizations) {
    for (const auto& [cpus, gpus] : {std::pair<std::size_t, std::size_t>{9, 3}, {20, 4}}) {
      for (const std::size_t size : sizes) {
        points.push_back({fmt::format("{}, {} + {}", factorization.title, cpus, gpus), size, cpus,
                          factorize(factorization, size), kumar_machine(cpus, gpus)});
      }
    }
  }
  return points;
}

std::vector<Cell> cells(Scale scale) {
  std::vector<Cell> all = comparison_cells(grid(scale), kPolicies);
  for (const GridPoint& point : grid(scale)) {
    all.push_back(window_cell(point));
    for (const Budget& budget : budgets(scale)) all.push_back(search_cell(point, budget));
  }
  return all;
}

/// What was found on one instance.
struct Found {
  Ratios ratios;      ///< of the contenders, to the iterative bound
  double window = 1;  ///< the window bound over the iterative one

  [[nodiscard]] double gap_to_iterative() const { return ratios.of.back() - 1; }
  [[nodiscard]] double gap_to_window() const { return ratios.of.back() / window - 1; }
};

std::vector<Found> found_on(Scale scale, const Results& results) {
  std::vector<Found> all;
  for (Ratios& ratios : comparison_ratios(grid(scale), kPolicies, results)) {
    const GridPoint& at = ratios.at;
    for (const Budget& budget : budgets(scale)) ratios.of.push_back(ratio_to_bound(results, search_cell(at, budget)));
    const double window =
        results.value(window_cell(at), "bound") / results.value(bound_cell(at.workload, at.platform), "bound");
    all.push_back({std::move(ratios), window});
  }
  return all;
}

template <class Value>
double mean_of(const std::vector<Found>& all, Value&& value) {
  std::vector<double> values;
  for (const Found& each : all) values.push_back(std::invoke(value, each));
  return mean(values);
}

report::Claim never_longer_than_its_starts(Scale scale, const Results& results) {
  std::size_t longer = 0;
  std::size_t searches = 0;
  for (const GridPoint& point : grid(scale)) {
    for (const Budget& budget : budgets(scale)) {
      const Cell cell = search_cell(point, budget);
      if (results.value(cell, "makespan") > results.value(cell, "start")) ++longer;
      ++searches;
    }
  }
  return {.source = kSource,
          .published = "A search is never longer than the best schedule it starts from.",
          .criterion = "on no instance, with any time",
          .found = fmt::format("{} of {} searches are longer", longer, searches),
          .holds = longer == 0};
}

report::Claim beats_auto(Scale scale, const std::vector<double>& means) {
  const std::size_t shortest = kPolicies.size();
  return {.source = kSource,
          .published = "A second of search gives better schedules than auto.",
          .criterion = "its mean makespan / lower bound is smaller",
          .found = describe_ratios(contenders(scale), means),
          .holds = means[shortest] < means[kAuto]};
}

report::Claim reaches(const Budget& budget, double ratio) {
  return {.source = kSource,
          .published = fmt::format("{}: on average at most {} times the lower bound.", budget.name, *budget.goal),
          .criterion = "the mean over all instances is at most that",
          .found = report::format_ratio(ratio),
          .holds = ratio <= *budget.goal};
}

report::Claim window_halves_the_gap(const std::vector<Found>& all) {
  const double before = mean_of(all, &Found::gap_to_iterative);
  const double after = mean_of(all, &Found::gap_to_window);
  return {.source = kSource,
          .published = "The window bound halves what remains between the longest search and the lower bound.",
          .criterion = "the mean gap to the window bound is at most half of that to the iterative bound",
          .found = fmt::format("{} above the window bound, {} above the iterative one", report::format_percent(after),
                               report::format_percent(before)),
          .holds = after <= before / 2};
}

report::StudyTable table(Scale scale, const std::vector<Found>& all, const std::vector<double>& means) {
  report::StudyTable table{.title = "Makespan / iterative bound", .columns = {{"instance"}}, .rows = {}};
  for (const Contender& contender : contenders(scale)) table.columns.push_back({contender.name, report::Align::right});
  table.columns.push_back({"window bound", report::Align::right});
  table.columns.push_back({"last search above it", report::Align::right});
  const auto add = [&](std::string name, const std::vector<double>& ratios, double window, double gap) {
    std::vector<std::string> row{std::move(name)};
    for (const double ratio : ratios) row.push_back(report::format_ratio(ratio));
    row.push_back(report::format_ratio(window));
    row.push_back(report::format_percent(gap));
    table.rows.push_back(std::move(row));
  };
  for (const Found& each : all) {
    const GridPoint& at = each.ratios.at;
    add(fmt::format("{}, {} tiles", at.application, at.size), each.ratios.of, each.window, each.gap_to_window());
  }
  add("mean", means, mean_of(all, &Found::window), mean_of(all, &Found::gap_to_window));
  return table;
}

report::StudyReport make_report(Scale scale, const Results& results) {
  const std::vector<Found> all = found_on(scale, results);
  std::vector<Ratios> ratios;
  for (const Found& each : all) ratios.push_back(each.ratios);
  const std::vector<double> means = mean_ratios(ratios);
  report::StudyReport report;
  report.remark = "A search uses all cores, and what it finds in a given time depends on the machine.";
  report.claims = {never_longer_than_its_starts(scale, results), beats_auto(scale, means)};
  for (std::size_t i = 0; i < budgets(scale).size(); ++i) {
    if (kBudgets[i].goal) report.claims.push_back(reaches(kBudgets[i], means[kPolicies.size() + i]));
  }
  report.claims.push_back(window_halves_the_gap(all));
  report.tables = {table(scale, all, means)};
  report.figures = {
      ratio_figure("By size, to the iterative bound", ratios, contenders(scale), &GridPoint::size, "tiles")};
  return report;
}

}  // namespace

Study study() {
  return {.name = "search",
          .summary = "What heddle search finds in 1, 10 and 60 seconds, and how far that is from the bounds",
          .publication = "Heddle, docs/search.md and docs/bounds.md",
          .full = "Cholesky, QR and LU of 8, 12, ..., 24 tiles on 9 CPUs and 3 GPUs and on 20 and 4, by 1, 10 and 60 s",
          .quick = "8 and 12 tiles, 1 s",
          .timed = true,
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::search
