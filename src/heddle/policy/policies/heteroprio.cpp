#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/policy/kit/placement/spoliation.hpp"
#include "heddle/policy/kit/queues/class_queues.hpp"
#include "heddle/policy/kit/ranks/acceleration.hpp"
#include "heddle/policy/kit/ranks/affinity.hpp"
#include "heddle/policy/kit/ranks/type_lists.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// HeteroPrio with a bucket of ready tasks per acceleration factor, or per type as lists by hand say. An idle GPU looks
/// into them from the highest factor down and takes the most urgent task; an idle CPU goes the other way and takes the
/// least urgent one. Corrections bring progress back; each contains those before it. Section 3.7.2 states them for
/// Cholesky; for any graph, "DPOTRF" are the tasks with Affinity::cpu and "DTRSM" those with Affinity::between:
///   sp     a GPU for which nothing is ready spoliates the most urgent task that it would end earlier than its CPU;
///   cgv    GPUs have a combined view of the buckets of all other tasks than DPOTRF: the most urgent first;
///   pp     when a DPOTRF becomes ready and finds no idle worker, the least urgent task on a CPU, if it is less urgent
///          and no DPOTRF itself, is preempted and the DPOTRF takes its place;
///   pc     a GPU leaves its ready task for a more urgent one on a CPU that it would end earlier, and spoliates that;
///   pcep   the same, but it leaves a DPOTRF where it is;
///   pcept  the same, and a DTRSM too.
/// The section gives pc twice: as its aim, that no GPU picks a task less urgent than one on a CPU, and as a rule that
/// asks whether any ready task at all is more urgent than all on CPUs. By default the aim decides: what counts is the
/// task that the GPU would pick. With `constraint=ready` the rule decides: a GPU spoliates only what is more urgent
/// than every ready task that it may take. In both readings tasks that are excepted, or that the GPU would not end
/// earlier, are left where they are and not compared.
class HeteroPrio {
 public:
  enum class Correction : std::uint8_t { none, sp, cgv, pp, pc, pcep, pcept };

  /// What the priority constraint compares with a task on a CPU: the ready task that the GPU would pick, or all.
  enum class Constraint : std::uint8_t { picked, ready };

  HeteroPrio(Correction correction, Constraint constraint, Priority priority, std::string lists)
      : correction_(correction), constraint_(constraint), priority_(priority), lists_(std::move(lists)) {}

