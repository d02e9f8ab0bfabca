#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

#include "heddle/experiment/heteroprio_dep_grid.hpp"
#include "heddle/experiment/measures.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"

/// Every offline policy, and what else `auto` tries, on the grid on which HeteroPrioDep was published.
namespace heddle::experiment::offline_grid {
namespace {

constexpr const char* kSource = "Heddle, policy auto";

constexpr std::array kPolicies{"auto",
                               "heteroprio-dep:order=best",
                               "heft",
                               "heft:rank=avg",
                               "peft",
                               "hlp",
                               "qhlp",
                               "cpop",
                               "static:plan=heft,correction=gs",
                               "dmdas",
                               "dual-hp",
                               "dual-hp:rank=avg",
                               "heteroprio",
                               "heteroprio:correction=sp",
                               "heteroprio:correction=pcept",
                               "heteroprio-indep",
                               "heteroprio-multi",
                               "heteroprio-multi:score=area",
                               "la-heteroprio",
                               "auto-heteroprio",
                               "heteroprio-starpu"};
/// In kPolicies: `auto`, and up to here those whose runs it always simulates to the end.
constexpr std::size_t kAuto = 0;
constexpr std::size_t kAlwaysEnd = 5;
/// So many are drawn.
constexpr std::size_t kDrawn = 6;

/// They simulate something for each task, which large graphs cannot wait for.
constexpr std::array kLookAhead{"heftp:correction=let", "heftp:correction=gb", "heftp:correction=mms"};

/// Policies by the names that the command gives them.
std::vector<Contender> contenders(std::span<const char* const> policies) {
  std::vector<Contender> all;
  for (const char* policy : policies) all.push_back({policy, policy});
  return all;
}

/// At most 1,496 tasks.
std::vector<GridPoint> small_grid(Scale scale) {
  constexpr std::size_t kMostTiles = 16;
  std::vector<GridPoint> grid = heteroprio_dep_grid(scale);
  std::erase_if(grid, [](const GridPoint& point) { return !is_factorization(point) || point.size > kMostTiles; });
  return grid;
}

report::Claim never_longer_than_its_candidates(const std::vector<Ratios>& all) {
  const auto longer = std::ranges::count_if(all, [](const Ratios& ratios) {
    return *std::min_element(ratios.of.begin() + kAuto + 1, ratios.of.begin() + kAlwaysEnd) < ratios.of[kAuto];
  });
  return {.source = kSource,
          .published = "auto is never longer than heteroprio-dep:order=best, heft with either rank, or peft.",
          .criterion = "on no instance is one of these four shorter",
          .found = fmt::format("one is shorter on {} of {} instances", longer, all.size()),
          .holds = longer == 0};
}

report::Claim seldom_beaten(const std::vector<Ratios>& all) {
  const auto loss = [](const Ratios& ratios) { return ratios.of[kAuto] / smallest(ratios.of) - 1; };
  const auto worst = std::ranges::max_element(all, {}, loss);
  std::string found = fmt::format("{:.1f} %", 100 * share_of_best(all, kAuto));
  if (loss(*worst) > 0) {
    found += fmt::format("; {} is {:.1f} % shorter on {}, {}, {} CPUs", kPolicies[place_of_smallest(worst->of)],
                         100 * (1 - 1 / (1 + loss(*worst))), worst->at.application, worst->at.size, worst->at.cpus);
  }
  return {.source = kSource,
          .published = "Whatever the instance, hardly any policy is better than auto.",
          .criterion = "on at least 95 % of the instances none of the others is shorter",
          .found = std::move(found),
          .holds = share_of_best(all, kAuto) >= 0.95};
}

report::Claim best_on_each_application(const std::vector<Ratios>& all) {
  std::string found;
  bool holds = true;
  for (const std::string& name : applications(all)) {
    const auto own = select(all, [&](const GridPoint& point) { return point.application == name; });
    std::vector<double> means = mean_ratios(own);
    const double ours = means[kAuto];
    means.erase(means.begin() + kAuto);
    const std::size_t next = place_of_smallest(means);
    holds = holds && ours < means[next];
    found +=
        fmt::format("{}{} {:.3f}, {} {:.3f}", found.empty() ? "" : "; ", name, ours, kPolicies[next + 1], means[next]);
  }
  return {.source = kSource,
          .published = "No fixed policy is as good as choosing one.",
          .criterion = "for every application its mean makespan / lower bound is the smallest",
          .found = std::move(found),
          .holds = holds};
}

std::vector<Cell> cells(Scale scale) {
  std::vector<Cell> all = comparison_cells(heteroprio_dep_grid(scale), contenders(kPolicies));
  for (const GridPoint& point : small_grid(scale)) {
    for (const char* policy : kLookAhead) all.push_back(schedule_cell(point.workload, point.platform, policy));
  }
  return all;
}

report::StudyReport make_report(Scale scale, const Results& results) {
  const std::vector<Contender> quick = contenders(kPolicies);
  std::vector<Contender> every = quick;
  std::ranges::move(contenders(kLookAhead), std::back_inserter(every));
  const auto all = comparison_ratios(heteroprio_dep_grid(scale), quick, results);
  const auto small = comparison_ratios(small_grid(scale), every, results);
  report::StudyReport report;
  report.remark =
      "The grid is the publication's, the policies are Heddle's. The bound is the iterative one. Policies that "
      "simulate "
      "something for each task are compared up to 16 tiles.";
  report.claims = {never_longer_than_its_candidates(all), seldom_beaten(all), best_on_each_application(all)};
  constexpr const char* kColumns = "makespan / lower bound: mean / largest / share of the instances where it is best";
  report.tables = {contender_table(fmt::format("All sizes, {}", kColumns), all, quick),
                   contender_table(fmt::format("Up to 16 tiles, {}", kColumns), small, every)};
  const auto drawn = contenders(std::span(kPolicies).first<kDrawn>());
  report.figures = {
      ratio_figure("By number of CPUs, mean over the sizes", all, drawn, &GridPoint::cpus, "CPUs (beside 4 GPUs)"),
      ratio_figure("By size, mean over the numbers of CPUs", all, drawn, &GridPoint::size, "tiles, or tasks a phase")};
  return report;
}

}  // namespace

Study study() {
  return {.name = "offline-grid",
          .summary = "Every offline policy, and whether auto is ever worse than another",
          .publication = "the grid of Eyraud-Dubois and Kumar 2020, hal-02431810, section VI.A",
          .full = kHeteroprioDepFull,
          .quick = kHeteroprioDepQuick,
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::offline_grid
