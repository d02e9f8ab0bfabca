#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "heddle/experiment/measures.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"
#include "heddle/model/random.hpp"
#include "heddle/sim/simulation.hpp"

/// AutoHeteroprio's heuristics on random graphs, against control priorities that an alternating exhaustive search over
/// the permutations of each class finds.
namespace heddle::experiment::automatic_priorities {
namespace {

constexpr const char* kSource = "Flint, Paillat & Bramas 2022, evaluation based on emulated executions";

/// A row of Table 2.
struct Graph {
  std::size_t cpus;
  std::size_t gpus;
  const char* predecessors;  ///< "Average predecessor number"
  /// s such that factors whose logarithm is uniform on [1/s, s] have the "Average CPU-GPU diff (relative)" of the
  /// table: (s - 1) / ln s - 1 is their mean (slower / faster - 1).
  double strongest;
};

constexpr std::array<Graph, 32> kGraphs{
    {{4, 14, "4.038", 2.35},  {13, 8, "2.101", 3.24}, {11, 12, "2.526", 3.10}, {2, 7, "2.529", 3.78},
     {13, 15, "1.289", 5.39}, {9, 7, "2.301", 3.97},  {13, 3, "2.396", 2.71},  {11, 1, "1.491", 3.62},
     {9, 12, "1.675", 1.40},  {12, 1, "2.927", 1.87}, {2, 9, "0.995", 13.45},  {13, 10, "1.384", 5.76},
     {4, 6, "1.325", 4.05},   {4, 11, "1.462", 5.00}, {8, 1, "1.850", 5.88},   {3, 8, "2.686", 14.93},
     {15, 3, "1.347", 4.24},  {10, 1, "2.258", 1.49}, {7, 3, "1.679", 6.01},   {9, 14, "1.817", 7.54},
     {8, 11, "1.859", 3.08},  {8, 8, "2.655", 3.27},  {15, 9, "2.268", 6.88},  {14, 4, "1.288", 56.65},
     {1, 2, "1.934", 3.17},   {9, 11, "2.030", 2.47}, {4, 14, "1.884", 2.86},  {15, 1, "1.551", 1.55},
     {9, 3, "1.474", 1.40},   {15, 8, "3.558", 5.16}, {10, 10, "2.552", 1.98}, {12, 13, "1.516", 7.57}}};

/// 3 to 6 types: every permutation of 6 can still be tried.
std::string workload(std::size_t graph) {
  return fmt::format("predecessor-matrix:types={},predecessors={},weakest={:.4f},strongest={},seed={}", 3 + graph % 4,
                     kGraphs[graph].predecessors, 1 / kGraphs[graph].strongest, kGraphs[graph].strongest, graph);
}

std::string platform(std::size_t graph) {
  return fmt::format("counts:cpu={},gpu={}", kGraphs[graph].cpus, kGraphs[graph].gpus);
}

/// A heuristic, as Table 3 has it and in the readings that the paper leaves open.
struct Heuristic {
  const char* name;
  const char* options;
  double published = 0;  ///< the mean of its column in Table 3; 0 for other readings
};

constexpr std::size_t kPublished = 6;
constexpr std::array<Heuristic, 10> kHeuristics{{{"offset", "offset", 1.091},
                                                 {"softplus", "softplus", 1.116},
                                                 {"interpolation", "interpolation", 1.106},
                                                 {"purws", "purws", 1.156},
                                                 {"prws", "prws", 1.132},
                                                 {"ntc", "ntc", 1.101},
                                                 {"interpolation, prose", "interpolation,reading=prose"},
                                                 {"purws, prose", "purws,reading=prose"},
                                                 {"prws, prose", "prws,reading=prose"},
                                                 {"ntc, software", "ntc,reading=software"}}};

/// The paper's emulation knows no slowdown factors.
std::string policy(const Heuristic& heuristic) {
  return std::string("auto-heteroprio:slowdown=false,heuristic=") + heuristic.options;
}

/// Control priorities: "The algorithm begins with random CPU and GPU priorities. It then performs multiple iterations,
/// alternating between CPU and GPU. At every iteration, all the possible priority permutations for the current
/// architecture are tested and the fastest permutation is kept", ties drawn. It ends when neither class gains.
class ControlSearch {
 public:
  ControlSearch(const Instance& instance, std::uint64_t seed) : instance_(instance), random_(seed, kStream) {
    std::vector<std::size_t> types(instance.graph.type_count());
    std::iota(types.begin(), types.end(), 0U);
    for (auto& order : orders_) {
      order = types;
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_.below(i)]);
    }
  }

  /// The policy with the best lists found.
  [[nodiscard]] std::string run() {
    Time best = makespan(orders_);
    for (std::size_t c = 0, in_vain = 0; in_vain < orders_.size(); c = 1 - c) {
      const Time found = improve(c);
      in_vain = found < best ? 0 : in_vain + 1;
      best = found;
    }
    return spec(orders_);
  }
  [[nodiscard]] std::size_t simulations() const { return simulations_; }