  void start(const View& view) {
    const Instance& instance = view.instance();
    Buckets buckets = lists_.empty() ? by_factor(instance) : by_hand(instance);
    std::vector<Affinity> affinity = affinities(instance);
    if (corrects(Correction::cgv)) combine(buckets, affinity);
    queues_.start(view, std::move(buckets.orders), priorities(view, priority_));
    affinities_ = std::make_shared<const Affinities>(Affinities{std::move(affinity), std::move(buckets.slowdowns)});
    starving_.start(view);
    outranked_.start(view);
    workers_changed(view);
  }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) {
      queues_.push(view, task);
      if (corrects(Correction::pp) && affinity(view, task) == Affinity::cpu) arrived_.push_back(task);
    }
  }

  void started(const View& view, TaskId, WorkerId worker) {
    starving_.started(view, worker);
    outranked_.started(view, worker);
  }

  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) queues_.push(view, action.task);
    if (action.kind == Action::Kind::preempt) promised_ = wait();
  }

  void workers_changed(const View& view) {
    available_.assign(view.platform().class_count(), 0);
    for (const WorkerId worker : view.platform().workers()) {
      available_[view.platform().class_of(worker)] += view.is_available(worker) ? 1 : 0;
    }
  }

  [[nodiscard]] Action next(const View& view) {
    if (const Action kept = std::exchange(promised_, wait()); kept.kind == Action::Kind::run) {
      if (queues_.holds(kept.task) && view.is_idle(kept.worker)) return take(view, kept.task, kept.worker);
    }
    for (const ClassId here : {kGpu, kCpu}) {
      const WorkerId worker = view.first_idle(here);
      if (worker == kNone<WorkerId>) continue;
      const Action action = serve(view, here, worker);
      if (action.kind != Action::Kind::wait) return action;
    }
    return make_room(view);
  }

 private:
  /// How each class goes through its buckets, and how long it leaves them to the other class.
  struct Buckets {
    Table<ClassId, ClassOrder> orders;  ///< a queue per bucket
    /// By queue: the class looks into it only while so many tasks per worker of the other class wait there; 0: always.
    Table<ClassId, std::vector<double>> slowdowns;
  };

  /// What never changes during a run; clones share it.
  struct Affinities {
    std::vector<Affinity> affinity;                 ///< by cost row
    Table<ClassId, std::vector<double>> slowdowns;  ///< Buckets::slowdowns
  };

  [[nodiscard]] bool corrects(Correction correction) const { return correction_ >= correction; }
  [[nodiscard]] Affinity affinity(const View& view, TaskId task) const {
    return affinities_->affinity[view.instance().costs.row(task)];
  }

  [[nodiscard]] static Buckets by_factor(const Instance& instance) {
    const AccelerationRanks ranks(instance);
    Buckets buckets{Table<ClassId, ClassOrder>(2), Table<ClassId, std::vector<double>>(2)};
    for (const ClassId c : {kCpu, kGpu}) {
      buckets.orders[c].urgent_first = c == kGpu;
      buckets.slowdowns[c].assign(ranks.count(), 0.0);
      for (std::uint32_t row = 0; row < instance.costs.row_count(); ++row) {
        const bool runs = instance.costs.estimate_row(row)[index(c)] != kCannotRun;
        const std::uint32_t queue = c == kGpu ? ranks.rank(row) : ranks.count() - 1 - ranks.rank(row);
        buckets.orders[c].queue_of_row.push_back(runs ? queue : ClassOrder::kNever);
      }
    }
    return buckets;
  }

  [[nodiscard]] Buckets by_hand(const Instance& instance) const {
    const std::string owner = "policy 'heteroprio': option 'lists'";
    const TypeLists lists = parse_type_lists(instance, lists_, owner);
    Buckets buckets{Table<ClassId, ClassOrder>(2), Table<ClassId, std::vector<double>>(2)};
    for (const ClassId c : {kCpu, kGpu}) {
      std::vector<std::uint32_t> queue_of_type(instance.graph.type_count(), ClassOrder::kNever);
      for (const ListedType& listed : lists[c]) {
        queue_of_type[index(listed.type)] = static_cast<std::uint32_t>(buckets.slowdowns[c].size());
        buckets.slowdowns[c].push_back(listed.slowdown);
      }
      buckets.orders[c] = {std::vector<std::uint32_t>(instance.costs.row_count(), ClassOrder::kNever), c == kGpu};
      for (const TaskId task : instance.graph.tasks()) {
        if (!instance.costs.can_run(task, c)) continue;
        buckets.orders[c].queue_of_row[instance.costs.row(task)] = queue_of_type[index(instance.graph.type(task))];
      }
    }
    check_slowdowns(instance, buckets, owner);
    return buckets;
  }

  /// A class may wait for the other one only where that one takes the tasks, and does not wait for the first.
  static void check_slowdowns(const Instance& instance, const Buckets& buckets, const std::string& owner) {
    const auto waits = [&](ClassId c, std::uint32_t row) {
      const std::uint32_t queue = buckets.orders[c].queue_of_row[row];
      return queue == ClassOrder::kNever || buckets.slowdowns[c][queue] > 0;
    };
    for (const TaskId task : instance.graph.tasks()) {
      const std::uint32_t row = instance.costs.row(task);
      if (!waits(kCpu, row) || !waits(kGpu, row)) continue;
      throw InputError(owner + " has a slowdown for type '" +
                       std::string(instance.graph.type_name(instance.graph.type(task))) +
                       "'; expected the other class to serve it without one");
    }
  }

  /// Puts all that is not for CPUs into the first of the GPUs' buckets with such tasks; the least slowdown holds.
  static void combine(Buckets& buckets, const std::vector<Affinity>& affinity) {
    std::vector<std::uint32_t>& queue_of_row = buckets.orders[kGpu].queue_of_row;
    std::uint32_t first = ClassOrder::kNever;
    for (std::uint32_t row = 0; row < affinity.size(); ++row) {
      if (affinity[row] != Affinity::cpu) first = std::min(first, queue_of_row[row]);
    }
    for (std::uint32_t row = 0; row < affinity.size(); ++row) {
      std::uint32_t& queue = queue_of_row[row];
      if (affinity[row] == Affinity::cpu || queue == ClassOrder::kNever) continue;
      double& slowdown = buckets.slowdowns[kGpu][first];
      slowdown = std::min(slowdown, buckets.slowdowns[kGpu][queue]);
      queue = first;
    }
  }

  [[nodiscard]] Action take(const View& view, TaskId task, WorkerId worker) {
    queues_.take(view, task);
    return run(task, worker);
  }

  [[nodiscard]] Action serve(const View& view, ClassId here, WorkerId worker) {
    const TaskId task = offered(here);
    if (view.asks_ahead()) return suits(view, here, task) ? take(view, task, worker) : wait();
    if (here == kGpu && corrects(Correction::sp)) {
      const TaskId victim = find_victim(view, task, worker);
      if (victim != kNone<TaskId>) return restart(victim, worker);
    }
    return task == kNone<TaskId> ? wait() : take(view, task, worker);
  }

  /// The task that a class takes next, buckets left out that are still to be left to the other class.
  [[nodiscard]] TaskId offered(ClassId here) {
    const std::uint32_t others = available_[here == kCpu ? kGpu : kCpu];
    return queues_.front(here, [&](std::uint32_t queue, std::uint32_t waiting) {
      return waiting >= affinities_->slowdowns[here][queue] * others;
    });
  }

  /// Ahead of time only what suits the worker: the rest may still find a better one.
  [[nodiscard]] static bool suits(const View& view, ClassId here, TaskId task) {
    return task != kNone<TaskId> && view.estimate(task, here) <= view.estimate(task, here == kCpu ? kGpu : kCpu);
  }

  /// The task on a CPU that a GPU spoliates rather than run the task it is offered, which may be none.
  [[nodiscard]] TaskId find_victim(const View& view, TaskId offered, WorkerId gpu) {
    const auto more_urgent = [&](WorkerId a, WorkerId b) {
      return queues_.more_urgent(view.running(a), view.running(b));
    };
    const auto takes = [&](TaskId task) { return queues_.queue_of(view, kGpu, task) != ClassOrder::kNever; };
    if (offered == kNone<TaskId>) {
      return starving_.find(view, gpu, [&](TaskId task, ClassId) { return takes(task); }, more_urgent);
    }
    if (!corrects(Correction::pc)) return kNone<TaskId>;
    const TaskId victim = outranked_.find(
        view, gpu, [&](TaskId task, ClassId) { return takes(task) && !excepted(view, task); }, more_urgent);
    if (victim == kNone<TaskId>) return victim;
    const bool all_ready = constraint_ == Constraint::ready;
    const std::int64_t bar = all_ready ? queues_.highest_priority(kGpu) : queues_.priority(offered);
    return queues_.priority(victim) > bar ? victim : kNone<TaskId>;
  }

  /// Whether the priority constraint leaves the task alone.
  [[nodiscard]] bool excepted(const View& view, TaskId task) const {
    switch (affinity(view, task)) {
      case Affinity::cpu:
        return corrects(Correction::pcep);
      case Affinity::between:
        return corrects(Correction::pcept);
      case Affinity::gpu:
        break;
    }
    return false;
  }

  /// Preempts a CPU's task for the most urgent of the tasks for CPUs that have just become ready.
  [[nodiscard]] Action make_room(const View& view) {
    if (view.asks_ahead()) return wait();
    if (view.has_idle(kCpu) || view.has_idle(kGpu)) arrived_.clear();
    std::erase_if(arrived_, [&](TaskId task) { return !queues_.holds(task) || !view.can_run(task, kCpu); });
    if (arrived_.empty()) return wait();
    const auto urgent =
        std::ranges::min_element(arrived_, [&](TaskId a, TaskId b) { return queues_.more_urgent(a, b); });
    const WorkerId worker = least_urgent(view, *urgent);
    if (worker == kNone<WorkerId>) {
      arrived_.clear();
      return wait();
    }
    promised_ = run(*urgent, worker);
    arrived_.erase(urgent);
    return preempt(view.running(worker));
  }

  /// The CPU with the least urgent task, among those with a task of lower priority than the given one that is not
  /// itself for CPUs.
  [[nodiscard]] WorkerId least_urgent(const View& view, TaskId than) const {
    WorkerId best = kNone<WorkerId>;
    for (const WorkerId worker : view.platform().workers(kCpu)) {
      const TaskId task = view.running(worker);
      if (task == kNone<TaskId> || !view.may_abort(worker) || affinity(view, task) == Affinity::cpu) continue;
      if (queues_.priority(task) >= queues_.priority(than)) continue;
      if (best == kNone<WorkerId> || queues_.more_urgent(view.running(best), task)) best = worker;
    }
    return best;
  }

  Correction correction_;
  Constraint constraint_;
  Priority priority_;
  std::string lists_;
  std::shared_ptr<const Affinities> affinities_;
  ClassQueues queues_;
  Table<ClassId, std::uint32_t> available_;  ///< workers
  Spoliation starving_;                      ///< for GPUs without a ready task
  Spoliation outranked_;                     ///< for GPUs whose ready task is less urgent than one on a CPU
  std::vector<TaskId> arrived_;              ///< tasks for CPUs that became ready at this instant
  Action promised_;                          ///< what a preempted CPU is to run
};

}  // namespace

