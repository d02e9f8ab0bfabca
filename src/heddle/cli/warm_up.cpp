#include "heddle/cli/warm_up.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "heddle/cli/progress.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/threads/workers.hpp"

namespace heddle::cli {
namespace {

/// Gives every task to the device that has executed the fewest of its type, and to a core if no device can run it.
class EveryDevice {
 public:
  /// `is_device`: by class; the platform may have one class more, without workers.
  explicit EveryDevice(std::vector<bool> is_device) : is_device_(std::move(is_device)) {}

  void ready(const policy::View& /*view*/, std::span<const TaskId> tasks) {
    ready_.insert(ready_.end(), tasks.begin(), tasks.end());
  }
  void refused(const policy::View& /*view*/, policy::Action action) { ready_.push_front(action.task); }

  [[nodiscard]] policy::Action next(const policy::View& view) {
    for (auto task = ready_.begin(); task != ready_.end(); ++task) {
      const WorkerId worker = choose(view, *task);
      if (!view.is_idle(worker)) continue;
      const policy::Action action = policy::run(*task, worker);
      ++executed_[{view.graph().type(*task), worker}];
      ready_.erase(task);
      return action;
    }
    return policy::wait();
  }

 private:
  [[nodiscard]] WorkerId choose(const policy::View& view, TaskId task) {
    WorkerId chosen = kNone<WorkerId>;
    const auto is_better = [&](WorkerId worker) {
      if (!view.can_run(task, view.platform().class_of(worker))) return false;
      if (chosen == kNone<WorkerId> || is_device(view, worker) != is_device(view, chosen)) {
        return chosen == kNone<WorkerId> || is_device(view, worker);
      }
      const TypeId type = view.graph().type(task);
      return executed_[{type, worker}] < executed_[{type, chosen}];
    };
    for (const WorkerId worker : view.platform().workers()) {
      if (is_better(worker)) chosen = worker;
    }
    return chosen;
  }
  [[nodiscard]] bool is_device(const policy::View& view, WorkerId worker) const {
    const std::size_t number = index(view.platform().class_of(worker));
    return number < is_device_.size() && is_device_[number];
  }

  std::vector<bool> is_device_;
  std::deque<TaskId> ready_;
  std::map<std::pair<TypeId, WorkerId>, std::size_t> executed_;
};

}  // namespace

std::optional<double> warm_up_devices(const std::string& workers, const ChosenWorkload& chosen, std::uint64_t seed) {
  const std::vector<runtime::WorkerClass> classes = runtime::parse_workers(workers, runtime::cpu().cores);
  if (!chosen.entry->is_of_machine || std::ranges::none_of(classes, &runtime::WorkerClass::is_device))
    return std::nullopt;
  std::vector<bool> is_device;
  std::size_t devices = 0;
  for (const runtime::WorkerClass& one : classes) {
    is_device.push_back(one.is_device());
    if (one.is_device()) devices += one.workers;
  }
  const auto start = std::chrono::steady_clock::now();
  runtime::Config config{.workers = workers, .decider = EveryDevice(std::move(is_device))};
  config.history.emplace();  // an empty name: durations of first executions must not be believed
  runtime::Runtime runtime(config);
  const ChosenWorkload small = small_version(chosen);
  Progress progress("warm-up", devices);
  // Of some kernels a small workload has a few tasks only, so that one execution of it does not reach every device.
  for (std::size_t i = 0; i < devices; ++i) {
    const std::unique_ptr<RealWorkload> workload = small.entry->make(runtime, small.options, seed, {});
    workload->submit();
    runtime.wait([&](std::uint64_t) { progress.update(i); });
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace heddle::cli
