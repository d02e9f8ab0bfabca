#include <fmt/format.h>

#include <algorithm>

#include "heddle/experiment/factorizations.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"

/// HeteroPrio for Cholesky and the corrections that give progress its due, each on top of those before it.
namespace heddle::experiment::heteroprio_corrections {
namespace {

enum Place : std::size_t { kBase, kSp, kCgv, kPp, kPc, kPcep, kPcept };

const std::vector<Contender> kVariants{
    {"HP", "heteroprio:correction=none"},       {"HP+Sp", "heteroprio:correction=sp"},
    {"HP+CGV", "heteroprio:correction=cgv"},    {"HP+PP", "heteroprio:correction=pp"},
    {"HP+PC", "heteroprio:correction=pc"},      {"HP+PCEP", "heteroprio:correction=pcep"},
    {"HP+PCEPT", "heteroprio:correction=pcept"}};

constexpr const char* kSource = "Kumar 2017, section 3.7.3";

std::vector<std::size_t> sizes(Scale scale) {
  if (scale == Scale::full) return range(2, 48, 2);
  return {4, 8, 12, 16, 20, 24, 32};
}

std::vector<GridPoint> grid(Scale scale) {
  std::vector<GridPoint> points;
  for (const std::size_t size : sizes(scale)) {
    points.push_back({"Cholesky", size, 9, factorize(kFactorizations[0], size), "mirage-relative"});
  }
  return points;
}

std::vector<Ratios> of_size(const std::vector<Ratios>& all, std::size_t from, std::size_t to) {
  return select(all, [=](const GridPoint& point) { return from <= point.size && point.size <= to; });
}

report::Claim base_improves(const std::vector<Ratios>& all) {
  const double small = mean_ratio(of_size(all, 8, 16), kBase);
  const double large = mean_ratio(of_size(all, 24, 48), kBase);
  return {.source = kSource,
          .published = "The baseline gets better as the matrix grows and holds more independent tasks.",
          .criterion = "its mean makespan / bound from 24 tiles on is smaller than from 8 to 16 tiles",
          .found = fmt::format("8 to 16 tiles {:.3f}, from 24 tiles on {:.3f}", small, large),
          .holds = large < small};
}

report::Claim spoliation_helps(const std::vector<Ratios>& all) {
  const auto small = mean_ratios(of_size(all, 4, 16));
  return {.source = kSource,
          .published = "Spoliation is very useful where independent tasks are few.",
          .criterion = "on 4 to 16 tiles HP+Sp's mean makespan / bound is at least 5 % smaller than the baseline's",
          .found = fmt::format("HP {:.3f}, HP+Sp {:.3f}", small[kBase], small[kSp]),
          .holds = small[kSp] <= 0.95 * small[kBase]};
}

report::Claim pcept_is_best_at_12(const std::vector<Ratios>& all) {
  const auto ratios = mean_ratios(of_size(all, 12, 12));
  return {.source = "Kumar 2017, section 3.7.2, figure 3.9",
          .published = "On 12 tiles HP+PCEPT is the best of all variants.",
          .criterion = "none of the other variants has a smaller makespan",
          .found = describe_ratios(kVariants, ratios),
          .holds = ratios[kPcept] <= smallest(ratios)};
}

report::Claim pcept_helps_in_the_middle(const std::vector<Ratios>& all) {
  const auto ratios = mean_ratios(of_size(all, 10, 20));
  return {.source = kSource,
          .published = "Priority constraints with their two relaxations (HP+PCEPT) improve intermediate matrices.",
          .criterion = "on 10 to 20 tiles HP+PCEPT's mean makespan / bound is smaller than HP+PP's, which lacks them",
          .found = describe_ratios(kVariants, ratios),
          .holds = ratios[kPcept] < ratios[kPp]};
}

report::Claim pcept_reaches_the_bound(const std::vector<Ratios>& all) {
  const double large = mean_ratio(of_size(all, 24, 48), kPcept);
  return {.source = kSource,
          .published = "HP+PCEPT is very close to the iterative bound on large matrices.",
          .criterion = "its mean makespan / bound from 24 tiles on is at most 1.05",
          .found = fmt::format("{:.3f}", large),
          .holds = large <= 1.05};
}

report::Claim pc_is_too_strict(const std::vector<Ratios>& all) {
  const auto ratios = mean_ratios(of_size(all, 8, 48));
  const bool worst = ratios[kPc] >= *std::ranges::max_element(ratios.begin() + kSp, ratios.end());
  return {.source = "Kumar 2017, section 3.8.2",
          .published = "HP+PC, which lets few tasks run on CPUs, is poor beside the other variants with spoliation.",
          .criterion = "from 8 tiles on its mean makespan / bound is the largest of those from HP+Sp on",
          .found = describe_ratios(kVariants, ratios),
          .holds = worst};
}

/// The baseline is so far above the others on small matrices that they cannot be told apart beside it.
report::Figure without_baseline(report::Figure figure) {
  figure.title = "The same without the baseline";
  for (report::Panel& panel : figure.panels) panel.series.erase(panel.series.begin());
  return figure;
}

std::vector<Cell> cells(Scale scale) {
  return comparison_cells(grid(scale), kVariants);
}

report::StudyTable table(const std::vector<Ratios>& all) {
  report::StudyTable table{.title = "Makespan / iterative bound", .columns = {{"tiles", report::Align::right}}};
  for (const Contender& variant : kVariants) table.columns.push_back({variant.name, report::Align::right});
  for (const Ratios& ratios : all) {
    std::vector<std::string> row{std::to_string(ratios.at.size)};
    for (const double ratio : ratios.of) row.push_back(fmt::format("{:.3f}", ratio));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::StudyReport make_report(Scale scale, const Results& results) {
  const auto all = comparison_ratios(grid(scale), kVariants, results);
  report::StudyReport report;
  report.remark =
      "Every kernel runs at the same rate on CPUs; GPU times follow from the acceleration factors of table 3.1 (the "
      "built-in "
      "platform mirage-relative).";
  report.claims = {base_improves(all),           spoliation_helps(all),
                   pcept_is_best_at_12(all),     pcept_helps_in_the_middle(all),
                   pcept_reaches_the_bound(all), pc_is_too_strict(all)};
  report.tables = {table(all)};
  const report::Figure figure =
      ratio_figure("HeteroPrio variants by matrix size (figure 3.10)", all, kVariants, &GridPoint::size, "tiles");
  report.figures = {figure, without_baseline(figure)};
  return report;
}

}  // namespace

Study study() {
  return {.name = "heteroprio-corrections",
          .summary = "HeteroPrio for Cholesky and its six corrections, by matrix size",
          .publication = "Kumar 2017, tel-01538516, section 3.7, figure 3.10",
          .full = "Cholesky of 2, 4, ..., 48 tiles on 9 CPUs and 3 GPUs (mirage-relative)",
          .quick = "4, 8, 12, 16, 20, 24 and 32 tiles",
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::heteroprio_corrections
