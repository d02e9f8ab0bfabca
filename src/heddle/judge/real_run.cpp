#include "heddle/judge/real_run.hpp"

#include <algorithm>
#include <utility>

#include "heddle/analysis/chain.hpp"
#include "heddle/model/random.hpp"

namespace heddle::judge {
namespace {

using analysis::Cause;

/// What each task lost to data or overhead on its worker before it ran, of a recording without transfers.
Table<TaskId, Time> overhead_of_recording(const Instance& instance, const Schedule& schedule,
                                          const analysis::Losses& losses) {
  std::vector<const Attempt*> attempts;
  for (const Attempt& attempt : schedule.attempts) attempts.push_back(&attempt);
  std::ranges::stable_sort(attempts, {}, [](const Attempt* a) { return std::pair(a->worker, a->start); });
  Table<TaskId, Time> overhead(instance.graph.task_count(), 0);
  auto next = attempts.cbegin();
  for (const WorkerId worker : instance.platform.workers()) {
    const std::vector<analysis::Span> spans = losses.spans(worker);
    auto span = spans.cbegin();
    for (; next != attempts.cend() && (*next)->worker == worker; ++next) {
      for (; span != spans.cend() && span->time.start < (*next)->start; ++span) {
        const bool for_data = span->cause == Cause::data && instance.platform.links().empty();
        if (span->cause != Cause::data_or_overhead && !for_data) continue;
        overhead[(*next)->task] += span->time.end - span->time.start;
      }
    }
  }
  return overhead;
}

/// How long each task waited although its predecessors, its worker and its data were ready, of a run with transfers.
Table<TaskId, Time> overhead_of_run(const Instance& instance, const Schedule& schedule) {
  const std::vector<analysis::WaitedFor> waits = analysis::waited_for(instance, schedule);
  Table<TaskId, Time> overhead(instance.graph.task_count(), 0);
  for (std::size_t i = 0; i < schedule.attempts.size(); ++i) {
    const Attempt& attempt = schedule.attempts[i];
    if (attempt.outcome != Outcome::completed) continue;
    const Time since = waits[i].attempt ? schedule.attempts[*waits[i].attempt].end : 0;
    overhead[attempt.task] = std::max<Time>(0, attempt.start - since - waits[i].for_data);
  }
  return overhead;
}

struct Mean {
  TimeSum total = 0;
  TimeSum count = 0;

  void add(Time time) { total += time, ++count; }
  /// 0 of nothing.
  [[nodiscard]] Time value() const { return count == 0 ? 0 : static_cast<Time>(total / count); }
};

/// The place of the task's type on the class, among all types and classes.
std::size_t place(const Instance& instance, TaskId task, ClassId c) {
  return index(instance.graph.type(task)) * instance.platform.class_count() + index(c);
}

/// Policies know no more of a task than the mean of its type.
void estimate_by_type(Instance& instance) {
  std::vector<Mean> means(instance.graph.type_count() * instance.platform.class_count());
  for (const TaskId task : instance.graph.tasks()) {
    for (const ClassId c : instance.platform.classes()) {
      if (instance.costs.can_run(task, c)) means[place(instance, task, c)].add(instance.costs.actual(task, c));
    }
  }
  for (const TaskId task : instance.graph.tasks()) {
    const std::uint32_t row = instance.costs.own_row(task);
    for (const ClassId c : instance.platform.classes()) {
      if (instance.costs.can_run(task, c)) instance.costs.set_estimate(row, c, means[place(instance, task, c)].value());
    }
  }
}

/// Every task takes longer by its overhead on the class that ran it, and elsewhere by the mean of the tasks that ran
/// there.
Instance with_overhead(const Instance& instance, const Schedule& schedule, const Table<TaskId, Time>& overhead) {
  Table<ClassId, Mean> means(instance.platform.class_count());
  for (const Attempt& attempt : schedule.attempts) {
    if (attempt.outcome != Outcome::completed) continue;
    means[instance.platform.class_of(attempt.worker)].add(overhead[attempt.task]);
  }
  Instance slower = instance;
  for (const Attempt& attempt : schedule.attempts) {
    if (attempt.outcome != Outcome::completed) continue;
    const std::uint32_t row = slower.costs.own_row(attempt.task);
    for (const ClassId c : slower.platform.classes()) {
      const Time duration = instance.costs.actual(attempt.task, c);
      if (duration == kCannotRun) continue;
      const bool ran_here = c == slower.platform.class_of(attempt.worker);
      slower.costs.set_actual(row, c, duration + (ran_here ? overhead[attempt.task] : means[c].value()));
    }
  }
  estimate_by_type(slower);
  return slower;
}

/// What the tasks that a run completed take in its model.
class Seen {
 public:
  Seen(const Instance& model, const Schedule& schedule)
      : model_(model),
        of_type_(model.graph.type_count() * model.platform.class_count()),
        of_class_(model.platform.class_count()) {
    std::vector<Mean> means(of_type_.size());
    for (const Attempt& attempt : schedule.attempts) {
      if (attempt.outcome != Outcome::completed) continue;
      const ClassId c = model.platform.class_of(attempt.worker);
      const Time duration = model.costs.actual(attempt.task, c);
      of_type_[place(model, attempt.task, c)].push_back(duration);
      means[place(model, attempt.task, c)].add(duration);
    }
    for (const Attempt& attempt : schedule.attempts) {
      if (attempt.outcome != Outcome::completed) continue;
      const ClassId c = model.platform.class_of(attempt.worker);
      const Time mean = means[place(model, attempt.task, c)].value();
      if (mean == 0) continue;
      of_class_[c].push_back(static_cast<double>(model.costs.actual(attempt.task, c)) / static_cast<double>(mean));
    }
  }

