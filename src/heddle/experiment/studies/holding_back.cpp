#include <fmt/format.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "heddle/experiment/factorizations.hpp"
#include "heddle/experiment/heteroprio_dep_grid.hpp"
#include "heddle/experiment/measures.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/host/present.hpp"

/// Can looking ahead replace spoliation, for which a runtime system has to abort running tasks? HeteroPrioDep with real
/// aborts, with tasks held back that would be aborted, and with neither.
namespace heddle::experiment::holding_back {
namespace {

constexpr const char* kPolicy = "heteroprio-dep:order=latest";
constexpr std::array kNoises{"", "uniform:0.1,per=execution", "uniform:0.3,per=execution"};
constexpr std::array kDisturbances{"durations as estimated", "off by up to 10 %", "off by up to 30 %"};
constexpr const char* kMoving = "Links as measured";

Values measure_aborts(const Cell& cell) {
  const Instance instance = make_instance(cell);
  const auto run = [&](host::Aborts aborts) {
    return to_seconds(run_policy(cell, instance, nullptr, aborts).makespan());
  };
  return {{"allowed", run(host::Aborts::allowed)},
          {"hold-back", run(host::Aborts::hold_back)},
          {"none", run(host::Aborts::none)}};
}

std::vector<GridPoint> points(Scale scale) {
  std::vector<GridPoint> all = heteroprio_dep_grid(scale);
  const auto tiles = scale == Scale::full ? range(4, 32, 4) : std::vector<std::size_t>{8, 16};
  for (const auto& [machine, cpus] : {std::pair{"mirage:links=measured", 9}, std::pair{"sirocco:links=measured", 20}}) {
    for (const char* algorithm : {"cholesky", "lu"}) {
      for (const std::size_t size : tiles) {
        all.push_back(
            {kMoving, size, static_cast<std::size_t>(cpus), fmt::format("{}:tiles={}", algorithm, size), machine});
      }
    }
  }
  return all;
}

Cell cell_of(const GridPoint& point, const char* noise) {
  return {.measure = {"aborts", measure_aborts},
          .workload = point.workload,
          .platform = point.platform,
          .policy = kPolicy,
          .noise = noise};
}

std::vector<Cell> cells(Scale scale) {
  std::vector<Cell> all;
  for (const GridPoint& point : points(scale)) {
    for (const char* noise : kNoises) all.push_back(cell_of(point, noise));
  }
  return all;
}

/// What is compared: makespans over those with real aborts.
const std::vector<Contender> kContenders{{"held back", kPolicy}, {"neither", kPolicy}};
constexpr std::size_t kHeld = 0;
constexpr std::size_t kNeither = 1;

std::vector<Ratios> ratios(Scale scale, const Results& results, const char* noise) {
  std::vector<Ratios> all;
  for (const GridPoint& point : points(scale)) {
    const Cell cell = cell_of(point, noise);
    const double allowed = results.value(cell, "allowed");
    all.push_back({point, {results.value(cell, "hold-back") / allowed, results.value(cell, "none") / allowed}});
  }
  return all;
}

std::vector<Ratios> where_data_moves(const std::vector<Ratios>& all, bool moves) {
  return select(all, [&](const GridPoint& point) { return (point.application == kMoving) == moves; });
}

/// The ratios of all instances under each of the noises.
using ByNoise = std::vector<std::vector<Ratios>>;

report::Claim replaces_spoliation(const ByNoise& by_noise) {
  std::string found;
  bool holds = true;
  for (std::size_t i = 0; i < kNoises.size(); ++i) {
    const std::vector<Ratios> free = where_data_moves(by_noise[i], false);
    const double average = mean_ratio(free, kHeld);
    const double most = largest(ratios_of(free, kHeld));
    holds = holds && (i == 0 ? most <= 1 : average <= 1.01);
    found +=
        fmt::format("{}{}: {:.3f} on average, {:.3f} at most", i == 0 ? "" : "; ", kDisturbances[i], average, most);
  }
  return {.source = "Kumar 2017, future work",
          .published = "A limited lookahead removes the need of spoliation.",
          .criterion =
              "without links, holding back is never longer than real aborts where durations are as estimated, "
              "and on average at most 1 % longer where they are not",
          .found = found,
          .holds = holds};
}

report::Claim is_needed(const ByNoise& by_noise) {
  const std::vector<Ratios> exact = where_data_moves(by_noise.front(), false);
  const double average = mean_ratio(exact, kNeither);
  return {.source = "Kumar 2017, chapter 5",
          .published = "Spoliation, or what replaces it, is needed.",
          .criterion = "without either, makespans are on average at least 5 % longer",
          .found = fmt::format("{:.1f} % longer on average, {:.1f} % at most", 100 * (average - 1),
                               100 * (largest(ratios_of(exact, kNeither)) - 1)),
          .holds = average >= 1.05};
}

report::Claim helps_where_data_moves(const ByNoise& by_noise) {
  std::string found;
  bool holds = true;
  for (std::size_t i = 0; i < kNoises.size(); ++i) {
    const std::vector<Ratios> moving = where_data_moves(by_noise[i], true);
    holds = holds && mean_ratio(moving, kHeld) < mean_ratio(moving, kNeither);
    found += fmt::format("{}{}: {}", i == 0 ? "" : "; ", kDisturbances[i],
                         describe_ratios(kContenders, mean_ratios(moving)));
  }
  return {.source = "Heddle",
          .published = "Where data moves, so that futures are not foreseen to the digit, holding back helps, too.",
          .criterion = "on average, makespans over those with real aborts are smaller than with neither",
          .found = found,
          .holds = holds};
}

report::StudyReport make_report(Scale scale, const Results& results) {
  ByNoise by_noise;
  for (const char* noise : kNoises) by_noise.push_back(ratios(scale, results, noise));
  report::StudyReport report;
  report.claims = {replaces_spoliation(by_noise), is_needed(by_noise), helps_where_data_moves(by_noise)};
  for (std::size_t i = 0; i < kNoises.size(); ++i) {
    report.tables.push_back(ratio_table(fmt::format("Mean makespan / that with real aborts, {}", kDisturbances[i]),
                                        by_noise[i], kContenders));
    report::Figure figure = ratio_figure(fmt::format("By size, {}", kDisturbances[i]), by_noise[i], kContenders,
                                         &GridPoint::size, "tiles, or tasks a phase");
    figure.y_label = "makespan / that with real aborts";
    figure.level_name = "real aborts";
    report.figures.push_back(std::move(figure));
  }
  return report;
}

}  // namespace

Study study() {
  return {.name = "holding-back",
          .summary = "Whether looking ahead can replace spoliation",
          .publication = "Kumar 2017, future work; the grid of Eyraud-Dubois and Kumar 2020, section VI.A",
          .full =
              "the grid of spoliation-orders, and Cholesky and LU of 4, 8, ..., 32 tiles on mirage and sirocco with "
              "links; durations as estimated, and off by up to 10 % and 30 %",
          .quick =
              "the quick grid of spoliation-orders, and Cholesky and LU of 8 and 16 tiles on mirage and sirocco "
              "with links; durations likewise",
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::holding_back
