#include <algorithm>
#include <string>
#include <utility>

#include "heddle/model/countdown.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/search/chronological_search.hpp"
#include "heddle/search/search.hpp"

namespace heddle::search {
namespace {

void check(const Instance& instance, const Schedule& incumbent) {
  if (!instance.platform.links().empty()) {
    throw InputError("optimality is proved for free transfers, and the platform has links");
  }
  if (instance.graph.task_count() > kMaxProvableTasks) {
    throw InputError(instance.name + " has " + std::to_string(instance.graph.task_count()) +
                     " tasks; optimality is proved for at most " + std::to_string(kMaxProvableTasks));
  }
  const std::vector<std::string> violations = validate(instance, incumbent);
  if (!violations.empty()) throw InputError("the schedule to start from is not valid: " + violations.front());
}

class Prover {
 public:
  Prover(const Instance& instance, Schedule incumbent, Time lower_bound, const ProveOptions& options)
      : instance_(&instance),
        options_(&options),
        problem_(instance),
        duals_(problem_, incumbent.makespan()),
        schedule_(std::move(incumbent)),
        makespan_(schedule_.makespan()),
        lower_bound_(lower_bound),
        time_(options.seconds) {}

  Proof run();

 private:
  void refute_without_search();
  [[nodiscard]] bool search(Time deadline);
  [[nodiscard]] bool allow_node();
  void adopt(const std::vector<Placement>& placements);
  void raise_bound(Time lower_bound);
  void look_up();

  /// The first deadline is so far from the bound, measured by what lies between bound and makespan; the part doubles.
  static constexpr Time kFirstFraction = 256;
  /// Parts of the makespan in which deadlines are refuted without search.
  static constexpr Time kPrecision = 1 << 16;
  static constexpr std::uint64_t kNodesBetweenLooks = 64;

  const Instance* instance_;
  const ProveOptions* options_;
  ExactProblem problem_;
  Duals duals_;
  Schedule schedule_;
  Time makespan_;
  Time lower_bound_;
  std::uint64_t nodes_ = 0;
  bool ended_ = false;
  Countdown time_;
  const TimeWindows::Stop stop_ = [this] {
    look_up();
    return ended_;
  };
};

Proof Prover::run() {
  look_up();
  refute_without_search();
  // Fractions of what lies between bound and makespan.
  for (Time fraction = kFirstFraction; lower_bound_ < makespan_ && !ended_;
       fraction = std::max<Time>(1, fraction / 2)) {
    const Time deadline = lower_bound_ + (makespan_ - 1 - lower_bound_) / fraction;
    if (!search(deadline)) break;
  }
  return {std::move(schedule_), lower_bound_, nodes_};
}

/// The earliest deadline that windows alone do not refute, to a small part of the makespan.
void Prover::refute_without_search() {
  Time open = makespan_ - 1;
  const Time precision = makespan_ / kPrecision;
  while (open - lower_bound_ > precision && !ended_) {
    const Time deadline = lower_bound_ + (open - lower_bound_) / 2;
    if (TimeWindows(problem_, duals_).tighten(deadline, stop_)) {
      open = deadline;
      look_up();
    } else {
      raise_bound(deadline + 1);
    }
  }
}

/// False when it was stopped.
bool Prover::search(Time deadline) {
  TimeWindows windows(problem_, duals_);
  if (windows.shave(deadline, stop_)) {
    const auto found = [&](const std::vector<Placement>& placements) { adopt(placements); };
    ChronologicalSearch search(problem_, duals_, windows, deadline, options_->memory_bytes,
                               {.stop = [&] { return !allow_node(); }, .found = found});
    if (!search.run()) return false;
  }
  raise_bound(std::min(deadline + 1, makespan_));
  return true;
}

bool Prover::allow_node() {
  if (ended_ || nodes_ == options_->nodes) return false;
  ++nodes_;
  if (nodes_ % kNodesBetweenLooks == 0) look_up();
  return !ended_;
}

void Prover::raise_bound(Time lower_bound) {
  lower_bound_ = lower_bound;
  look_up();
}

void Prover::adopt(const std::vector<Placement>& placements) {
  Table<WorkerId, Time> free(instance_->platform.worker_count(), 0);
  schedule_.attempts.clear();
  for (const Placement& placement : placements) {
    const auto workers = instance_->platform.workers(problem_.class_id(placement.c));
    const WorkerId worker = *std::ranges::min_element(workers, {}, [&](WorkerId w) { return free[w]; });
    const Time end = placement.start + problem_.duration(placement.task, placement.c);
    free[worker] = end;
    schedule_.attempts.push_back({problem_.id(placement.task), worker, placement.start, end, Outcome::completed});
  }
  std::ranges::stable_sort(schedule_.attempts, {}, &Attempt::end);
  makespan_ = schedule_.makespan();
  look_up();
}

/// Tells the caller how things stand, and learns whether to go on.
void Prover::look_up() {
  if (time_.over()) ended_ = true;
  if (options_->progress && !options_->progress({makespan_, lower_bound_, nodes_})) ended_ = true;
}

}  // namespace

Proof prove(const Instance& instance, Schedule incumbent, Time lower_bound, const ProveOptions& options) {
  check(instance, incumbent);
  return Prover(instance, std::move(incumbent), lower_bound, options).run();
}

}  // namespace heddle::search
