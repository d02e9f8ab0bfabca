#include "heddle/judge/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <ranges>
#include <utility>

#include "heddle/analysis/least_data.hpp"
#include "heddle/bounds/area.hpp"
#include "heddle/bounds/linked_area.hpp"
#include "heddle/bounds/linked_path.hpp"

namespace heddle::judge {
namespace {

using analysis::Cause;
using analysis::ChainLink;
using analysis::Losses;
using analysis::Span;

std::vector<CauseCost> rank_causes(const Instance& instance, const Losses& losses, const LossCosts& costs) {
  std::vector<CauseCost> causes;
  const auto add = [&](std::optional<Cause> cause, auto cost_on) {
    double cost = 0;
    for (const ClassId c : instance.platform.classes()) cost += cost_on(c);
    if (cost >= 1) causes.push_back({cause, cost});  // not what rounding leaves
  };
  for (const Cause cause : analysis::kLosses) add(cause, [&](ClassId c) { return costs.of(losses, c, cause); });
  add(std::nullopt, [&](ClassId c) { return costs.unfavourable[c]; });
  std::ranges::stable_sort(causes, std::ranges::greater(), &CauseCost::cost);
  return causes;
}

/// Says in words what the loss was.
class VerdictWriter {
 public:
  VerdictWriter(const Instance& instance, const Schedule& schedule, const Diagnosis& diagnosis)
      : instance_(instance), schedule_(schedule), diagnosis_(diagnosis) {}

  [[nodiscard]] std::string write(std::optional<Time> bound) const {
    const auto makespan = static_cast<double>(schedule_.makespan());
    std::vector<std::string> sentences;
    if (bound && *bound > 0) {
      const double above = makespan / static_cast<double>(*bound) - 1;
      if (above == 0) return "The makespan is optimal.";
      if (above < 0) {
        sentences.push_back(fmt::format(
            "The makespan is {} below the bound: tasks took less time than the instance says.", percent(-above)));
      } else if (above < kLittle) {
        return fmt::format("The makespan is at most {} above optimal: there is little to gain.", percent(above));
      } else {
        sentences.push_back(above < kManyTimes
                                ? fmt::format("The makespan is at most {} above optimal.", percent(above))
                                : fmt::format("The makespan is at most {:.1f} times the shortest.", 1 + above));
      }
    }
    const double loss = makespan - diagnosis_.costs.area;
    if (diagnosis_.causes.empty() || loss <= 0) return fmt::format("{}", fmt::join(sentences, " "));
    const CauseCost& main = diagnosis_.causes.front();
    sentences.push_back(fmt::format("{} of the loss is {}.", percent(main.cost / loss), describe(main)));
    const double inevitable = (static_cast<double>(bound.value_or(0)) - diagnosis_.costs.area) / loss;
    if (inevitable >= kWorthTelling && inevitable <= 1) {
      sentences.push_back(fmt::format("No schedule avoids the first {} of it.", percent(inevitable)));
    }
    return fmt::format("{}", fmt::join(sentences, " "));
  }

 private:
  static constexpr double kLittle = 0.02;
  static constexpr double kManyTimes = 2;
  static constexpr double kWorthTelling = 0.05;
  /// The share from which a part stands for the whole, or belongs to it.
  static constexpr double kNearlyAll = 0.9;
  static constexpr double kMost = 0.5;
  static constexpr double kMuch = 0.25;

  [[nodiscard]] static std::string percent(double share) {
    return fmt::format("{:.{}f} %", 100 * share, share < 0.0995 ? 1 : 0);
  }

  [[nodiscard]] std::string describe(const CauseCost& main) const {
    if (!main.cause) return "kernels on " + place(main, "unfavourable classes");
    const std::optional<ClassId> only = nearly_only(main);
    const std::string workers = only ? instance_.platform.class_name(*only) + " workers" : "workers";
    switch (*main.cause) {
      case Cause::aborted:
        return "aborted work" + (only ? " on " + instance_.platform.class_name(*only) : "");
      case Cause::data:
        return workers + " waiting for data" + main_link();
      case Cause::data_or_overhead:
        return workers + " held up by data or overhead";
      case Cause::ready_not_run:
        return workers + " idle although a task was ready that they could run";
      case Cause::no_ready_task:
        return workers + " without a ready task" + meanwhile(*main.cause);
      case Cause::begin:
        return workers + " without a ready task before their first" + meanwhile(*main.cause);
      case Cause::end:
        return workers + " without a ready task after their last" + meanwhile(*main.cause);
      case Cause::unexplained:
        return workers + " idle while nothing ran and no task was ready";
      case Cause::kernel:
        break;
    }
    return "kernels";
  }

  [[nodiscard]] double cost_on(const CauseCost& main, ClassId c) const {
    return main.cause ? diagnosis_.costs.of(diagnosis_.losses, c, *main.cause) : diagnosis_.costs.unfavourable[c];
  }

