#include "heddle/model/validate.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/routes.hpp"
#include "heddle/model/validate_buses.hpp"
#include "heddle/model/validate_data.hpp"

namespace heddle {
namespace {

class Validator {
 public:
  Validator(const Instance& instance, const Schedule& schedule, Durations durations)
      : instance_(instance), schedule_(schedule), durations_(durations), completion_(instance.graph.task_count()) {}

  std::vector<std::string> run(bool transfers) {
    if (!check_ids()) return std::move(violations_);
    find_completions();
    for (const Attempt& attempt : schedule_.attempts) {
      check_duration(attempt);
      check_precedence(attempt);
    }
    check_workers();
    check_attempts_of_tasks();
    check_commuting();
    check_contexts();
    if (transfers) check_transfers();
    return std::move(violations_);
  }

 private:
  void report(std::string sentence) { violations_.push_back(std::move(sentence)); }
  void append(const std::vector<std::string>& found) {
    violations_.insert(violations_.end(), found.begin(), found.end());
  }

  [[nodiscard]] std::string task_name(TaskId task) const {
    return "task '" + std::string(instance_.graph.name(task)) + "'";
  }

  [[nodiscard]] std::string describe(const Attempt& attempt) const {
    return std::string(to_string(attempt.outcome)) + " attempt of " + task_name(attempt.task) + " on " +
           instance_.platform.worker_name(attempt.worker) + " [" + format_seconds(attempt.start) + ", " +
           format_seconds(attempt.end) + "]";
  }

  /// Attempts of unknown tasks or workers make everything else meaningless.
  bool check_ids() {
    for (const Attempt& attempt : schedule_.attempts) {
      if (index(attempt.task) >= instance_.graph.task_count()) {
        report("an attempt is of task number " + std::to_string(index(attempt.task)) + ", which does not exist");
      } else if (index(attempt.worker) >= instance_.platform.worker_count()) {
        report("an attempt of " + task_name(attempt.task) + " is on worker number " +
               std::to_string(index(attempt.worker)) + ", which does not exist");
      }
    }
    return violations_.empty();
  }

  void find_completions() {
    Table<TaskId, std::uint32_t> completions(instance_.graph.task_count(), 0);
    for (const Attempt& attempt : schedule_.attempts) {
      if (attempt.outcome != Outcome::completed) continue;
      if (completions[attempt.task]++ == 0) completion_[attempt.task] = attempt.end;
    }
    for (const TaskId task : instance_.graph.tasks()) {
      if (completions[task] == 0) {
        report(task_name(task) + " never completes");
        completion_[task] = kMaxTime;
      } else if (completions[task] > 1) {
        report(task_name(task) + " completes " + std::to_string(completions[task]) + " times");
      }
    }
  }

  void check_duration(const Attempt& attempt) {
    if (attempt.start < 0) report(describe(attempt) + " starts before time 0");
    if (attempt.end < attempt.start) report(describe(attempt) + " ends before it starts");
    const ClassId c = instance_.platform.class_of(attempt.worker);
    if (!instance_.costs.can_run(attempt.task, c)) {
      report(describe(attempt) + ": class '" + instance_.platform.class_name(c) + "' cannot run it");
      return;
    }
    if (durations_ == Durations::free) return;
    const Time expected = instance_.costs.actual(attempt.task, c);
    const Time lasted = attempt.end - attempt.start;
    if (attempt.outcome == Outcome::completed && lasted != expected) {
      report(describe(attempt) + " lasts " + format_seconds(lasted) + " s; the task takes " + format_seconds(expected) +
             " s there");
    }
    // Aborted at the instant it started, it may be as short as a task that takes no time.
    if (attempt.outcome == Outcome::aborted && lasted >= expected && lasted > 0) {
      report(describe(attempt) + " was aborted after " + format_seconds(lasted) + " s, not before the " +
             format_seconds(expected) + " s that the task takes there");
    }
  }

  void check_precedence(const Attempt& attempt) {
    for (const TaskId predecessor : instance_.graph.predecessors(attempt.task)) {
      if (completion_[predecessor] == kMaxTime || attempt.start >= completion_[predecessor]) continue;
      report(describe(attempt) + " starts before its predecessor " + task_name(predecessor) + " completes at " +
             format_seconds(completion_[predecessor]));
    }
    const bool late = attempt.outcome != Outcome::completed && attempt.start > completion_[attempt.task];
    if (late) report(describe(attempt) + " starts after the task completed");
  }

  /// Reports neighbours that overlap after sorting by `before`; `same` tells whether two attempts exclude each other.
  void check_exclusive(std::vector<const Attempt*>& attempts, const std::string& what) {
    std::ranges::sort(attempts, [](const Attempt* a, const Attempt* b) {
      return std::pair(a->start, a->end) < std::pair(b->start, b->end);
    });
    const Attempt* running = nullptr;
    for (const Attempt* next : attempts) {
      if (running != nullptr && next->start < running->end) {
        report(describe(*next) + " overlaps the " + describe(*running) + what);
      }
      if (running == nullptr || next->end > running->end) running = next;
    }
  }

  void check_workers() {
    Table<WorkerId, std::vector<const Attempt*>> by_worker(instance_.platform.worker_count());
    for (const Attempt& attempt : schedule_.attempts) by_worker[attempt.worker].push_back(&attempt);
    for (std::vector<const Attempt*>& attempts : by_worker) check_exclusive(attempts, " on the same worker");
  }