 private:
  using Orders = std::array<std::vector<std::size_t>, 2>;
  static constexpr std::uint64_t kStream = 3;

  [[nodiscard]] Time improve(std::size_t c) {
    Orders trial = orders_;
    std::ranges::sort(trial[c]);
    Time best = kMaxTime;
    std::uint64_t equals = 0;
    do {
      const Time time = makespan(trial);
      if (time < best) equals = 0;
      // Among equally good ones each is kept with the same probability.
      if (time > best || random_.below(++equals) != 0) continue;
      best = time;
      orders_[c] = trial[c];
    } while (std::ranges::next_permutation(trial[c]).found);
    return best;
  }

  [[nodiscard]] std::string spec(const Orders& orders) const {
    std::string text = "la-heteroprio:slowdown=false,lists=";
    for (std::size_t c = 0; c < orders.size(); ++c) {
      text += (c == 0 ? "" : "/") + instance_.platform.class_name(make_id<ClassId>(c)) + ":";
      for (std::size_t i = 0; i < orders[c].size(); ++i) {
        text += i == 0 ? "" : "+";
        text += instance_.graph.type_name(make_id<TypeId>(orders[c][i]));
      }
    }
    return text;
  }

  [[nodiscard]] Time makespan(const Orders& orders) {
    ++simulations_;
    return sim::simulate(instance_, policy::Spec(spec(orders))).makespan();
  }

  const Instance& instance_;
  Random random_;
  Orders orders_;
  std::size_t simulations_ = 0;
};

Values measure_control(const Cell& cell) {
  const Instance instance = make_instance(cell);
  ControlSearch search(instance, cell.seed);
  Cell best = cell;
  best.policy = search.run();
  return {{"makespan", to_seconds(run_policy(best, instance).makespan())},
          {"simulations", static_cast<double>(search.simulations())}};
}

Cell control_cell(std::size_t graph) {
  return {.measure = {"control", measure_control}, .workload = workload(graph), .platform = platform(graph)};
}

Cell heuristic_cell(std::size_t graph, const Heuristic& heuristic) {
  return schedule_cell(workload(graph), platform(graph), policy(heuristic));
}

std::size_t graph_count(Scale scale) {
  constexpr std::size_t kQuick = 8;
  return scale == Scale::quick ? kQuick : kGraphs.size();
}

std::vector<Cell> cells(Scale scale) {
  std::vector<Cell> cells;
  for (std::size_t graph = 0; graph < graph_count(scale); ++graph) {
    cells.push_back(control_cell(graph));
    cells.push_back(bound_cell(workload(graph), platform(graph)));
    for (const Heuristic& heuristic : kHeuristics) cells.push_back(heuristic_cell(graph, heuristic));
  }
  return cells;
}

/// Makespans over those of the control priorities: a row per graph, a column per heuristic.
using Slowdowns = std::vector<std::vector<double>>;

Slowdowns slowdowns(Scale scale, const Results& results) {
  Slowdowns rows;
  for (std::size_t graph = 0; graph < graph_count(scale); ++graph) {
    const double control = results.value(control_cell(graph), "makespan");
    std::vector<double>& row = rows.emplace_back();
    for (const Heuristic& heuristic : kHeuristics) {
      row.push_back(results.value(heuristic_cell(graph, heuristic), "makespan") / control);
    }
  }
  return rows;
}

/// The columns of Table 3.
std::vector<double> published_columns(const std::vector<double>& row) {
  return {row.begin(), row.begin() + kPublished};
}

double column_mean(const Slowdowns& all, std::size_t column) {
  std::vector<double> values;
  for (const auto& row : all) values.push_back(row[column]);
  return mean(values);
}

report::Claim in_range(const Slowdowns& all) {
  std::size_t inside = 0;
  for (const auto& row : all) {
    for (const double slowdown : published_columns(row)) inside += slowdown <= 1.2 ? 1 : 0;
  }
  const double share = static_cast<double>(inside) / static_cast<double>(all.size() * kPublished);
  return {.source = kSource,
          .published = "In general the slowdown ranges between +0 % and +20 %.",
          .criterion =
              "at most 20 % slower than the control priorities in three quarters of the cases, of all graphs "
              "and heuristics (82 % in the published table)",
          .found = fmt::format("{:.0f} % of the cases", 100 * share),
          .holds = share >= 0.75};
}

report::Claim best_is_close(const Slowdowns& all) {
  std::size_t close = 0;
  for (const auto& row : all) close += smallest(published_columns(row)) < 1.1 ? 1 : 0;
  return {.source = kSource,
          .published = "In most test cases the best of the six heuristics usually has a slowdown of less than +10 %.",
          .criterion = "so on more than half of the graphs (27 of 32 in the published table)",
          .found = fmt::format("on {} of {} graphs", close, all.size()),
          .holds = 2 * close > all.size()};
}

