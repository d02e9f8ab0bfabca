#include "heddle/adversary/adversary.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/model/random.hpp"
#include "heddle/sim/simulate.hpp"

namespace heddle::adversary {
namespace {

constexpr std::uint32_t kLongest = 1000;  ///< milliseconds

/// A task graph with durations, as a search changes it. A task waits for tasks of smaller numbers only.
class Genome {
 public:
  /// Durations are log-uniform; as many edges as make chains and width likely alike.
  Genome(std::size_t tasks, std::size_t classes, Random& random)
      : tasks_(tasks), classes_(classes), durations_(tasks * classes), edges_(tasks * tasks, false) {
    for (std::uint32_t& duration : durations_) duration = draw(random);
    const double density = random.uniform();
    for (std::size_t to = 0; to < tasks_; ++to) {
      for (std::size_t from = 0; from < to; ++from) edge(from, to) = random.uniform() * random.uniform() > density;
    }
  }

  void mutate(Random& random) {
    switch (random.below(5)) {
      case 0:
        return scale(durations_[random.below(durations_.size())], random);
      case 1:
        durations_[random.below(durations_.size())] = draw(random);
        return;
      case 2:
        return copy_durations(random.below(tasks_), random.below(tasks_));
      case 3:
        return swap_durations(random.below(tasks_), random.below(tasks_));
      default:
        return flip_edge(random);
    }
  }

  [[nodiscard]] std::size_t task_count() const { return tasks_; }
  [[nodiscard]] std::vector<bool>::reference edge(std::size_t from, std::size_t to) {
    return edges_[from * tasks_ + to];
  }

  [[nodiscard]] Instance instance(const Platform& platform) const {
    TaskGraphBuilder builder;
    for (std::size_t task = 0; task < tasks_; ++task) {
      builder.add_task("t" + std::to_string(task), builder.add_type("T" + std::to_string(task)));
    }
    for (std::size_t to = 0; to < tasks_; ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        if (edges_[from * tasks_ + to]) builder.add_edge(make_id<TaskId>(from), make_id<TaskId>(to));
      }
    }
    TaskGraph graph = builder.build();
    Costs costs(graph, classes_, [this](TypeId type, ClassId c) {
      return kMillisecond * Time{durations_[index(type) * classes_ + index(c)]};
    });
    return make_instance("adversary", std::move(graph), platform, std::move(costs));
  }

 private:
  [[nodiscard]] static std::uint32_t rounded(double duration) {
    return static_cast<std::uint32_t>(std::clamp(duration + 0.5, 1.0, double{kLongest}));
  }
  [[nodiscard]] static std::uint32_t draw(Random& random) {
    return rounded(deterministic_exp(random.uniform(0, deterministic_log(kLongest))));
  }
  static void scale(std::uint32_t& duration, Random& random) {
    duration = rounded(duration * deterministic_exp(random.uniform(-1, 1)));
  }
  void copy_durations(std::size_t from, std::size_t to) {
    for (std::size_t c = 0; c < classes_; ++c) durations_[to * classes_ + c] = durations_[from * classes_ + c];
  }
  /// The tasks keep their places in the graph; policies break ties by numbers.
  void swap_durations(std::size_t a, std::size_t b) {
    for (std::size_t c = 0; c < classes_; ++c) std::swap(durations_[a * classes_ + c], durations_[b * classes_ + c]);
  }
  void flip_edge(Random& random) {
    if (tasks_ < 2) return;
    const std::size_t to = 1 + random.below(tasks_ - 1);
    edge(random.below(to), to).flip();
  }

  std::size_t tasks_;
  std::size_t classes_;
  std::vector<std::uint32_t> durations_;  ///< in milliseconds, a row of all classes per task
  std::vector<bool> edges_;               ///< [from * tasks + to]
};

struct Evaluation {
  Time makespan = 0;
  Time rival = 1;

  /// Compared exactly, so that no rounding decides.
  [[nodiscard]] bool worse_than(const Evaluation& other) const {
    return TimeSum{makespan} * other.rival > TimeSum{other.makespan} * rival;
  }
  [[nodiscard]] double log_ratio() const {
    return deterministic_log(static_cast<double>(makespan) / static_cast<double>(rival));
  }
};

/// What is maximized.
class Objective {
 public:
  Objective(const Platform& platform, const policy::Spec& policy, const std::optional<policy::Spec>& against,
            std::uint64_t seed)
      : platform_(platform), policy_(policy), against_(against), config_{.seed = seed} {}

  [[nodiscard]] Evaluation operator()(const Genome& genome) const {
    const Instance instance = genome.instance(platform_);
    return {makespan(instance, policy_), against_ ? makespan(instance, *against_) : bound(instance)};
  }

