#include "heddle/cli/auto_contexts.hpp"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/partition/watts.hpp"
#include "heddle/report/format.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::cli {
namespace {

/// With the fewest contexts: many small ones seldom help.
constexpr std::size_t kMostPartitions = 300;
/// A run that takes so many times as long, or as short, as simulated was not what it was believed to be.
constexpr double kFarOff = 1.5;

/// How long the machine is watched while no task runs.
constexpr std::chrono::milliseconds kIdle{500};

partition::Choice choose(const Instance& instance, std::uint64_t seed,
                         partition::Objective objective = partition::Objective::time) {
  return partition::choose(instance, partition::all_partitions(instance.platform, kMostPartitions).candidates,
                           {.policies = {"dmdas", "eager", "lws", "ws"}, .objective = objective, .seed = seed});
}

/// A runtime that has the tasks of a workload recorded.
class Recorded {
 public:
  using Assign = runtime::Runtime::Assign;

  /// `alone`: in contexts of one worker each.
  Recorded(const RunOptions& options, const ChosenWorkload& chosen, bool alone, const Assign& assign = {})
      : runtime_(config_of(options)) {
    if (alone) {
      for (const WorkerId worker : runtime_.platform().workers()) {
        const std::string& name = runtime_.platform().worker_name(worker);
        static_cast<void>(runtime_.context({.name = name, .workers = name}));
      }
    }
    Progress progress("data", 1);
    workload_ = chosen.entry->make(runtime_, chosen.options, options.seed, [&](double part) {
      check_interrupt();
      progress.show(part, fmt::format("{:.0f} %", 100 * part));
    });
    graph_ = runtime_.record([&] { workload_->submit(); }, assign);
  }

  [[nodiscard]] runtime::Runtime::Described describe() const { return runtime_.describe(*graph_); }
  void run() {
    runtime_.run(*graph_);
    Progress progress("calibration", graph_->size());
    runtime_.wait([&](std::uint64_t left) { progress.update(graph_->size() - left); });
  }
  /// The same, with what the counters of energy say before and meanwhile.
  [[nodiscard]] partition::CountedEnergy run_counted() {
    const Reading before = now();
    if (before.energy.counters.empty())
      throw InputError("--objective asks for energy, which cannot be measured: " + before.energy.missing);
    std::this_thread::sleep_for(kIdle);
    const Reading start = now();
    run();
    const Reading end = now();
    partition::CountedEnergy counted{.idle = since(before, start), .run = since(start, end), .busy_seconds = {}};
    const runtime::Trace trace = runtime_.trace();
    for (const ClassUse& use : class_use(trace.instance, trace.schedule))
      counted.busy_seconds.push_back(to_seconds(use.busy));
    return counted;
  }

 private:
  struct Reading {
    std::chrono::steady_clock::time_point time;
    runtime::Energy energy;
  };
  [[nodiscard]] Reading now() { return {std::chrono::steady_clock::now(), runtime_.energy()}; }
  static partition::CountedEnergy::Stretch since(const Reading& begin, const Reading& end) {
    partition::CountedEnergy::Stretch between{std::chrono::duration<double>(end.time - begin.time).count(), {}};
    for (std::size_t i = 0; i < end.energy.counters.size(); ++i) {
      const auto& [name, joules] = end.energy.counters[i];
      between.joules.emplace(name, joules - begin.energy.counters.at(i).joules);
    }
    return between;
  }
  static runtime::Config config_of(const RunOptions& options) {
    // Algorithms name their tasks for traces only, and tasks are known by their names in the run.
    runtime::Config config{.workers = options.workers, .seed = options.seed, .trace = true, .warn = warn};
    if (!options.history.empty()) config.history = options.history;
    return config;
  }

  runtime::Runtime runtime_;
  std::unique_ptr<RealWorkload> workload_;
  std::optional<runtime::Graph> graph_;
};

/// The tasks of each type go in turn to the workers that can run them, each of which is a context.
Recorded::Assign deal_evenly(const Instance& instance) {
  return [&instance](const TaskGraph& tasks, Contexts& contexts) {
    std::map<std::string_view, TaskId> known;
    for (const TaskId task : instance.graph.tasks()) known.emplace(instance.graph.name(task), task);
    Table<TypeId, std::size_t> next(tasks.type_count(), 0);
    for (const TaskId task : tasks.tasks()) {
      const TaskId there = known.at(tasks.name(task));
      std::size_t& worker = next[tasks.type(task)];
      do worker = (worker + 1) % contexts.all.size();
      while (!instance.costs.can_run(there, instance.platform.class_of(make_id<WorkerId>(worker))));
      contexts.of[task] = make_id<ContextId>(worker);
    }
  };
}

}  // namespace

Instance with_auto_contexts(Instance instance, std::uint64_t seed) {
  Contexts contexts = choose(instance, seed).contexts;
  return with_contexts(std::move(instance), std::move(contexts));
}

AutoContexts choose_for_run(const RunOptions& options, const ChosenWorkload& chosen) {
  AutoContexts found;
  runtime::Runtime::Described described = Recorded(options, chosen, false).describe();
  const partition::Objective objective = partition::parse_objective(options.objective);
  const bool counts = objective != partition::Objective::time;
  if (counts || !described.guessed.empty()) {
    Recorded calibration(options, chosen, true, deal_evenly(described.instance));
    partition::CountedEnergy counted;
    if (counts) {
      counted = calibration.run_counted();
    } else {
      calibration.run();
    }
    described = calibration.describe();
    Platform& platform = described.instance.platform;
    if (counts) platform = partition::with_counted_watts(platform, counted);
    found.calibrated = true;
  }
  Instance& instance = described.instance;
  instance.contexts = {};
  instance.name = options.workload;
  const partition::Choice choice = choose(instance, options.seed, objective);
  const partition::Row& best = choice.rows[choice.best];
  found.simulated = best.simulated.value();
  found.joules = best.joules;
  for (const Context& context : choice.contexts.all) {
    ContextRequest& request = found.requests.emplace_back(ContextRequest{.name = context.name});
    for (const WorkerId worker : context.workers) request.named.push_back(instance.platform.worker_name(worker));
    request.policy = context.policy;
  }
  for (const TaskId task : instance.graph.tasks())
    found.of.emplace(instance.graph.name(task), choice.contexts.all[choice.contexts.of[task]].name);
  found.text = fmt::format("contexts {}: {}", partition::describe(best.candidate, instance.platform), choice.reason);
  return found;
}

void assign_tasks(const AutoContexts& chosen, const TaskGraph& tasks, Contexts& contexts) {
  std::map<std::string_view, ContextId> ids;
  for (const ContextId context : contexts.all.ids()) ids.emplace(contexts.all[context].name, context);
  for (const TaskId task : tasks.tasks()) contexts.of[task] = ids.at(chosen.of.at(std::string(tasks.name(task))));
}

std::string reevaluate(const AutoContexts& chosen, double seconds) {
  const double ratio = seconds / chosen.simulated;
  if (ratio < kFarOff && ratio > 1 / kFarOff) return "";
  return fmt::format(
      "the run took {:.2g} times as long as expected; if that happens again, heddle history clear makes the next run "
      "measure all durations again",
      ratio);
}

}  // namespace heddle::cli
