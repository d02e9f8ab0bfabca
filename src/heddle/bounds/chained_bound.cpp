#include "heddle/bounds/chained_bound.hpp"

#include <algorithm>

#include "heddle/bounds/certificate.hpp"
#include "heddle/bounds/dual_search.hpp"
#include "heddle/bounds/work_groups.hpp"
#include "heddle/bounds/work_program.hpp"

namespace heddle::bounds {
namespace {

/// Label 0 is for types that are no chain, i + 1 for that of chains[i].
std::vector<std::uint32_t> labels(const Instance& instance, std::span<const Chain> chains) {
  std::vector<std::uint32_t> label(instance.graph.type_count(), 0);
  for (std::size_t i = 0; i < chains.size(); ++i) label[index(chains[i].type)] = static_cast<std::uint32_t>(i + 1);
  return label;
}

/// `flow` by label.
Bound describe(const Certificate& certificate, std::span<const Certificate::Units> flow, std::span<const Chain> chains,
               Table<ClassId, double> use) {
  Bound bound;
  bound.value = certificate.bound();
  bound.use = std::move(use);
  bound.full_classes = certificate.weighed_classes();
  const auto heaviest = std::ranges::max_element(flow);
  if (*heaviest > 0) bound.path = chains[static_cast<std::size_t>(heaviest - flow.begin()) - 1].path;
  return bound;
}

/// What chained_bound computes, as a linear program.
class ChainedProgram {
 public:
  ChainedProgram(const Instance& instance, std::span<const Chain> chains)
      : instance_(instance),
        chains_(chains),
        groups_(group_tasks(instance, labels(instance, chains)).groups),
        program_(instance) {
    std::vector<std::vector<WorkProgram::Work>> works(chains.size() + 1);
    for (const WorkGroup& group : groups_) works[group.label].push_back(program_.add(group.row, group.tasks));
    for (std::size_t i = 0; i < chains.size(); ++i) {
      rows_.push_back(program_.add_length_row(works[i + 1], program_.in_units(chains[i].others)));
      program_.program().set(rows_.back(), program_.makespan(), -1);
    }
  }

  Bound solve(const Countdown& countdown) {
    const bool minimal = program_.program().minimise(countdown);
    std::vector<Certificate::Units> flow{0};
    for (const auto row : rows_) flow.push_back(Certificate::units(-program_.program().dual(row)));
    Certificate certificate = program_.certificate();
    for (const WorkGroup& group : groups_) {
      certificate.add_work(instance_.costs.actual_row(group.row), group.tasks, flow[group.label]);
    }
    for (std::size_t i = 0; i < chains_.size(); ++i) certificate.add_flow(flow[i + 1], chains_[i].others);
    Bound bound = describe(certificate, flow, chains_, program_.use());
    bound.exact = minimal;
    return bound;
  }

 private:
  const Instance& instance_;
  std::span<const Chain> chains_;
  std::vector<WorkGroup> groups_;
  WorkProgram program_;
  std::vector<LinearProgram::Row> rows_;  ///< by chain
};

/// The same as a search over dual values: the classes and the chains are the resources.
class ChainedDualValues {
 public:
  ChainedDualValues(const Instance& instance, std::span<const Chain> chains)
      : instance_(instance), chains_(chains), groups_(group_tasks(instance, labels(instance, chains)).groups) {
    for (const ClassId c : instance.platform.classes()) capacity_.push_back(instance.platform.worker_count(c));
    capacity_.resize(capacity_.size() + chains.size(), 1.0);
  }

  Bound solve() {
    const DualPoint weighed = search_duals(capacity_, [this](auto duals, auto use) { choose(duals, use); });
    const std::size_t classes = instance_.platform.class_count();
    Certificate certificate(instance_.platform, std::span(weighed.duals).first(classes));
    std::vector<Certificate::Units> flow{0};
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      flow.push_back(Certificate::units(weighed.duals[classes + i]));
      certificate.add_flow(flow.back(), chains_[i].others);
    }
    for (const WorkGroup& group : groups_) {
      certificate.add_work(instance_.costs.actual_row(group.row), group.tasks, flow[group.label]);
    }
    Table<ClassId, double> use(classes);
    for (const ClassId c : use.ids()) use[c] = weighed.use[index(c)];
    return describe(certificate, flow, chains_, std::move(use));
  }

 private:
  /// Each group on the class where its work, and its place on a chain, cost least.
  void choose(std::span<const double> duals, std::span<double> use) const {
    const std::size_t classes = instance_.platform.class_count();
    for (std::size_t i = 0; i < chains_.size(); ++i) use[classes + i] = static_cast<double>(chains_[i].others);
    for (const WorkGroup& group : groups_) {
      const auto times = instance_.costs.actual_row(group.row);
      const double on_chain = group.label == 0 ? 0 : duals[classes + group.label - 1];
      std::size_t best = classes;
      double least = 0;
      for (std::size_t c = 0; c < classes; ++c) {
        if (times[c] == kCannotRun) continue;
        const double cost = (duals[c] + on_chain) * static_cast<double>(times[c]);
        if (best == classes || cost < least) best = c, least = cost;
      }
      const double work = static_cast<double>(times[best]) * static_cast<double>(group.tasks);
      use[best] += work;
      if (group.label > 0) use[classes + group.label - 1] += work;
    }
  }

  const Instance& instance_;
  std::span<const Chain> chains_;
  std::vector<WorkGroup> groups_;
  std::vector<double> capacity_;
};

}  // namespace

Bound chained_bound(const Instance& instance, std::span<const Chain> chains, const Countdown& countdown) {
  return ChainedProgram(instance, chains).solve(countdown);
}

Bound chained_bound_by_duals(const Instance& instance, std::span<const Chain> chains) {
  return ChainedDualValues(instance, chains).solve();
}

Bound quick_chained_bound(const Instance& instance, std::span<const Chain> chains, const Countdown& countdown) {
  constexpr std::size_t kManyRows = 2000;
  constexpr std::size_t kFewChains = 8;
  const bool by_duals = instance.costs.row_count() > kManyRows && chains.size() <= kFewChains;
  return by_duals ? chained_bound_by_duals(instance, chains) : chained_bound(instance, chains, countdown);
}

std::optional<Bound> mixed_bound(const Instance& instance, std::span<const Chain> chains, const Countdown& countdown) {
  if (chains.empty() && !countdown.over()) return std::nullopt;
  const Bound area = area_bound(instance);
  Bound bound = chains.empty() ? area : quick_chained_bound(instance, chains, countdown);
  // Where no chain binds, the solver's tolerance must not put this bound a picosecond below the area.
  bound.value = std::max(bound.value, area.value);
  bound.out_of_time = countdown.over();  // some chains may be missing, too
  bound.exact = bound.exact && !bound.out_of_time;
  return bound;
}

std::optional<Bound> mixed_bound(const Instance& instance, const Options& options) {
  const Countdown countdown(options.seconds, options.stop);
  return mixed_bound(instance, find_chains(instance, countdown), countdown);
}

}  // namespace heddle::bounds
