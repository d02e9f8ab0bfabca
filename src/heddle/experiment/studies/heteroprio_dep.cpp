#include <fmt/format.h>

#include <algorithm>

#include "heddle/experiment/heteroprio_dep_grid.hpp"
#include "heddle/experiment/ratios.hpp"
#include "heddle/experiment/statistics.hpp"
#include "heddle/experiment/study.hpp"

/// HeteroPrioDep, the best of its three orders, against algorithms of the literature: offline ones (HLP, HEFT) and
/// online ones (ER-LS, QA, ECT).
namespace heddle::experiment::heteroprio_dep {
namespace {

constexpr const char* kSource = "Eyraud-Dubois & Kumar 2020, section VI.D";

enum Place : std::size_t { kHeteroPrioDep, kHlp, kErLs, kQa, kHeft, kEct };

const std::vector<Contender> kContenders{{"HeteroPrioDep", "heteroprio-dep:order=best"},
                                         {"HLP", "hlp"},
                                         {"ER-LS", "er-ls"},
                                         {"QA", "qa"},
                                         {"HEFT", "heft"},
                                         {"ECT", "ect"}};

std::vector<Ratios> factorizations(const std::vector<Ratios>& all, std::size_t from, std::size_t to) {
  return select(
      all, [=](const GridPoint& point) { return is_factorization(point) && from <= point.size && point.size <= to; });
}

std::vector<Ratios> fork_joins(const std::vector<Ratios>& all) {
  return select(all, [](const GridPoint& point) { return !is_factorization(point); });
}

/// The share of the instances on which `wins` says so.
template <class Wins>
double share(const std::vector<Ratios>& selection, Wins&& wins) {
  const auto count = std::ranges::count_if(selection, wins);
  return static_cast<double>(count) / static_cast<double>(selection.size());
}

report::Claim er_ls_and_qa_are_poor(const std::vector<Ratios>& all) {
  const double worst = share(all, [](const Ratios& ratios) {
    const double best_other = std::min({ratios.of[kHeteroPrioDep], ratios.of[kHlp], ratios.of[kHeft], ratios.of[kEct]});
    return ratios.of[kErLs] > 1.1 * best_other && ratios.of[kQa] > 1.1 * best_other;
  });
  return {.source = kSource,
          .published =
              "ER-LS and QA, which look at durations more than at the state of the machine, perform poorly in "
              "most cases.",
          .criterion =
              "on more than half of the instances both are more than 10 % worse than the best of the other "
              "four",
          .found = fmt::format("on {:.0f} % of the instances; {}", 100 * worst,
                               describe_ratios(kContenders, mean_ratios(all))),
          .holds = worst > 0.5};
}

report::Claim er_ls_beats_qa_when_small(const std::vector<Ratios>& all) {
  const auto small = mean_ratios(factorizations(all, 4, 16));
  const auto large = mean_ratios(factorizations(all, 28, 60));
  const double difference = std::abs(large[kErLs] / large[kQa] - 1);
  return {.source = kSource,
          .published = "On small graphs ER-LS is slightly better than QA; on large ones they are alike.",
          .criterion =
              "ER-LS has the smaller mean on factorizations of up to 16 tiles, and the two are within 3 % of "
              "each other from 28 tiles on",
          .found = fmt::format("up to 16 tiles ER-LS {:.3f}, QA {:.3f}; from 28 tiles on {:.3f}, {:.3f}", small[kErLs],
                               small[kQa], large[kErLs], large[kQa]),
          .holds = small[kErLs] < small[kQa] && difference <= 0.03};
}

report::Claim heft_then_hlp(const std::vector<Ratios>& all) {
  const auto small = mean_ratios(factorizations(all, 4, 20));
  const auto large = mean_ratios(factorizations(all, 28, 60));
  return {
      .source = kSource,
      .published = "HEFT is better than HLP on small and intermediate graphs, HLP is better than HEFT on large ones.",
      .criterion = "HEFT has the smaller mean on factorizations of up to 20 tiles, HLP from 28 tiles on",
      .found = fmt::format("up to 20 tiles HEFT {:.3f}, HLP {:.3f}; from 28 tiles on {:.3f}, {:.3f}", small[kHeft],
                           small[kHlp], large[kHeft], large[kHlp]),
      .holds = small[kHeft] < small[kHlp] && large[kHlp] < large[kHeft]};
}

report::Claim heft_and_ect(const std::vector<Ratios>& all) {
  const auto phases = mean_ratios(fork_joins(all));
  const auto tiled = mean_ratios(factorizations(all, 0, 60));
  const double difference = std::abs(tiled[kHeft] / tiled[kEct] - 1);
  return {.source = kSource,
          .published = "HEFT is slightly better than ECT on fork-join graphs; on the others they are alike.",
          .criterion =
              "HEFT has the smaller mean on fork-join graphs, and the two are within 3 % of each other on "
              "factorizations",
          .found = fmt::format("fork-join: HEFT {:.4f}, ECT {:.4f}; factorizations: {:.3f}, {:.3f}", phases[kHeft],
                               phases[kEct], tiled[kHeft], tiled[kEct]),
          .holds = phases[kHeft] < phases[kEct] && difference <= 0.03};
}

report::Claim heteroprio_dep_wins(const std::vector<Ratios>& all) {
  std::string found;
  bool holds = true;
  for (const std::string& name : applications(all)) {
    const auto own = select(all, [&](const GridPoint& point) { return point.application == name; });
    const double won = share_of_best(own, kHeteroPrioDep);
    holds = holds && won > 0.5;
    found += fmt::format("{}{} {:.0f} %", found.empty() ? "the shortest on " : ", ", name, 100 * won);
  }
  return {.source = kSource,
          .published = "HeteroPrioDep outperforms the other algorithms in most cases.",
          .criterion = "for every application no other algorithm is shorter on more than half of the instances",
          .found = found + " of the instances",
          .holds = holds};
}

report::Claim close_to_the_bound(const std::vector<Ratios>& all) {
  const std::vector<double> ratios = ratios_of(all, kHeteroPrioDep);
  return {.source = kSource,
          .published = "HeteroPrioDep's makespans are very close to the lower bounds.",
          .criterion = "its mean makespan / bound over all instances is at most 1.1",
          .found = fmt::format("mean {:.3f}, median {:.3f}, largest {:.3f}", mean(ratios), quantile(ratios, 0.5),
                               largest(ratios)),
          .holds = mean(ratios) <= 1.1};
}

std::vector<Cell> cells(Scale scale) {
  return comparison_cells(heteroprio_dep_grid(scale), kContenders);
}

report::StudyReport make_report(Scale scale, const Results& results) {
  const auto all = comparison_ratios(heteroprio_dep_grid(scale), kContenders, results);
  report::StudyReport report;
  report.remark =
      "HLP's schedule depends on which of the optima of its linear program the solver finds, so its numbers may differ "
      "from the publication's. ER-LS compares as printed: the duration on a CPU with the completion date on a GPU.";
  report.claims = {er_ls_and_qa_are_poor(all), er_ls_beats_qa_when_small(all), heft_then_hlp(all),
                   heft_and_ect(all),          heteroprio_dep_wins(all),       close_to_the_bound(all)};
  report.tables = {ratio_table("Mean makespan / lower bound", all, kContenders)};
  report.figures = {ratio_figure("By number of CPUs, mean over the sizes (figure 8)", all, kContenders,
                                 &GridPoint::cpus, "CPUs (beside 4 GPUs)"),
                    ratio_figure("By size, mean over the numbers of CPUs (figure 9)", all, kContenders,
                                 &GridPoint::size, "tiles, or tasks a phase")};
  return report;
}

}  // namespace

Study study() {
  return {.name = "heteroprio-dep",
          .summary = "HeteroPrioDep beside HLP, ER-LS, QA, HEFT and ECT",
          .publication = "Eyraud-Dubois and Kumar 2020, hal-02431810, section VI.D, figures 8 and 9",
          .full = kHeteroprioDepFull,
          .quick = kHeteroprioDepQuick,
          .cells = cells,
          .report = make_report};
}

}  // namespace heddle::experiment::heteroprio_dep