  /// The class on which it costs nearly all, if there is one.
  [[nodiscard]] std::optional<ClassId> nearly_only(const CauseCost& main) const {
    for (const ClassId c : instance_.platform.classes()) {
      if (cost_on(main, c) >= kNearlyAll * main.cost) return c;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string place(const CauseCost& main, const std::string& otherwise) const {
    const std::optional<ClassId> only = nearly_only(main);
    return only ? instance_.platform.class_name(*only) + " that cost less on another class" : otherwise;
  }

  /// The link that most of the data was waited for on.
  [[nodiscard]] std::string main_link() const {
    TimeSum total = 0;
    const analysis::LinkLoss* longest = nullptr;
    for (const analysis::ClassLosses& losses : diagnosis_.losses.by_class()) {
      total += losses[Cause::data];
      const bool longer = !losses.data.empty() && (longest == nullptr || losses.data[0].time > longest->time);
      if (longer) longest = losses.data.data();
    }
    if (longest == nullptr || static_cast<double>(longest->time) < kMost * static_cast<double>(total)) return "";
    const Table<MemoryId, Memory>& memories = instance_.platform.memories();
    return fmt::format(", mostly from {} to {}", memories[longest->from].name, memories[longest->to].name);
  }

  /// What the chain ran while workers lost time to the cause: the types that take much of it.
  [[nodiscard]] std::string meanwhile(Cause cause) const {
    const Table<TypeId, double> during = types_during(cause);
    double total = 0;
    for (const double cost : during) total += cost;
    std::vector<TypeId> much;
    for (const TypeId type : during.ids()) {
      if (total > 0 && during[type] >= kMuch * total) much.push_back(type);
    }
    if (much.empty()) return "";
    std::ranges::stable_sort(much, std::ranges::greater(), [&](TypeId type) { return during[type]; });
    std::vector<std::string_view> names;
    for (const TypeId type : much) names.push_back(instance_.graph.type_name(type));
    const std::string_view last = names.back();
    names.pop_back();
    return fmt::format(", waiting for {}{}{} on the critical chain", fmt::join(names, ", "),
                       names.empty() ? "" : " and ", last);
  }

  /// What a cause costs while the chain runs tasks of each type.
  [[nodiscard]] Table<TypeId, double> types_during(Cause cause) const {
    struct Change {
      Time time;
      double by;
    };
    std::vector<Change> changes;
    for (const WorkerId worker : instance_.platform.workers()) {
      const double dual = diagnosis_.costs.duals[instance_.platform.class_of(worker)];
      if (dual == 0) continue;
      for (const Span& span : diagnosis_.losses.spans(worker)) {
        if (span.cause != cause) continue;
        changes.push_back({span.time.start, dual});
        changes.push_back({span.time.end, -dual});
      }
    }
    std::ranges::sort(changes, {}, &Change::time);
    Table<TypeId, double> during(instance_.graph.type_count(), 0.0);
    auto next = changes.cbegin();
    double rate = 0;
    for (const ChainLink& link : std::views::reverse(diagnosis_.chain)) {
      const Attempt& attempt = schedule_.attempts[link.attempt];
      for (; next != changes.cend() && next->time <= attempt.start; ++next) rate += next->by;
      Time now = attempt.start;
      double cost = 0;
      for (; next != changes.cend() && next->time < attempt.end; ++next) {
        cost += rate * static_cast<double>(next->time - std::exchange(now, next->time));
        rate += next->by;
      }
      during[instance_.graph.type(attempt.task)] += cost + rate * static_cast<double>(attempt.end - now);
    }
    return during;
  }

  const Instance& instance_;
  const Schedule& schedule_;
  const Diagnosis& diagnosis_;
};

}  // namespace

std::optional<LinkedBound> linked_bound(const Instance& instance) {
  const std::optional<bounds::Bound> path = bounds::linked_path_bound(instance);
  const std::optional<bounds::Bound> area = bounds::linked_area_bound(instance);
  if (area && (!path || area->value > path->value)) return LinkedBound{area->value, "linked area"};
  if (path) return LinkedBound{path->value, "linked path"};
  return std::nullopt;
}

LossCosts loss_costs(const Instance& instance, const Schedule& schedule) {
  LossCosts costs{.duals = bounds::area_duals(instance)};
  costs.unfavourable.assign(instance.platform.class_count(), 0.0);
  std::vector<double> least(instance.costs.row_count(), std::numeric_limits<double>::infinity());
  for (std::uint32_t row = 0; row < instance.costs.row_count(); ++row) {
    for (const ClassId c : instance.platform.classes()) {
      const Time duration = instance.costs.actual_row(row)[index(c)];
      if (duration != kCannotRun) least[row] = std::min(least[row], costs.duals[c] * static_cast<double>(duration));
    }
  }
  for (const Attempt& attempt : schedule.attempts) {
    if (attempt.outcome != Outcome::completed) continue;
    const ClassId c = instance.platform.class_of(attempt.worker);
    const double cheapest = least[instance.costs.row(attempt.task)];
    costs.area += cheapest;
    costs.unfavourable[c] += costs.duals[c] * static_cast<double>(attempt.end - attempt.start) - cheapest;
  }
  return costs;
}

Diagnosis diagnose(const Instance& instance, const Schedule& schedule, std::optional<Time> bound,
                   const analysis::Recording& recording) {
  Diagnosis diagnosis{.losses = Losses(instance, schedule, recording),
                      .chain = analysis::deciding_chain(instance, schedule),
                      .costs = loss_costs(instance, schedule),
                      .causes = {},
                      .verdict = {}};
  diagnosis.causes = rank_causes(instance, diagnosis.losses, diagnosis.costs);
  if (!recording.has_transfers && schedule.transfers.empty() && !instance.platform.links().empty()) {
    diagnosis.least_data = analysis::least_data_waits(instance, schedule, diagnosis.losses);
  }
  diagnosis.outliers = analysis::find_outliers(instance, schedule);
  if (recording.has_transfers ? !instance.platform.links().empty() : !schedule.transfers.empty()) {
    diagnosis.peaks = analysis::memory_peaks(instance, schedule);
  }
  diagnosis.verdict = VerdictWriter(instance, schedule, diagnosis).write(bound);
  return diagnosis;
}

}  // namespace heddle::judge
