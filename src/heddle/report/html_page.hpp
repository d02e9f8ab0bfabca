#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/metrics.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::report {

/// Where a page comes from. Each part may be empty: the page leaves it out.
struct Origin {
  std::string version{};  ///< of Heddle: "0.9.0"
  std::string date{};     ///< when the page was made: "2026-11-25 10:57 UTC"
  std::string command{};  ///< the command line that made it
};

/// The origin for the foot of a page, as HTML.
[[nodiscard]] std::string origin_html(const Origin& origin);

/// A lower bound on the makespan and the name of its kind ("area", "iterative", ...).
struct BoundLine {
  std::string kind;
  Time value = 0;
};

struct RunReport;

/// What a page shows of one schedule. Fill it with summarize().
struct ScheduleReport {
  const Instance* instance = nullptr;  ///< never null; must outlive the call that makes the page
  const Schedule* schedule = nullptr;  ///< what the Gantt chart draws; null: numbers only, the schedule is gone
  std::string platform;                ///< its name for the page's head; may be empty
  std::string policy;                  ///< with its options, as the command spells it
  std::uint64_t seed = 0;
  std::uint32_t run = 0;  ///< counts the runs of one policy under noise
  std::string noise;      ///< empty: none
  Time makespan = 0;
  std::vector<BoundLine> bounds;
  std::optional<double> ratio;  ///< makespan over the largest bound; absent without a positive bound
  std::size_t aborted_attempts = 0;
  std::int64_t transferred_bytes = 0;
  std::int64_t write_home_bytes = 0;
  Table<ClassId, ClassUse> classes;
  Table<ContextId, Context> contexts;  ///< of the schedule; mostly none
  Table<ContextId, ContextUse> context_use;
  std::vector<WorkerMove> moves;                       ///< of workers between the contexts; mostly none
  Table<ClassId, std::optional<double>> class_joules;  ///< absent where a class does not say what it draws
  std::optional<double> joules;                        ///< of all; absent where a class with workers does not say
  const RunReport* run_report = nullptr;               ///< of `heddle analyze`: where the time went; mostly null
};

/// Everything about a schedule that can be told from the instance and the bounds; `platform` and `run` are left to the
/// caller.
[[nodiscard]] ScheduleReport summarize(const Instance& instance, const Schedule& schedule,
                                       std::vector<BoundLine> bounds = {});

/// A policy that could not take an instance, and why, in one sentence.
struct SkippedPolicy {
  std::string instance;
  std::string policy;
  std::string reason;
};

struct PageOptions {
  std::vector<SkippedPolicy> skipped{};  ///< listed below the bars
  Origin origin{};                       ///< for its foot
  /// Gantt charts are embedded until they hold this many attempts and transfers together (about 10 bytes each); the
  /// first one always is. First runs go before second runs, better policies before worse. The page says how many charts
  /// were left out.
  std::size_t attempt_budget = 400'000;
};

/// One self-contained HTML page, UTF-8. If there are several instances, it begins with a summary of the policies over
/// all of them and their performance profiles. If there is more than one schedule, bars of the ratio to the bound
/// follow for each policy, grouped by instance, the shortest makespan first. Then the page shows one schedule, at first
/// the best: its numbers, a zoomable Gantt chart with its transfers, the depth of the ready queue and what its classes
/// of workers did. Of a run that was analyzed the verdict and the losses come before that, and the chart tells why
/// workers were idle and what each attempt waited for. Reports of one instance (by name and platform) and policy are
/// runs: their bar is the mean, with a whisker from the smallest to the largest. Instances keep their order. The page
/// needs no network and no other file. Its numbers are compressed: the browser needs DecompressionStream (2023). Names
/// from the instance or the schedules appear as text whatever they hold.
[[nodiscard]] std::string html_page(std::string_view title, std::span<const ScheduleReport> reports,
                                    const PageOptions& options = {});

}  // namespace heddle::report
