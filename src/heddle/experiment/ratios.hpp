#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/experiment/study.hpp"

/// Policies on many instances, compared by makespan over lower bound: what most studies of schedulers show.
namespace heddle::experiment {

/// An instance and where it stands in a study's grid.
struct GridPoint {
  std::string application;  ///< for people: "Cholesky"
  std::size_t size = 0;     ///< tiles, or whatever the study makes grow
  std::size_t cpus = 0;
  std::string workload;
  std::string platform;
};

/// A policy and the name it has in tables and plots.
struct Contender {
  std::string name;
  std::string policy;
};

/// A cell for each bound, and one for each contender on each instance.
[[nodiscard]] std::vector<Cell> comparison_cells(const std::vector<GridPoint>& grid,
                                                 const std::vector<Contender>& contenders);

/// Makespan over bound of every contender on one instance.
struct Ratios {
  GridPoint at;
  std::vector<double> of;  ///< in the order of the contenders
};

[[nodiscard]] std::vector<Ratios> comparison_ratios(const std::vector<GridPoint>& grid,
                                                    const std::vector<Contender>& contenders, const Results& results);

[[nodiscard]] std::vector<Ratios> select(const std::vector<Ratios>& all,
                                         const std::function<bool(const GridPoint&)>& wanted);

/// The ratios of one contender.
[[nodiscard]] std::vector<double> ratios_of(const std::vector<Ratios>& selection, std::size_t contender);

/// The mean ratio of a contender; the selection must not be empty.
[[nodiscard]] double mean_ratio(const std::vector<Ratios>& selection, std::size_t contender);

/// The mean ratios of every contender.
[[nodiscard]] std::vector<double> mean_ratios(const std::vector<Ratios>& selection);

/// The share of the instances, of at least one, on which no other contender is better than this one.
[[nodiscard]] double share_of_best(const std::vector<Ratios>& selection, std::size_t contender);

/// The place of the smallest value; the first of equals.
[[nodiscard]] std::size_t place_of_smallest(const std::vector<double>& values);

/// The place of the contender of this name; InternalError when there is none.
[[nodiscard]] std::size_t place_of(const std::vector<Contender>& contenders, std::string_view name);

/// A panel with a line per contender: the mean ratio of the points that share an x.
[[nodiscard]] report::Panel ratio_panel(std::string title, const std::vector<Ratios>& selection,
                                        const std::vector<Contender>& contenders, std::size_t GridPoint::* x);

/// "heft 1.234, ect 1.345"
[[nodiscard]] std::string describe_ratios(const std::vector<Contender>& contenders, const std::vector<double>& ratios);

/// The names of the applications in a grid, in order of appearance.
[[nodiscard]] std::vector<std::string> applications(const std::vector<Ratios>& all);

/// A figure with a panel per application.
[[nodiscard]] report::Figure ratio_figure(std::string title, const std::vector<Ratios>& all,
                                          const std::vector<Contender>& contenders, std::size_t GridPoint::* x,
                                          std::string x_label);

/// A row per application with the mean ratio of every contender.
[[nodiscard]] report::StudyTable ratio_table(std::string title, const std::vector<Ratios>& all,
                                             const std::vector<Contender>& contenders);

/// A row per contender, in order of their means over everything, and a column per application: mean ratio, largest
/// ratio and share_of_best, as "1.083 / 1.259 / 12 %".
[[nodiscard]] report::StudyTable contender_table(std::string title, const std::vector<Ratios>& all,
                                                 const std::vector<Contender>& contenders);

}  // namespace heddle::experiment