 private:
  [[nodiscard]] Time makespan(const Instance& instance, const policy::Spec& spec) const {
    return policy::blaming_plugin(spec, [&] { return sim::simulate(instance, spec, config_).makespan(); });
  }
  [[nodiscard]] static Time bound(const Instance& instance) {
    constexpr std::array kKinds{bounds::Kind::critical_path, bounds::Kind::area, bounds::Kind::iterative};
    return bounds::compute(instance, kKinds).best();
  }

  const Platform& platform_;
  const policy::Spec& policy_;
  const std::optional<policy::Spec>& against_;
  sim::Config config_;
};

/// One annealing.
class Walk {
 public:
  Walk(std::size_t tasks, const Platform& platform, const Objective& objective, Random random)
      : objective_(objective),
        random_(random),
        present_(tasks, platform.class_count(), random_),
        value_(objective_(present_)),
        worst_(present_),
        worst_value_(value_) {}

  /// `done`: part of the walk, from 0 to 1, which cools down meanwhile. A step to an instance whose ratio is smaller by
  /// a factor f is taken with probability f^(1 / temperature).
  void step(double done) {
    constexpr double kHot = 0.1;
    constexpr double kCooling = -4.6;  // down to a hundredth
    Genome next = present_;
    next.mutate(random_);
    const Evaluation value = objective_(next);
    const double temperature = kHot * deterministic_exp(kCooling * done);
    const double loss = value_.log_ratio() - value.log_ratio();
    if (loss > 0 && random_.uniform() >= deterministic_exp(-loss / temperature)) return;
    present_ = std::move(next);
    value_ = value;
    if (!value_.worse_than(worst_value_)) return;
    worst_ = present_;
    worst_value_ = value_;
  }

  /// Drops the edges without which the worst instance is as bad.
  void simplify() {
    for (std::size_t to = 0; to < worst_.task_count(); ++to) {
      for (std::size_t from = 0; from < to; ++from) {
        if (!worst_.edge(from, to)) continue;
        Genome fewer = worst_;
        fewer.edge(from, to) = false;
        const Evaluation value = objective_(fewer);
        if (worst_value_.worse_than(value)) continue;
        worst_ = std::move(fewer);
        worst_value_ = value;
      }
    }
  }

  [[nodiscard]] const Genome& worst() const { return worst_; }
  [[nodiscard]] const Evaluation& worst_value() const { return worst_value_; }

 private:
  const Objective& objective_;
  Random random_;
  Genome present_;
  Evaluation value_;
  Genome worst_;
  Evaluation worst_value_;
};

void check_tasks(std::size_t tasks) {
  if (tasks >= 1 && tasks <= kMaxTasks) return;
  throw InputError("an adversary's instance has 1.." + std::to_string(kMaxTasks) + " tasks; found " +
                   std::to_string(tasks));
}

/// Throws InputError when the policy cannot take any instance on the machine.
void check_policy(const policy::Spec& spec, const Platform& platform) {
  Random random(0);
  const std::string objection = spec.objection(Genome(1, platform.class_count(), random).instance(platform));
  if (!objection.empty()) throw InputError(objection);
}

}  // namespace

WorstCase find_worst_case(const Platform& platform, const policy::Spec& policy,
                          const std::optional<policy::Spec>& against, const Options& options) {
  constexpr std::size_t kWalks = 8;
  check_tasks(options.tasks);
  check_policy(policy, platform);
  if (against) check_policy(*against, platform);
  const Objective objective(platform, policy, against, options.seed);
  const std::uint64_t steps = std::max<std::uint64_t>(options.evaluations / kWalks, 1);
  std::vector<std::optional<Walk>> walks(kWalks);
  std::atomic<std::uint64_t> evaluated = 0;
  std::atomic<double> largest = 1;
  const auto stopped = [&] { return options.stop && options.stop(); };
  const auto walk = [&](std::size_t number) {
    Walk& own = walks[number].emplace(options.tasks, platform, objective, Random(options.seed, number));
    for (std::uint64_t i = 0; i < steps && !stopped(); ++i) {
      own.step(static_cast<double>(i) / static_cast<double>(steps));
      ++evaluated;
      const double ratio =
          static_cast<double>(own.worst_value().makespan) / static_cast<double>(own.worst_value().rival);
      for (double known = largest; ratio > known && !largest.compare_exchange_weak(known, ratio);) {
      }
    }
    own.simplify();
  };
  const auto progress = [&](std::size_t) {
    if (!options.progress) return;
    options.progress({.done = static_cast<double>(evaluated) / static_cast<double>(steps * kWalks), .ratio = largest});
  };
  parallel_for(kWalks, options.threads, walk, progress);
  const Walk* worst = nullptr;
  for (const std::optional<Walk>& one : walks) {
    if (worst == nullptr || one->worst_value().worse_than(worst->worst_value())) worst = &*one;
  }
  return {.instance = worst->worst().instance(platform),
          .makespan = worst->worst_value().makespan,
          .rival = worst->worst_value().rival,
          .evaluations = evaluated};
}

}  // namespace heddle::adversary