  /// What is begun anew was aborted before.
  void check_attempts_of_tasks() {
    std::map<TaskId, std::vector<const Attempt*>> repeated;
    for (const Attempt& attempt : schedule_.attempts) {
      if (attempt.outcome != Outcome::completed) repeated[attempt.task];
    }
    for (const Attempt& attempt : schedule_.attempts) {
      const auto attempts = repeated.find(attempt.task);
      if (attempts != repeated.end()) attempts->second.push_back(&attempt);
    }
    for (auto& [task, attempts] : repeated) check_exclusive(attempts, " of the same task");
  }

  void check_commuting() {
    Table<DataId, std::vector<const Attempt*>> by_datum(instance_.graph.data_count());
    for (const Attempt& attempt : schedule_.attempts) {
      if (attempt.outcome != Outcome::completed) continue;
      for (const Access access : instance_.graph.accesses(attempt.task)) {
        if (access.mode == AccessMode::commute) by_datum[access.data].push_back(&attempt);
      }
    }
    for (const DataId data : by_datum.ids()) {
      check_exclusive(by_datum[data], " though both commute on datum '" + instance_.graph.datum(data).name + "'");
    }
  }

  void check_contexts() {
    const Contexts& contexts = schedule_.contexts;
    if (contexts.empty()) return;
    if (contexts.of.size() != instance_.graph.task_count()) {
      report("the schedule has contexts, but not one for each task");
      return;
    }
    Table<WorkerId, std::vector<Stay>> by_worker(instance_.platform.worker_count());
    try {
      for (const Stay& stay : stays(contexts.all, schedule_.moves)) by_worker[stay.worker].push_back(stay);
    } catch (const InputError& error) {
      report(error.what());
      return;
    }
    for (const Attempt& attempt : schedule_.attempts) {
      const ContextId id = contexts.of[attempt.task];
      const std::vector<Stay>& here = by_worker[attempt.worker];
      const auto is_inside = [&](const Stay& stay) {
        return stay.context == id && stay.begin <= attempt.start && attempt.end <= stay.end;
      };
      if (std::ranges::any_of(here, is_inside)) continue;
      const bool has_had = std::ranges::find(here, id, &Stay::context) != here.end();
      report(describe(attempt) + " is on a worker that is not of its context '" + contexts.all[id].name +
             (has_had ? "' at that time" : "'"));
    }
  }

  void check_transfers() {
    const std::size_t before = violations_.size();
    std::map<std::pair<MemoryId, MemoryId>, std::vector<const Transfer*>> by_link;
    for (const Transfer& transfer : schedule_.transfers) {
      const bool known = index(transfer.data) < instance_.graph.data_count() &&
                         index(transfer.from) < instance_.platform.memories().size() &&
                         index(transfer.to) < instance_.platform.memories().size();
      if (!known) {
        report("a transfer is of a datum or between memories that do not exist");
        continue;
      }
      if (transfer.start < 0 || transfer.end < transfer.start) report(describe(transfer) + " ends before it starts");
      by_link[{transfer.from, transfer.to}].push_back(&transfer);
    }
    if (violations_.size() > before || instance_.platform.links().empty()) return;
    const Routes routes(instance_.platform);
    for (auto& [ends, transfers] : by_link) check_link(routes, transfers);
    if (durations_ == Durations::exact && violations_.size() == before) {
      append(validate_buses(instance_, schedule_, routes));
    }
    append(validate_data(instance_, schedule_));
  }

  /// Transfers between the same two memories, in one direction.
  void check_link(const Routes& routes, std::vector<const Transfer*>& transfers) {
    const bool linked = routes.hops(transfers[0]->from, transfers[0]->to).size() == 1;
    if (!linked) report(describe(*transfers[0]) + " is not over a link");
    if (durations_ == Durations::free) return;
    std::ranges::stable_sort(transfers, {}, &Transfer::start);
    const Transfer* last = nullptr;
    for (const Transfer* transfer : transfers) {
      const std::int64_t bytes = instance_.graph.datum(transfer->data).bytes;
      if (transfer->bytes != bytes) {
        report(describe(*transfer) + " is of " + std::to_string(transfer->bytes) + " bytes; the datum has " +
               std::to_string(bytes));
      }
      if (linked) check_speed(*transfer, routes.duration(transfer->from, transfer->to, bytes));
      if (last != nullptr && transfer->start < last->end) {
        report(describe(*transfer) + " overlaps the " + describe(*last) + " on the same link");
      }
      last = transfer;
    }
  }

  void check_speed(const Transfer& transfer, Time least) {
    if (least == kLongestTransfer) {
      report(describe(transfer) + " takes longer on its link than a transfer may");
    } else if (transfer.end - transfer.start < least) {
      report(describe(transfer) + " is faster than its link");
    }
  }

  [[nodiscard]] std::string describe(const Transfer& transfer) const {
    const Table<MemoryId, Memory>& memories = instance_.platform.memories();
    return "transfer of datum '" + instance_.graph.datum(transfer.data).name + "' from '" +
           memories[transfer.from].name + "' to '" + memories[transfer.to].name + "' [" +
           format_seconds(transfer.start) + ", " + format_seconds(transfer.end) + "]";
  }

  const Instance& instance_;
  const Schedule& schedule_;
  Durations durations_;
  Table<TaskId, Time> completion_;  ///< kMaxTime when the task never completes
  std::vector<std::string> violations_;
};

}  // namespace

std::vector<std::string> validate(const Instance& instance, const Schedule& schedule, Durations durations) {
  return Validator(instance, schedule, durations).run(true);
}

std::vector<std::string> validate_attempts(const Instance& instance, const Schedule& schedule, Durations durations) {
  return Validator(instance, schedule, durations).run(false);
}

}  // namespace heddle
