#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/workload/generators.hpp"

/// The fork-join applications of M. Amaris, G. Lucarelli, C. Mommessin, D. Trystram, "Generic algorithms for scheduling
/// applications on hybrid multi-core machines" (Euro-Par 2017, doi:10.1007/978-3-319-64203-1_16), which the papers on
/// HeteroPrioDep use too: a sequential start, then phases of parallel tasks that each end in a sequential join.
///
/// Every task draws a CPU time from N(p, p/4) seconds, p being the number of phases, again if below p/20, and a factor
/// CPU time / GPU time from U[0.5, 50]; but 5 % of the parallel tasks of a phase, which ones is drawn too, have a
/// factor from U[0.1, 0.5]: they are faster on the CPU.
namespace heddle::workload {
namespace {

enum Purpose : std::uint64_t { kDurations, kWhichAreSlow };

class ForkJoin {
 public:
  ForkJoin(const Options& options, const Machine& machine)
      : options_(options),
        machine_(machine),
        width_(options.integer("width")),
        phases_(options.integer("phases")),
        serial_(builder_.add_type("SERIAL")),
        parallel_(builder_.add_type("PARALLEL")) {}

  Instance build() {
    TaskId last = add("start", serial_, false);
    for (std::uint64_t phase = 0; phase < phases_; ++phase) last = add_phase(phase, last);
    TaskGraph graph = builder_.build();
    Costs costs(graph, machine_.classes.size());
    for (const TaskId task : graph.tasks()) {
      const std::uint32_t row = costs.own_row(task);
      costs.set_actual(row, ClassId{0}, durations_[task].cpu);
      costs.set_actual(row, ClassId{1}, durations_[task].gpu);
    }
    return make_instance("", std::move(graph), platform_of(machine_), std::move(costs));
  }

 private:
  struct Duration {
    Time cpu = 0;
    Time gpu = 0;
  };

  /// The join of the phase.
  TaskId add_phase(std::uint64_t phase, TaskId before) {
    const std::string number = std::to_string(phase);
    const std::vector<bool> slow = draw_slow(phase);
    std::vector<TaskId> tasks;
    for (std::uint64_t i = 0; i < width_; ++i) {
      tasks.push_back(add("task(" + number + "," + std::to_string(i) + ")", parallel_, slow[i]));
      builder_.add_edge(before, tasks.back());
    }
    const TaskId join = add("join(" + number + ")", serial_, false);
    for (const TaskId task : tasks) builder_.add_edge(task, join);
    return join;
  }

  TaskId add(const std::string& name, TypeId type, bool slow_on_gpu) {
    const TaskId task = builder_.add_task(name, type);
    Random random = draws(options_, Stream::fork_join, kDurations, index(task));
    const auto mean = static_cast<double>(phases_);
    double cpu = 0;
    do {
      cpu = mean + mean / 4 * random.normal();
    } while (cpu < mean / 20);
    const double factor = slow_on_gpu ? random.uniform(0.1, 0.5) : random.uniform(0.5, 50);
    durations_.push_back({to_time(cpu), to_time(cpu / factor)});
    return task;
  }

  /// Which tasks of a phase are slow on the GPU: every choice of 5 % of them is equally likely.
  [[nodiscard]] std::vector<bool> draw_slow(std::uint64_t phase) const {
    Random random = draws(options_, Stream::fork_join, kWhichAreSlow, phase);
    std::vector<bool> slow(width_, false);
    std::uint64_t wanted = (width_ + 10) / 20;
    for (std::uint64_t i = 0; i < width_; ++i) {
      if (random.below(width_ - i) >= wanted) continue;
      slow[i] = true;
      --wanted;
    }
    return slow;
  }

  const Options& options_;
  const Machine& machine_;
  std::uint64_t width_;
  std::uint64_t phases_;
  TaskGraphBuilder builder_;
  TypeId serial_;
  TypeId parallel_;
  Table<TaskId, Duration> durations_;
};

Instance make_fork_join(const Options& options, const Machine& machine) {
  if (machine.classes.size() != 2) {
    std::string names;
    for (const ResourceClass& c : machine.classes) names += (names.empty() ? "" : ", ") + c.name;
    throw InputError(options.owner() +
                     " draws a CPU and a GPU time for each task and needs a platform of exactly two " + "classes; '" +
                     machine.name + "' has " + (names.empty() ? "none" : names));
  }
  check_task_count(options, options.integer("phases") * (options.integer("width") + 1) + 1);
  return ForkJoin(options, machine).build();
}

}  // namespace

Entry fork_join() {
  return {"fork-join",
          "Phases of independent tasks between sequential ones, with random durations for two classes.",
          {integer("width", "300", 1, 1'000'000, "Parallel tasks in a phase."),
           integer("phases", "20", 1, 100'000, "Number of phases; also the mean CPU time of a task in seconds."),
           seed_option()},
          make_fork_join};
}

}  // namespace heddle::workload
