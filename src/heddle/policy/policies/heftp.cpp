#include <algorithm>

#include "heddle/policy/kit/placement/completion_time.hpp"
#include "heddle/policy/kit/ranks/acceleration.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// HEFT with priorities, as a runtime can have it: dmdas by its other name. It believes that a task that is put on a
/// GPU now will end soon, though more urgent tasks that come later pass it by; so GPUs collect work that CPUs could
/// have done in time. The corrections give a task to the CPU that would complete it first, if looking ahead says that
/// this is safe:
///
/// - let (local execution time): when that end is not later than the task's end with plain heftp from now on;
/// - gb (GPUs busy): when plain heftp from now on leaves no GPU idle until the task has ended on the CPU; otherwise it
///   goes to a GPU, even where plain heftp would have preferred the CPU;
/// - mms (minimum makespan): when plain heftp from now on then has the smaller makespan.
///
/// Each task costs simulations of a clone: for let and gb until the task has ended, for mms two to the end of the run.
class Heftp : public CompletionTime {
 public:
  enum class Correction : std::uint8_t { none, let, gb, mms };

  Heftp(Correction correction, Priority priority)
      : CompletionTime({.queues = Queues::priority, .data_aware = true, .nearest_first = true}),
        correction_(correction),
        priority_(priority) {}

  void start(const View& view) { CompletionTime::start(view, priorities(view, priority_)); }

  void ready(const View& view, std::span<const TaskId> tasks) {
    if (correction_ == Correction::none) {
      CompletionTime::ready(view, tasks);
    } else {
      undecided_.insert(undecided_.end(), tasks.begin(), tasks.end());
    }
  }

  /// Looking ahead is possible only here, so tasks wait for it undecided.
  [[nodiscard]] Action next(const View& view) {
    if (correction_ == Correction::none) {
      CompletionTime::ready(view, undecided_);
      undecided_.clear();
    }
    while (!undecided_.empty()) {
      const auto urgent =
          std::ranges::max_element(undecided_, {}, [&](TaskId task) { return std::pair(urgency(task), ~index(task)); });
      const TaskId task = *urgent;
      std::rotate(undecided_.begin(), urgent, urgent + 1);
      const Offer chosen = choose(view, task);
      undecided_.erase(undecided_.begin());
      put(view, task, chosen);
    }
    return CompletionTime::next(view);
  }

 private:
  /// Plain heftp from now on; it decides on all tasks that are undecided.
  [[nodiscard]] Heftp plain() const {
    Heftp clone = *this;
    clone.correction_ = Correction::none;
    return clone;
  }
  /// The same after the first of the undecided was put on a worker.
  [[nodiscard]] Heftp plain_after(const View& view, const Offer& offer) const {
    Heftp clone = plain();
    clone.undecided_.erase(clone.undecided_.begin());
    clone.put(view, undecided_.front(), offer);
    return clone;
  }

  /// The place for the first of the undecided.
  [[nodiscard]] Offer choose(const View& view, TaskId task) {
    const Offer gpu = best_offer(view, task, kGpu);
    const Offer plainly = best_offer(view, task);
    const Offer cpu = best_offer(view, task, kCpu);
    if (cpu.worker == kNone<WorkerId> || gpu.worker == kNone<WorkerId>) return plainly;
    const Lookahead& lookahead = *view.lookahead();
    if (correction_ == Correction::gb) {
      return lookahead.until(plain_after(view, cpu), task, {}).idled[kGpu] ? gpu : cpu;
    }
    if (plainly.worker == cpu.worker) return cpu;
    const bool safe = correction_ == Correction::let
                          ? cpu.end <= lookahead.until(plain(), task, {}).end
                          : lookahead.makespan(plain_after(view, cpu)) < lookahead.makespan(plain());
    return safe ? cpu : plainly;
  }

  Correction correction_;
  Priority priority_;
  std::vector<TaskId> undecided_;
};

}  // namespace

Entry heftp() {
  return {
      .name = "heftp",
      .summary = "dmdas, under its name in the literature on HEFT, with optional corrections that look ahead",
      .publication = "Kumar 2017, sections 3.6 and 3.6.1",
      .complexity =
          "O(n (w + log n) + e); a correction adds one or two simulations per task: for let and gb until the task "
          "ends, about 0.1 ms per task at 6,000 tasks and 0.4 ms at 45,000; for mms to the end of the run",
      .options = {choice("correction", "none", {"none", "let", "gb", "mms"},
                         "condition for moving a task to a CPU: it ends there no later than on the worker chosen first "
                         "(let), the GPUs stay busy until it ends (gb), or the makespan becomes smaller (mms)"),
                  priority_option()},
      .needs =
          [](const Options& options) {
            const bool looks_ahead = options.text("correction") != "none";
            return Needs{.two_classes = looks_ahead, .lookahead = looks_ahead};
          },
      .make =
          [](const Setup& setup) {
            const auto correction = static_cast<Heftp::Correction>(setup.options.choice("correction"));
            return Policy(Heftp(correction, chosen_priority(setup.options)));
          }};
}

}  // namespace heddle::policy