  /// How long the task, which the class can run, takes there this time.
  [[nodiscard]] Time draw(TaskId task, ClassId c, Random random) const {
    const std::vector<Time>& same = of_type_[place(model_, task, c)];
    if (!same.empty()) return same[random.below(same.size())];
    const Time duration = model_.costs.actual(task, c);
    const std::vector<double>& factors = of_class_[c];
    if (factors.empty()) return duration;
    const double factor = std::min(factors[random.below(factors.size())], kMost);
    return static_cast<Time>(static_cast<double>(duration) * factor);
  }

 private:
  /// An instance leaves room for times so much longer.
  static constexpr double kMost = 16;

  const Instance& model_;
  std::vector<std::vector<Time>> of_type_;        ///< by type and class
  Table<ClassId, std::vector<double>> of_class_;  ///< as parts of the mean of their type there
};

}  // namespace

bool really_happened(const Schedule& schedule) {
  std::vector<Time> ends{0};
  for (const Attempt& attempt : schedule.attempts) ends.push_back(attempt.end);
  for (const Transfer& transfer : schedule.transfers) ends.push_back(transfer.end);
  for (const WorkerMove& move : schedule.moves) ends.push_back(move.at);
  std::ranges::sort(ends);
  const auto late = std::ranges::count_if(
      schedule.attempts, [&](const Attempt& attempt) { return !std::ranges::binary_search(ends, attempt.start); });
  constexpr std::ptrdiff_t kSome = 20;  // one in so many
  return kSome * late > static_cast<std::ptrdiff_t>(schedule.attempts.size());
}

Instance with_overhead_of_run(const Instance& instance, const Schedule& schedule) {
  return with_overhead(instance, schedule, overhead_of_run(instance, schedule));
}

Instance with_overhead_of_recording(const Instance& instance, const Schedule& schedule,
                                    const analysis::Losses& losses) {
  return with_overhead(instance, schedule, overhead_of_recording(instance, schedule, losses));
}

std::vector<Instance> with_drawn_durations(const Instance& model, const Schedule& schedule, std::size_t count) {
  const Seen seen(model, schedule);
  std::vector<Instance> drawn(count, model);
  for (std::size_t i = 0; i < count; ++i) {
    for (const TaskId task : model.graph.tasks()) {
      const std::uint32_t row = drawn[i].costs.own_row(task);
      for (const ClassId c : model.platform.classes()) {
        if (!model.costs.can_run(task, c)) continue;
        drawn[i].costs.set_actual(row, c, seen.draw(task, c, Random(i, index(task), index(c))));
      }
    }
  }
  return drawn;
}

}  // namespace heddle::judge
