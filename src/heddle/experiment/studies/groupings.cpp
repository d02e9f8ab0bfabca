#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>

#include "heddle/bounds/bounds.hpp"
#include "heddle/experiment/factorizations.hpp"
#include "heddle/experiment/measures.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/model/error.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/workload/workload.hpp"

/// All ways to share 20 cores out into groups that run one task together, beside 4 GPUs: many classes of workers, from
/// two groups of ten to twenty single cores. The thesis's table 4.1 has times for groups of 1, 2, 5 and 10 cores; those
/// of the other sizes are interpolated.
namespace heddle::experiment::groupings {
namespace {

constexpr std::size_t kCores = 20;
constexpr std::size_t kLargestGroup = 10;
constexpr std::size_t kTile = 960;
constexpr const char* kSource = "Kumar 2017, section 4.4.3";
constexpr std::array<std::size_t, 4> kMeasured{1, 2, 5, 10};
constexpr std::array kApplications{kFactorizations[0], kFactorizations[1]};

enum Place : std::size_t { kHeft, kArea, kHetIndex };

/// The thesis's HEFT is a greedy one (section 4.1): the most urgent ready task goes where it is expected to end first.
/// Topcuoglu's, which plans offline and inserts into gaps, is shown beside it.

const std::vector<Contender> kContenders{{"HEFT", "dmdas"},
                                         {"Area", "heteroprio-multi:score=area"},
                                         {"Het.Index", "heteroprio-multi:score=het-index"},
                                         {"HEFT offline", "heft"}};

/// How many groups of 1, 2, ..., 10 cores there are.
using Grouping = std::array<std::size_t, kLargestGroup + 1>;

std::string class_of(std::size_t cores) {
  return cores == 1 ? "cpu" : "cpu" + std::to_string(cores);
}

/// Adds every way to make groups of at most `largest` out of the cores that are left.
void add_groupings(std::size_t left, std::size_t largest, Grouping& grouping, std::vector<Grouping>& all) {
  if (left == 0) {
    all.push_back(grouping);
    return;
  }
  for (std::size_t size = std::min(left, largest); size > 0; --size) {
    ++grouping[size];
    add_groupings(left - size, size, grouping, all);
    --grouping[size];
  }
}

bool is_measured(const Grouping& grouping) {
  for (std::size_t size = 1; size <= kLargestGroup; ++size) {
    if (grouping[size] > 0 && std::ranges::find(kMeasured, size) == kMeasured.end()) return false;
  }
  return true;
}

std::vector<Grouping> groupings(Scale scale) {
  std::vector<Grouping> all;
  Grouping grouping{};
  add_groupings(kCores, kLargestGroup, grouping, all);
  if (scale == Scale::quick) std::erase_if(all, [](const Grouping& each) { return !is_measured(each); });
  return all;
}

std::size_t group_count(const Grouping& grouping) {
  return std::accumulate(grouping.begin(), grouping.end(), std::size_t{0});
}

std::string platform_of(const Grouping& grouping) {
  std::string text = "kumar-2017:gpu=4";
  for (std::size_t size = 1; size <= kLargestGroup; ++size) {
    if (size == 1 || grouping[size] > 0) text += fmt::format(",{}={}", class_of(size), grouping[size]);
  }
  return text;
}

/// Seconds of a kernel on a group of `cores`, between the two measured sizes around it: the speed over one core is
/// interpolated linearly.
Time interpolated(const KernelTiming& timing, std::size_t cores) {
  const auto time_of = [&](std::size_t size) {
    return to_seconds(std::ranges::find(timing.seconds, class_of(size), &ClassTime::class_name)->duration);
  };
  const auto above = std::ranges::upper_bound(kMeasured, cores);
  const std::size_t high = *above;
  const std::size_t low = *(above - 1);
  const double share = static_cast<double>(cores - low) / static_cast<double>(high - low);
  const double rate = (1 - share) / time_of(low) + share / time_of(high);
  return static_cast<Time>(static_cast<double>(kSecond) / rate);
}

/// kumar-2017 with groups of every size up to ten.
Machine machine_with_all_groups() {
  Machine machine = platforms::builtin("kumar-2017");
  for (std::size_t size = 1; size <= kLargestGroup; ++size) {
    if (std::ranges::find(kMeasured, size) != kMeasured.end()) continue;
    for (KernelTiming& timing : machine.kernels) timing.seconds.push_back({class_of(size), interpolated(timing, size)});
    machine.classes.push_back({.name = class_of(size), .workers = 0, .memory = "ram"});
  }
  // Slow classes first, the GPUs last: single cores, then groups by size.
  std::ranges::sort(machine.classes, {}, [](const ResourceClass& each) {
    const std::string digits = each.name.substr(std::min<std::size_t>(3, each.name.size()));
    if (each.name == "gpu") return kLargestGroup + 1;
    return digits.empty() ? std::size_t{1} : static_cast<std::size_t>(std::stoul(digits));
  });
  return machine;
}

Instance make_grouped(const Cell& cell) {
  static const Machine machine = machine_with_all_groups();
  const std::string settings = cell.platform.substr(cell.platform.find(':') + 1);
  return workload::generate(
      cell.workload, platforms::without_idle_classes(platforms::configure(machine, settings, platforms::Links::off)));
}

Values measure_schedule(const Cell& cell) {
  const Instance instance = make_grouped(cell);
  return {{"makespan", to_seconds(run_policy(cell, instance).makespan())}};
}

Values measure_bound(const Cell& cell) {
  constexpr std::array kKinds{bounds::Kind::iterative};
  return {{"bound", to_seconds(bounds::compute(make_grouped(cell), kKinds).best())}};
}

Cell grouped_cell(const std::string& workload, const Grouping& grouping, const std::string& policy) {
  return {.measure = {"grouped-schedule", measure_schedule},
          .workload = workload,
          .platform = platform_of(grouping),
          .policy = policy};
}

Cell grouped_bound(const std::string& workload, const Grouping& grouping) {
  return {.measure = {"grouped-bound", measure_bound}, .workload = workload, .platform = platform_of(grouping)};
}

std::vector<std::size_t> sizes(Scale scale) {
  if (scale == Scale::full) return range(4, 32, 4);
  return {8, 16, 32};
}

std::vector<Cell> cells(Scale scale) {
  std::vector<Cell> all;
  for (const Factorization& application : kApplications) {
    for (const std::size_t size : sizes(scale)) {
      const std::string workload = factorize(application, size);
      for (const Grouping& grouping : groupings(scale)) {
        all.push_back(grouped_bound(workload, grouping));
        for (const Contender& contender : kContenders) {
          all.push_back(grouped_cell(workload, grouping, contender.policy));
        }
      }
    }
  }
  return all;
}

/// Operations of the factorization of an n x n matrix: n^3/3 (Cholesky) and 4n^3/3 (QR).
double flops(const Factorization& application, std::size_t tiles) {
  const auto order = static_cast<double>(tiles * kTile);
  const double cube = order * order * order;
  return std::string_view(application.workload) == "cholesky" ? cube / 3 : 4 * cube / 3;
}

/// Performance in GFlop/s of every contender, and the bound's, under one grouping.
struct Performance {
  std::size_t groups = 0;
  std::vector<double> of;
  double bound = 0;
};

/// One application at one size under all groupings, by number of groups.
struct Row {
  const Factorization* application;
  std::size_t tiles;
  std::vector<Performance> performances;
};

Row row_of(Scale scale, const Results& results, const Factorization& application, std::size_t tiles) {
  Row row{&application, tiles, {}};
  const std::string workload = factorize(application, tiles);
  const double giga = flops(application, tiles) / 1e9;
  for (const Grouping& grouping : groupings(scale)) {
    Performance performance{
        group_count(grouping), {}, giga / results.value(grouped_bound(workload, grouping), "bound")};
    for (const Contender& contender : kContenders) {
      performance.of.push_back(giga / results.value(grouped_cell(workload, grouping, contender.policy), "makespan"));
    }
    row.performances.push_back(std::move(performance));
  }
  std::ranges::stable_sort(row.performances, {}, &Performance::groups);
  return row;
}

std::vector<double> performances(const Row& row, std::size_t contender) {
  std::vector<double> values;
  for (const Performance& each : row.performances) values.push_back(each.of[contender]);
  return values;
}

double best(const Row& row, std::size_t contender) {
  return largest(performances(row, contender));
}

double best_bound(const Row& row) {
  return std::ranges::max(row.performances, {}, &Performance::bound).bound;
}

/// The performance with twenty single cores, which the thesis compares with.
double reference(const Row& row, std::size_t contender) {
  return row.performances.back().of[contender];
}

/// The mean number of groups in the tenth of the groupings that are best for a contender.
double groups_of_best(const Row& row, std::size_t contender) {
  std::vector<Performance> sorted = row.performances;
  std::ranges::stable_sort(sorted, std::greater(), [&](const Performance& each) { return each.of[contender]; });
  sorted.resize(std::max<std::size_t>(1, sorted.size() / 10));
  std::vector<double> groups;
  for (const Performance& each : sorted) groups.push_back(static_cast<double>(each.groups));
  return mean(groups);
}

std::string label(const Row& row) {
  return fmt::format("{} {}", row.application->title, row.tiles);
}

/// "Cholesky 4: 1.2, 8: 1.3; QR 4: 1.5, ..." from a description of each row.
template <class Describe>
std::string list(const std::vector<Row>& rows, Describe&& describe) {
  std::string text;
  const Factorization* before = nullptr;
  for (const Row& row : rows) {
    const bool same = row.application == before;
    text += fmt::format("{}{}{}: {}", before == nullptr ? "" : (same ? ", " : "; "),
                        same ? "" : std::string(row.application->title) + " ", row.tiles, describe(row));
    before = row.application;
  }
  return text;
}

std::vector<Row> of(const std::vector<Row>& rows, std::size_t application) {
  std::vector<Row> own;
  std::ranges::copy_if(rows, std::back_inserter(own),
                       [&](const Row& row) { return row.application == &kApplications[application]; });
  return own;
}

report::Claim better_than_heft(const std::vector<Row>& rows) {
  const auto gain = [](const Row& row, std::size_t contender) {
    return mean(performances(row, contender)) / mean(performances(row, kHeft)) - 1;
  };
  return {.source = kSource,
          .published = "Both HeteroPrio variants are better than HEFT for all matrix sizes.",
          .criterion =
              "for every application and size the mean performance over all groupings of either variant is "
              "higher than HEFT's",
          .found = "Area / Het.Index beside HEFT: " +
                   list(rows,
                        [&](const Row& row) {
                          return fmt::format("{:+.1f} / {:+.1f} %", 100 * gain(row, kArea), 100 * gain(row, kHetIndex));
                        }),
          .holds = std::ranges::all_of(
              rows, [&](const Row& row) { return gain(row, kArea) > 0 && gain(row, kHetIndex) > 0; })};
}

report::Claim heft_wants_few_groups(const std::vector<Row>& rows) {
  const std::vector<Row> cholesky = of(rows, 0);
  return {.source = kSource,
          .published = "On Cholesky HEFT needs few groups to be good; it does not cope with strong heterogeneity.",
          .criterion =
              "for every size the tenth of the groupings that are best for HEFT has fewer groups, on average, "
              "than that for Het.Index",
          .found = "groups for HEFT / Het.Index: " + list(cholesky,
                                                          [](const Row& row) {
                                                            return fmt::format("{:.1f} / {:.1f}",
                                                                               groups_of_best(row, kHeft),
                                                                               groups_of_best(row, kHetIndex));
                                                          }),
          .holds = std::ranges::all_of(
              cholesky, [](const Row& row) { return groups_of_best(row, kHeft) < groups_of_best(row, kHetIndex); })};
}

report::Claim het_index_is_stable(const std::vector<Row>& rows) {
  const auto variation = [](const Row& row, std::size_t contender) {
    const auto values = performances(row, contender);
    return deviation(values) / mean(values);
  };
  return {.source = kSource,
          .published = "Het.Index is more stable than Area for all matrix sizes.",
          .criterion =
              "for every application and size the standard deviation over the groupings, relative to the mean, "
              "is smaller for Het.Index",
          .found = "Area / Het.Index: " + list(rows,
                                               [&](const Row& row) {
                                                 return fmt::format("{:.1f} / {:.1f} %", 100 * variation(row, kArea),
                                                                    100 * variation(row, kHetIndex));
                                               }),
          .holds = std::ranges::all_of(
              rows, [&](const Row& row) { return variation(row, kHetIndex) < variation(row, kArea); })};
}

report::Claim best_cases_are_alike(const std::vector<Row>& rows) {
  const auto gap = [](const Row& row) { return best(row, kHetIndex) / best(row, kArea) - 1; };
  return {.source = kSource,
          .published = "The best cases of Area and of Het.Index are comparable.",
          .criterion = "for every application and size the two best performances differ by at most 5 %",
          .found = "Het.Index's best beside Area's: " +
                   list(rows, [&](const Row& row) { return fmt::format("{:+.1f} %", 100 * gap(row)); }),
          .holds = std::ranges::all_of(rows, [&](const Row& row) { return std::abs(gap(row)) <= 0.05; })};
}

report::Claim qr_needs_groups(const std::vector<Row>& rows) {
  const std::vector<Row> qr = of(rows, 1);
  const auto loss = [](const Row& row) {
    std::vector<double> few;
    for (const Performance& each : row.performances) {
      if (each.groups <= 3) few.push_back(each.of[kHetIndex]);
    }
    return 1 - mean(few) / best(row, kHetIndex);
  };
  return {.source = kSource,
          .published = "On QR performance drops strongly when there are too few groups.",
          .criterion =
              "with two or three groups Het.Index is on average at least 10 % below its best, for every size "
              "from 8 tiles on",
          .found =
              "below its best by " + list(qr, [&](const Row& row) { return fmt::format("{:.1f} %", 100 * loss(row)); }),
          .holds = std::ranges::all_of(qr, [&](const Row& row) { return row.tiles < 8 || loss(row) >= 0.1; })};
}

report::Claim groups_pay_but_for_large_qr(const std::vector<Row>& rows) {
  const auto gain = [](const Row& row) { return best(row, kHetIndex) / reference(row, kHetIndex) - 1; };
  const bool cholesky = std::ranges::all_of(of(rows, 0), [&](const Row& row) { return gain(row) > 0; });
  const Row last = of(rows, 1).back();
  const double groups = groups_of_best(last, kHetIndex);
  return {.source = kSource,
          .published = "Grouping cores pays, except for QR of very large matrices, which wants many groups.",
          .criterion =
              "on Cholesky some grouping beats single cores at every size, and at the largest QR the best "
              "tenth of the groupings has more than ten groups on average",
          .found = fmt::format("best grouping beside single cores, Het.Index: {}; {}: {:.1f} groups in the best tenth",
                               list(rows, [&](const Row& row) { return fmt::format("{:+.1f} %", 100 * gain(row)); }),
                               label(last), groups),
          .holds = cholesky && groups > 10};
}

report::Claim widest_in_the_middle(const std::vector<Row>& rows) {
  const auto gap = [](const Row& row) { return best(row, kHetIndex) / best(row, kHeft) - 1; };
  const std::vector<Row> cholesky = of(rows, 0);
  const auto widest = std::ranges::max_element(cholesky, {}, gap);
  return {.source = "Kumar 2017, section 4.4.3, figure 4.5",
          .published =
              "With the best groupings for each, HeteroPrio's lead over HEFT on Cholesky is widest for "
              "medium-size matrices.",
          .criterion =
              "the lead of Het.Index's best over HEFT's best is neither widest at the smallest nor at the "
              "largest size",
          .found = list(cholesky, [&](const Row& row) { return fmt::format("{:+.1f} %", 100 * gap(row)); }),
          .holds = widest != cholesky.begin() && widest != cholesky.end() - 1};
}

report::Claim close_to_the_bound(const std::vector<Row>& rows) {
  const auto share = [](const Row& row) { return best(row, kHetIndex) / best_bound(row); };
  return {.source = kSource,
          .published = "With the best groupings HeteroPrio is reasonably close to the upper bound in all cases.",
          .criterion = "Het.Index's best is at least 75 % of the best bound for every application and size",
          .found = list(rows, [&](const Row& row) { return fmt::format("{:.0f} %", 100 * share(row)); }),
          .holds = std::ranges::all_of(rows, [&](const Row& row) { return share(row) >= 0.75; })};
}

/// The mean and the range of what `value` says of the groupings, by number of groups.
template <class Value>
report::Series series_of(std::string name, const Row& row, const std::vector<double>& counts, Value&& value) {
  report::Series series{.name = std::move(name)};
  for (const double count : counts) {
    std::vector<double> values;
    for (const Performance& each : row.performances) {
      if (static_cast<double>(each.groups) == count) values.push_back(value(each));
    }
    series.values.emplace_back(mean(values));
    series.low.emplace_back(smallest(values));
    series.high.emplace_back(largest(values));
  }
  return series;
}

report::Panel panel_of(const Row& row) {
  report::Panel panel{.title = fmt::format("{} tiles", row.tiles)};
  for (const Performance& each : row.performances) {
    const auto groups = static_cast<double>(each.groups);
    if (panel.x.empty() || panel.x.back() != groups) panel.x.push_back(groups);
  }
  for (std::size_t i = 0; i < kContenders.size(); ++i) {
    panel.series.push_back(
        series_of(kContenders[i].name, row, panel.x, [i](const Performance& each) { return each.of[i]; }));
  }
  panel.series.push_back(series_of("upper bound", row, panel.x, [](const Performance& each) { return each.bound; }));
  return panel;
}

report::Figure figure_of(const std::vector<Row>& rows, const Factorization& application, const char* number) {
  report::Figure figure{.title = fmt::format("{} ({})", application.title, number),
                        .note =
                            "Lines are means over all groupings with this number of groups, bands reach from the worst "
                            "of them to the best. The scales differ. Click a name to hide it.",
                        .x_label = "groups of cores",
                        .y_label = "GFlop/s",
                        .own_scales = true};
  for (const Row& row : rows) {
    if (row.application == &application) figure.panels.push_back(panel_of(row));
  }
  return figure;
}

report::StudyTable table(const std::vector<Row>& rows) {
  using report::Align;
  report::StudyTable table{.title = "GFlop/s: best grouping / single cores", .columns = {{"graph"}}};
  for (const Contender& contender : kContenders) table.columns.push_back({contender.name, Align::right});
  table.columns.push_back({"upper bound", Align::right});
  for (const Row& row : rows) {
    std::vector<std::string> line{label(row)};
    for (std::size_t i = 0; i < kContenders.size(); ++i) {
      line.push_back(fmt::format("{:.0f} / {:.0f}", best(row, i), reference(row, i)));
    }
    line.push_back(fmt::format("{:.0f} / {:.0f}", best_bound(row), row.performances.back().bound));
    table.rows.push_back(std::move(line));
  }
  return table;
}

report::StudyReport make_report(Scale scale, const Results& results) {
  std::vector<Row> rows;
  for (const Factorization& application : kApplications) {
    for (const std::size_t size : sizes(scale)) rows.push_back(row_of(scale, results, application, size));
  }
  report::StudyReport report;
  report.remark =
      "Table 4.1 gives times for groups of 1, 2, 5 and 10 cores; for groups of other sizes the speed is "
      "interpolated linearly between these. HEFT is the thesis's greedy one on ready tasks (here: dmdas); 'HEFT "
      "offline' plans the whole graph and inserts into gaps, and is not part of the claims.";
  report.claims = {better_than_heft(rows),     heft_wants_few_groups(rows), het_index_is_stable(rows),
                   best_cases_are_alike(rows), qr_needs_groups(rows),       groups_pay_but_for_large_qr(rows),
                   widest_in_the_middle(rows), close_to_the_bound(rows)};
  report.tables = {table(rows)};
  report.figures = {figure_of(rows, kApplications[0], "figure 4.3"), figure_of(rows, kApplications[1], "figure 4.4")};
  return report;
}

}  // namespace

Study study() {
  return {.name = "groupings",
          .summary = "HeteroPrio for many classes: all 530 ways to group 20 cores",
          .publication = "Kumar 2017, tel-01538516, section 4.4.3, figures 4.3 to 4.5",
          .full = "Cholesky and QR of 4, 8, ..., 32 tiles on all 530 groupings of 20 cores, and 4 GPUs",
          .quick = "8, 16 and 32 tiles on the groupings into groups of 1, 2, 5 and 10 cores",
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::groupings
