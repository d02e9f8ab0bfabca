#include <algorithm>
#include <limits>

#include "heddle/model/random.hpp"
#include "heddle/policy/kit/queues/work_stealing.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// XKaapi's locality-aware work stealing: a ready task is pushed to a worker whose memory suits its data, and an idle
/// worker steals the oldest task that it can run from a victim drawn at random.
///
/// `volume` pushes to where the most bytes that the task reads are already; `writes`, the owner-computes rule, to where
/// its writes invalidate the fewest copies. Workers that are equally good are drawn from. Where data does not move all
/// memories are alike, and a task waits for the worker that released it, as with `none`.
class XkaapiWs {
 public:
  enum class Locality : std::uint8_t { none, volume, writes };

  XkaapiWs(Locality locality, std::uint64_t seed) : locality_(locality), random_(seed) {}

  void start(const View& view) { queues_.start(view); }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) queues_.push(view, task, destination(view, task), arrivals_++);
  }

  void finished(const View&, std::span<const Completion> completions) { queues_.finished(completions); }

  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) ready(view, std::span(&action.task, 1));
  }

  void workers_changed(const View& view) { ready(view, queues_.take_unassigned(view)); }

  [[nodiscard]] Action next(const View& view) {
    return queues_.serve(view, [&](WorkerId thief) {
      return draw(view, [&](WorkerId victim) { return queues_.loot(view, victim, thief) > 0; });
    });
  }

 private:
  [[nodiscard]] WorkerId destination(const View& view, TaskId task) {
    if (locality_ == Locality::none || !view.moves_data() || view.graph().accesses(task).empty()) {
      return queues_.releaser(view, task);
    }
    Table<MemoryId, std::int64_t> penalty(view.platform().memories().size());
    for (const MemoryId memory : penalty.ids()) {
      penalty[memory] =
          locality_ == Locality::volume ? view.missing_bytes(task, memory) : invalidations(view, task, memory);
    }
    const auto fits = [&](WorkerId worker) {
      return view.is_available(worker) && view.can_run(task, view.platform().class_of(worker));
    };
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const WorkerId worker : view.platform().workers()) {
      if (fits(worker)) least = std::min(least, penalty[view.memory_of(worker)]);
    }
    return draw(view, [&](WorkerId worker) { return fits(worker) && penalty[view.memory_of(worker)] == least; });
  }

  /// How many copies in other memories the task would make invalid if it ran beside this one.
  [[nodiscard]] static std::int64_t invalidations(const View& view, TaskId task, MemoryId memory) {
    std::int64_t copies = 0;
    for (const Access access : view.graph().accesses(task)) {
      if (access.mode == AccessMode::read) continue;
      for (const MemoryId other : view.platform().memories().ids()) {
        if (other != memory && view.holds(access.data, other)) ++copies;
      }
    }
    return copies;
  }

  /// One of the workers that satisfy a condition, each as likely as the others; kNone when there is none.
  template <class Condition>
  [[nodiscard]] WorkerId draw(const View& view, const Condition& condition) {
    std::uint64_t candidates = 0;
    for (const WorkerId worker : view.platform().workers()) candidates += condition(worker) ? 1 : 0;
    if (candidates == 0) return kNone<WorkerId>;
    std::uint64_t skip = random_.below(candidates);
    for (const WorkerId worker : view.platform().workers()) {
      if (condition(worker) && skip-- == 0) return worker;
    }
    return kNone<WorkerId>;
  }

  Locality locality_;
  Random random_;
  WorkStealing queues_;
  std::int64_t arrivals_ = 0;
};

}  // namespace

Entry xkaapi_ws() {
  return {
      .name = "xkaapi-ws",
      .summary = "Work stealing from random victims; each ready task is pushed to the worker closest to its data",
      .publication = "Gautier, Lima, Maillard and Raffin 2013, doi:10.1109/IPDPS.2013.66; Kumar 2017, section 1.1.6",
      .complexity = "O(n (w + log n) + e)",
      .options = {choice(
          "locality", "volume", {"none", "volume", "writes"},
          "target of a ready task: the worker that released it (none), the one closest to most of the bytes that it "
          "reads (volume), or the one where its writes invalidate the fewest copies (writes)")},
      .needs = [](const Options&) { return Needs{}; },
      .make =
          [](const Setup& setup) {
            const auto locality = static_cast<XkaapiWs::Locality>(setup.options.choice("locality"));
            return Policy(XkaapiWs(locality, setup.seed));
          }};
}

}  // namespace heddle::policy
