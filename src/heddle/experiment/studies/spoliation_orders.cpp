#include <fmt/format.h>

#include <algorithm>

#include "heddle/experiment/heteroprio_dep_grid.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"

/// HeteroPrioDep's guarantee holds whatever running task is spoliated first. Section VI.B of the paper asks which of
/// three orders is the best in practice.
namespace heddle::experiment::spoliation_orders {
namespace {

const std::vector<Contender> kOrders{{"acceleration", "heteroprio-dep:order=acceleration"},
                                     {"latest", "heteroprio-dep:order=latest"},
                                     {"priority", "heteroprio-dep:order=priority"}};
constexpr std::size_t kLatest = 1;
constexpr std::size_t kPriority = 2;
constexpr const char* kSource = "Eyraud-Dubois & Kumar 2020, section VI.B";

/// How much worse than the best order the worst one is, on average.
double mean_gap(const std::vector<Ratios>& selection) {
  std::vector<double> gaps;
  for (const Ratios& ratios : selection) gaps.push_back(largest(ratios.of) / smallest(ratios.of) - 1);
  return mean(gaps);
}

/// The mean ratio when the best of the three schedules is kept.
double mean_best(const std::vector<Ratios>& selection) {
  std::vector<double> best;
  for (const Ratios& ratios : selection) best.push_back(smallest(ratios.of));
  return mean(best);
}

struct Extremes {
  std::size_t few;
  std::size_t many;
};

Extremes extremes(const std::vector<Ratios>& all) {
  const auto [few, many] = std::ranges::minmax(all, {}, [](const Ratios& ratios) { return ratios.at.cpus; });
  return {few.at.cpus, many.at.cpus};
}

std::vector<Ratios> on_cpus(const std::vector<Ratios>& all, std::size_t cpus) {
  return select(all, [&](const GridPoint& point) { return point.cpus == cpus; });
}

report::Claim alike_on_few_cpus(const std::vector<Ratios>& all) {
  const auto [few, many] = extremes(all);
  const double gap_few = mean_gap(on_cpus(all, few));
  const double gap_many = mean_gap(on_cpus(all, many));
  return {
      .source = kSource,
      .published = "With few CPUs the three orders perform alike, for there is little to spoliate.",
      .criterion =
          "the worst order is on average at most 2 % worse than the best with the fewest CPUs, and "
          "further from it with the most",
      .found = fmt::format("{:.1f} % worse with {} CPUs, {:.1f} % with {}", 100 * gap_few, few, 100 * gap_many, many),
      .holds = gap_few <= 0.02 && gap_few < gap_many};
}

report::Claim best_order(const std::vector<Ratios>& all, bool factorizations, std::size_t order,
                         const char* published) {
  const auto [few, many] = extremes(all);
  const auto selection = select(all, [&, many = many](const GridPoint& point) {
    return 2 * point.cpus > many && is_factorization(point) == factorizations;
  });
  const std::vector<double> ratios = mean_ratios(selection);
  return {.source = kSource,
          .published = published,
          .criterion = fmt::format("'{}' has the smallest mean makespan / bound of the three on more than {} CPUs",
                                   kOrders[order].name, many / 2),
          .found = describe_ratios(kOrders, ratios),
          .holds = place_of_smallest(ratios) == order};
}

report::Claim does_not_grow(const std::vector<Ratios>& all) {
  const auto [few, many] = extremes(all);
  std::string found;
  bool holds = true;
  for (const std::string& name : applications(all)) {
    const auto own = select(all, [&](const GridPoint& point) { return point.application == name; });
    const double with_few = mean_best(on_cpus(own, few));
    const double with_many = mean_best(on_cpus(own, many));
    holds = holds && with_many <= with_few;
    found += fmt::format("{}{} {:.3f} with {} CPUs, {:.3f} with {}", found.empty() ? "" : "; ", name, with_few, few,
                         with_many, many);
  }
  return {.source = kSource,
          .published = "Unlike the worst case, makespan / bound does not increase with the number of CPUs.",
          .criterion =
              "for every application the best of the three orders is on average no further from the bound "
              "with the most CPUs than with the fewest",
          .found = found,
          .holds = holds};
}

std::vector<Cell> cells(Scale scale) {
  return comparison_cells(heteroprio_dep_grid(scale), kOrders);
}

report::StudyReport make_report(Scale scale, const Results& results) {
  const auto all = comparison_ratios(heteroprio_dep_grid(scale), kOrders, results);
  report::StudyReport report;
  report.claims = {alike_on_few_cpus(all),
                   best_order(all, true, kPriority, "With many CPUs 'priority' is the best order for factorizations."),
                   best_order(all, false, kLatest, "With many CPUs 'latest' is the best order for fork-join graphs."),
                   does_not_grow(all)};
  report.tables = {ratio_table("Mean makespan / lower bound", all, kOrders)};
  report.figures = {
      ratio_figure("By number of CPUs, mean over the sizes", all, kOrders, &GridPoint::cpus, "CPUs (beside 4 GPUs)"),
      ratio_figure("By size, mean over the numbers of CPUs", all, kOrders, &GridPoint::size,
                   "tiles, or tasks a phase")};
  return report;
}

}  // namespace

Study study() {
  return {.name = "spoliation-orders",
          .summary = "Which running task HeteroPrioDep should spoliate first",
          .publication = "Eyraud-Dubois and Kumar 2020, hal-02431810, section VI.B, figure 7",
          .full = kHeteroprioDepFull,
          .quick = kHeteroprioDepQuick,
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::spoliation_orders