Entry heteroprio() {
  return {
      .name = "heteroprio",
      .summary =
          "Buckets of ready tasks: GPUs start with the tasks that they accelerate most, CPUs with those that GPUs "
          "accelerate least",
      .publication = "Kumar 2017, tel-01538516, section 3.7; lists: Flint et al. 2022, doi:10.7717/peerj-cs.969",
      .complexity = "O(e + n log n), and O(w) for each search for a task to spoliate or preempt",
      .options =
          {choice("correction", "none", {"none", "sp", "cgv", "pp", "pc", "pcep", "pcept"},
                  "corrections, each with those before it: GPUs without ready tasks spoliate (sp), GPUs see several "
                  "buckets as one (cgv), tasks that suit CPUs preempt others (pp), GPUs prefer more urgent tasks that "
                  "run on CPUs (pc), with exceptions for tasks that suit CPUs (pcep) and for those in between (pcept)"),
           choice("constraint", "picked", {"picked", "ready"},
                  "ready tasks that corrections pc, pcep and pcept compare with a task on a CPU: the one that "
                  "the GPU would pick (picked), or all that it may take (ready)"),
           text("lists", "",
                "one bucket per type, in the order in which each class looks into them: "
                "cpu:POTRF+TRSM*11/gpu:TRSM+POTRF (*11: the class takes such a task only if the other class has 11 per "
                "worker), or @FILE; default: one bucket per acceleration factor"),
           priority_option()},
      .needs =
          [](const Options& options) {
            const bool aborts = options.text("correction") != "none";
            return Needs{.whole_graph = true, .abort = aborts, .two_classes = true};
          },
      .make =
          [](const Setup& setup) {
            const Options& options = setup.options;
            return Policy(HeteroPrio(static_cast<HeteroPrio::Correction>(options.choice("correction")),
                                     static_cast<HeteroPrio::Constraint>(options.choice("constraint")),
                                     chosen_priority(options), options.text("lists")));
          }};
}

}  // namespace heddle::policy