report::Claim below_one(const Slowdowns& all) {
  std::size_t below = 0;
  for (const auto& row : all) {
    for (const double slowdown : published_columns(row)) below += slowdown < 1 ? 1 : 0;
  }
  return {.source = kSource,
          .published = "Some heuristics find better priorities than the control priorities.",
          .criterion = "some makespan is below that of the control priorities (5 of 192 in the published table)",
          .found = fmt::format("{} of {}", below, all.size() * kPublished),
          .holds = below > 0};
}

report::Claim heuristics_alike(const Slowdowns& all) {
  std::vector<double> gaps;
  for (const auto& row : all) gaps.push_back(largest(published_columns(row)) / smallest(published_columns(row)) - 1);
  const double median = quantile(gaps, 0.5);
  return {.source = "Flint, Paillat & Bramas 2022, conclusion",
          .published = "On random graphs the makespan difference between the heuristics is typically less than 10 %.",
          .criterion =
              "the worst of the six is less than 10 % above the best on the median graph (14.9 % in the "
              "paper's own Table 3)",
          .found = fmt::format("{:.1f} %", 100 * median),
          .holds = median < 0.1};
}

report::StudyTable slowdown_table(const Slowdowns& all) {
  report::StudyTable table{.title = "Makespan / makespan of the control priorities",
                           .columns = {{"graph", report::Align::right}}};
  for (std::size_t i = 0; i < kPublished; ++i) table.columns.push_back({kHeuristics[i].name, report::Align::right});
  for (std::size_t graph = 0; graph < all.size(); ++graph) {
    table.rows.push_back({std::to_string(graph)});
    for (const double slowdown : published_columns(all[graph])) {
      table.rows.back().push_back(fmt::format("{:.3f}", slowdown));
    }
  }
  return table;
}

/// With the readings that the paper leaves open.
report::StudyTable mean_table(const Slowdowns& all) {
  report::StudyTable table{.title = "Mean over the graphs",
                           .columns = {{"heuristic", report::Align::left},
                                       {"slowdown", report::Align::right},
                                       {"in the paper", report::Align::right}}};
  for (std::size_t column = 0; column < kHeuristics.size(); ++column) {
    const double published = kHeuristics[column].published;
    table.rows.push_back({kHeuristics[column].name, fmt::format("{:.3f}", column_mean(all, column)),
                          published > 0 ? fmt::format("{:.3f}", published) : ""});
  }
  return table;
}

report::StudyTable control_table(Scale scale, const Results& results) {
  report::StudyTable table{.title = "The control priorities",
                           .columns = {{"graph", report::Align::right},
                                       {"CPUs", report::Align::right},
                                       {"GPUs", report::Align::right},
                                       {"makespan / lower bound", report::Align::right},
                                       {"simulations", report::Align::right}}};
  for (std::size_t graph = 0; graph < graph_count(scale); ++graph) {
    const Cell control = control_cell(graph);
    table.rows.push_back({std::to_string(graph), std::to_string(kGraphs[graph].cpus),
                          std::to_string(kGraphs[graph].gpus), fmt::format("{:.3f}", ratio_to_bound(results, control)),
                          fmt::format("{:.0f}", results.value(control, "simulations"))});
  }
  return table;
}

report::Figure slowdown_figure(const Slowdowns& all) {
  report::Figure figure{.title = "Slowdown of each heuristic on each graph",
                        .x_label = "graph",
                        .y_label = "makespan / control",
                        .panels = {},
                        .points = true,
                        .level = 1.0,
                        .level_name = "control priorities"};
  report::Panel panel{.title = "random graphs", .x = {}};
  for (std::size_t graph = 0; graph < all.size(); ++graph) panel.x.push_back(static_cast<double>(graph));
  for (std::size_t column = 0; column < kPublished; ++column) {
    report::Series& series = panel.series.emplace_back(report::Series{.name = kHeuristics[column].name});
    for (const auto& row : all) series.values.emplace_back(row[column]);
  }
  figure.panels.push_back(std::move(panel));
  return figure;
}

report::StudyReport make_report(Scale scale, const Results& results) {
  const Slowdowns all = slowdowns(scale, results);
  report::StudyReport report;
  report.remark =
      "The published graphs are not in the paper. These have its numbers of workers, mean numbers of predecessors and "
      "mean relative differences of durations (Table 2); types, their proportions and the matrices are drawn again.";
  report.claims = {in_range(all), best_is_close(all), below_one(all), heuristics_alike(all)};
  report.tables = {mean_table(all), slowdown_table(all), control_table(scale, results)};
  report.figures = {slowdown_figure(all)};
  return report;
}

}  // namespace

Study study() {
  return {.name = "automatic-priorities",
          .summary = "AutoHeteroprio's heuristics against the best priority lists that a search finds",
          .publication = "Flint, Paillat and Bramas 2022, doi:10.7717/peerj-cs.969, tables 2 and 3",
          .full = "32 random graphs of 1000 tasks of 3 to 6 types on 1 to 15 CPUs and 1 to 15 GPUs",
          .quick = "the first 8 of the 32 graphs",
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::automatic_priorities
