#include "heddle/experiment/ratios.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "heddle/experiment/measures.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/format.hpp"

namespace heddle::experiment {

std::vector<Cell> comparison_cells(const std::vector<GridPoint>& grid, const std::vector<Contender>& contenders) {
  std::vector<Cell> cells;
  for (const GridPoint& point : grid) {
    cells.push_back(bound_cell(point.workload, point.platform));
    for (const Contender& contender : contenders) {
      cells.push_back(schedule_cell(point.workload, point.platform, contender.policy));
    }
  }
  return cells;
}

std::vector<Ratios> comparison_ratios(const std::vector<GridPoint>& grid, const std::vector<Contender>& contenders,
                                      const Results& results) {
  std::vector<Ratios> all;
  for (const GridPoint& point : grid) {
    std::vector<double> of;
    for (const Contender& contender : contenders) {
      of.push_back(ratio_to_bound(results, schedule_cell(point.workload, point.platform, contender.policy)));
    }
    all.push_back({point, std::move(of)});
  }
  return all;
}

std::vector<Ratios> select(const std::vector<Ratios>& all, const std::function<bool(const GridPoint&)>& wanted) {
  std::vector<Ratios> selection;
  std::ranges::copy_if(all, std::back_inserter(selection), [&](const Ratios& ratios) { return wanted(ratios.at); });
  return selection;
}

std::vector<double> ratios_of(const std::vector<Ratios>& selection, std::size_t contender) {
  std::vector<double> values;
  for (const Ratios& ratios : selection) values.push_back(ratios.of[contender]);
  return values;
}

double mean_ratio(const std::vector<Ratios>& selection, std::size_t contender) {
  return mean(ratios_of(selection, contender));
}

std::vector<double> mean_ratios(const std::vector<Ratios>& selection) {
  std::vector<double> means;
  for (std::size_t i = 0; i < selection.front().of.size(); ++i) means.push_back(mean_ratio(selection, i));
  return means;
}

double share_of_best(const std::vector<Ratios>& selection, std::size_t contender) {
  const auto won = [contender](const Ratios& ratios) { return ratios.of[contender] <= smallest(ratios.of); };
  return static_cast<double>(std::ranges::count_if(selection, won)) / static_cast<double>(selection.size());
}

std::size_t place_of_smallest(const std::vector<double>& values) {
  return static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
}

std::size_t place_of(const std::vector<Contender>& contenders, std::string_view name) {
  const auto found = std::ranges::find(contenders, name, &Contender::name);
  if (found == contenders.end()) throw InternalError("no contender is called " + std::string(name));
  return static_cast<std::size_t>(found - contenders.begin());
}

report::Panel ratio_panel(std::string title, const std::vector<Ratios>& selection,
                          const std::vector<Contender>& contenders, std::size_t GridPoint::* x) {
  std::set<std::size_t> places;
  for (const Ratios& ratios : selection) places.insert(ratios.at.*x);
  report::Panel panel{.title = std::move(title), .x = {places.begin(), places.end()}, .series = {}};
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    report::Series series{.name = contenders[i].name};
    for (const std::size_t place : places) {
      series.values.emplace_back(
          mean_ratio(select(selection, [&](const GridPoint& point) { return point.*x == place; }), i));
    }
    panel.series.push_back(std::move(series));
  }
  return panel;
}

std::string describe_ratios(const std::vector<Contender>& contenders, const std::vector<double>& ratios) {
  std::string text;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    text += (i > 0 ? ", " : "") + contenders[i].name + " " + report::format_ratio(ratios[i]);
  }
  return text;
}

std::vector<std::string> applications(const std::vector<Ratios>& all) {
  std::vector<std::string> names;
  for (const Ratios& ratios : all) {
    if (std::ranges::find(names, ratios.at.application) == names.end()) names.push_back(ratios.at.application);
  }
  return names;
}

report::Figure ratio_figure(std::string title, const std::vector<Ratios>& all, const std::vector<Contender>& contenders,
                            std::size_t GridPoint::* x, std::string x_label) {
  report::Figure figure{
      .title = std::move(title), .x_label = std::move(x_label), .y_label = "makespan / lower bound", .level = 1.0};
  for (const std::string& name : applications(all)) {
    const auto own = select(all, [&](const GridPoint& point) { return point.application == name; });
    figure.panels.push_back(ratio_panel(name, own, contenders, x));
  }
  return figure;
}

report::StudyTable ratio_table(std::string title, const std::vector<Ratios>& all,
                               const std::vector<Contender>& contenders) {
  report::StudyTable table{
      .title = std::move(title), .columns = {{"application"}, {"instances", report::Align::right}}, .rows = {}};
  for (const Contender& contender : contenders) table.columns.push_back({contender.name, report::Align::right});
  for (const std::string& name : applications(all)) {
    const auto own = select(all, [&](const GridPoint& point) { return point.application == name; });
    std::vector<std::string> row{name, report::format_count(static_cast<std::int64_t>(own.size()))};
    for (const double ratio : mean_ratios(own)) row.push_back(report::format_ratio(ratio));
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::StudyTable contender_table(std::string title, const std::vector<Ratios>& all,
                                   const std::vector<Contender>& contenders) {
  report::StudyTable table{.title = std::move(title), .columns = {{"policy"}}, .rows = {}};
  std::vector<std::vector<Ratios>> groups;
  for (const std::string& name : applications(all)) {
    groups.push_back(select(all, [&](const GridPoint& point) { return point.application == name; }));
    table.columns.push_back({fmt::format("{} ({})", name, groups.back().size()), report::Align::right});
  }
  std::vector<std::size_t> order(contenders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return mean_ratio(all, i); });
  for (const std::size_t i : order) {
    std::vector<std::string> row{contenders[i].name};
    for (const auto& group : groups) {
      const std::vector<double> ratios = ratios_of(group, i);
      row.push_back(fmt::format("{} / {} / {:.0f} %", report::format_ratio(mean(ratios)),
                                report::format_ratio(largest(ratios)), 100 * share_of_best(group, i)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace heddle::experiment
