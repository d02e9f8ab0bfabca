#include "heddle/report/page_data.hpp"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heddle/report/columns.hpp"
#include "heddle/report/comparison.hpp"
#include "heddle/report/pack_run.hpp"
#include "heddle/report/pack_transfers.hpp"
#include "heddle/report/report_groups.hpp"
#include "heddle/report/run_report.hpp"
#include "heddle/report/script_json.hpp"

namespace heddle::report {
namespace {

/// The instances of the reports, each once, in order of appearance.
class InstanceList {
 public:
  explicit InstanceList(std::span<const ScheduleReport> reports, const std::vector<bool>& charts) {
    for (std::size_t i = 0; i < reports.size(); ++i) {
      const auto [found, is_new] = numbers_.try_emplace(reports[i].instance, entries_.size());
      if (is_new) entries_.push_back({&reports[i]});
      if (!charts[i]) continue;
      Entry& entry = entries_[found->second];
      entry.has_chart = true;
      if (!reports[i].schedule->transfers.empty()) entry.has_transfers = true;
    }
  }

  struct Entry {
    const ScheduleReport* first;  ///< the first report of the instance
    bool has_chart = false;
    bool has_transfers = false;  ///< in some chart
  };
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::size_t number(const ScheduleReport& report) const { return numbers_.at(report.instance); }

 private:
  std::unordered_map<const Instance*, std::size_t> numbers_;
  std::vector<Entry> entries_;
};

void write_count(ScriptJson& json, std::string_view key, std::size_t value) {
  json.key(key);
  json.integer(static_cast<std::int64_t>(value));
}

void write_time(ScriptJson& json, std::string_view key, TimeSum value) {
  json.key(key);
  json.number(to_seconds(value));
}

void write_classes(ScriptJson& json, const Platform& platform) {
  write_list(json, "classes", platform.classes(), [&](ClassId c) {
    json.open_object();
    write(json, "name", platform.class_name(c));
    write_count(json, "workers", platform.worker_count(c));
    json.close_object();
  });
  write_list(json, "workers", platform.workers(), [&](WorkerId worker) { json.string(platform.worker_name(worker)); });
}

void write_names(ScriptJson& json, const PackedNames& names) {
  write_list(json, "patterns", names.patterns, [&](const std::vector<std::string>& pieces) {
    json.open_array();
    for (const std::string& piece : pieces) json.string(piece);
    json.close_array();
  });
  write(json, "names", names.column.text());
}

/// What only Gantt charts need.
void write_tasks(ScriptJson& json, const TaskGraph& graph) {
  write_list(json, "types", graph.types(), [&](TypeId type) { json.string(graph.type_name(type)); });
  write(json, "type_of", pack_types(graph).text());
  write_names(json, pack_names(graph));
}

/// What only charts with transfers need.
void write_data(ScriptJson& json, const Instance& instance) {
  write_list(json, "memories", instance.platform.memories(), [&](const Memory& memory) { json.string(memory.name); });
  json.key("data");
  json.open_object();
  write_count(json, "count", instance.graph.data_count());
  write_names(json, pack_data_names(instance.graph));
  json.close_object();
}

void write_instance(ScriptJson& json, const InstanceList::Entry& entry) {
  const Instance& instance = *entry.first->instance;
  json.open_object();
  write(json, "name", instance.name);
  write(json, "platform", entry.first->platform);
  write_count(json, "tasks", instance.graph.task_count());
  write_count(json, "edges", instance.graph.edge_count());
  write_classes(json, instance.platform);
  if (entry.has_chart) write_tasks(json, instance.graph);
  if (entry.has_transfers) write_data(json, instance);
  json.close_object();
}

void write_use(ScriptJson& json, const ClassUse& use) {
  json.open_object();
  write_time(json, "busy", use.busy);
  write_time(json, "idle", use.idle);
  write_count(json, "tasks", use.tasks);
  write_optional(json, "acceleration", use.acceleration);
  json.close_object();
}

void write_link(ScriptJson& json, MemoryId from, MemoryId to) {
  for (const MemoryId memory : {from, to}) json.integer(static_cast<std::int64_t>(index(memory)));
}

void write_transfers(ScriptJson& json, const Schedule& schedule, Grid grid) {
  const PackedTransfers packed = pack_transfers(schedule, grid);
  json.key("transfers");
  json.open_object();
  write_count(json, "count", schedule.transfers.size());
  write_list(json, "links", packed.links, [&](const std::pair<MemoryId, MemoryId>& link) {
    json.open_array();
    write_link(json, link.first, link.second);
    json.close_array();
  });
  write(json, "column", packed.column.text());
  json.close_object();
}

/// Why workers were idle, and what each attempt waited for.
void write_waits(ScriptJson& json, const Instance& instance, const Schedule& schedule, const analysis::Losses& losses,
                 Grid grid) {
  const PackedRun packed = pack_run(instance, schedule, losses, grid);
  json.key("waits");
  json.open_object();
  write_time(json, "unit", packed.unit);
  write_list(json, "links", packed.links, [&](const std::pair<MemoryId, MemoryId>& link) {
    json.open_array();
    write_link(json, link.first, link.second);
    json.close_array();
  });
  write_list(json, "states", packed.states, [&](const ByteColumn& column) { json.string(column.text()); });
  write(json, "heldUp", packed.held_up.text());
  write(json, "waits", packed.waits.text());
  json.close_object();
}

/// Attempts and transfers of a chart (about 10 bytes each): if there are more, the transfers are left out. So the page
/// of a million tasks stays below 20 MB.
constexpr std::size_t kMostBars = 1'500'000;

void write_chart(ScriptJson& json, const Instance& instance, const Schedule& schedule, const RunReport* run_report) {
  const Grid grid = grid_of(schedule);
  const PackedSchedule packed = pack_schedule(instance, schedule, grid);
  json.key("chart");
  json.open_object();
  write_count(json, "count", schedule.attempts.size());
  write_time(json, "unit", grid.unit);
  json.key("rounds");
  json.boolean(grid.rounds);
  write(json, "attempts", packed.attempts.text());
  write(json, "queue", packed.queue.text());
  write(json, "chain", packed.chain.text());
  if (!schedule.transfers.empty() && schedule.attempts.size() + schedule.transfers.size() > kMostBars) {
    write_count(json, "transfersLeftOut", schedule.transfers.size());
  } else if (!schedule.transfers.empty()) {
    write_transfers(json, schedule, grid);
  }
  if (run_report != nullptr) write_waits(json, instance, schedule, *run_report->losses, grid);
  json.close_object();
}

void write_contexts(ScriptJson& json, const ScheduleReport& report) {
  write_list(json, "contexts", report.contexts.ids(), [&](ContextId id) {
    const Context& context = report.contexts[id];
    const ContextUse& use = report.context_use[id];
    json.open_object();
    write(json, "name", context.name);
    write(json, "policy", context.policy);
    write_list(json, "workers", context.workers,
               [&](WorkerId worker) { json.integer(static_cast<std::int64_t>(index(worker))); });
    write_count(json, "tasks", use.tasks);
    write_time(json, "busy", use.busy);
    write_time(json, "idle", use.idle);
    write_time(json, "start", use.first_start);
    write_time(json, "end", use.end);
    write_count(json, "aborted", use.aborted);
    json.close_object();
  });
}

void write_moves(ScriptJson& json, const std::vector<WorkerMove>& moves) {
  write_list(json, "moves", moves, [&](const WorkerMove& move) {
    json.open_object();
    write_time(json, "at", move.at);
    write_count(json, "worker", index(move.worker));
    if (move.from != kNone<ContextId>) write_count(json, "from", index(move.from));
    if (move.to != kNone<ContextId>) write_count(json, "to", index(move.to));
    json.close_object();
  });
}

/// The time of each class by cause, in the order of causes, and over which links its workers waited for data.
void write_losses(ScriptJson& json, const analysis::Losses& losses) {
  write_list(json, "losses", losses.by_class(), [&](const analysis::ClassLosses& of) {
    json.open_object();
    write_list(json, "time", of.by_cause, [&](TimeSum time) { json.number(to_seconds(time)); });
    write_list(json, "links", of.data, [&](const analysis::LinkLoss& link) {
      json.open_array();
      write_link(json, link.from, link.to);
      json.number(to_seconds(link.time));
      json.close_array();
    });
    json.close_object();
  });
}

constexpr std::size_t kMostOutliers = 20;

/// The groups of outliers that took longest together. `at` is where the chart has the longest attempt of a group.
void write_outliers(ScriptJson& json, const ScheduleReport& report, std::span<const analysis::Outliers> outliers) {
  const std::span shown = outliers.first(std::min(outliers.size(), kMostOutliers));
  const std::vector<std::size_t> order = shown.empty() ? std::vector<std::size_t>{} : drawing_order(*report.schedule);
  const Instance& instance = *report.instance;
  write_list(json, "outliers", shown, [&](const analysis::Outliers& each) {
    const Attempt& longest = report.schedule->attempts[each.slowest.front()];
    json.open_object();
    write(json, "type", instance.graph.type_name(each.type));
    write(json, "on", instance.platform.class_name(each.on));
    write_count(json, "count", each.slowest.size());
    write_count(json, "attempts", each.attempts);
    write_time(json, "median", each.median);
    write_time(json, "excess", each.excess);
    write(json, "longest", instance.graph.name(longest.task));
    write(json, "worker", instance.platform.worker_name(longest.worker));
    write_time(json, "took", longest.end - longest.start);
    write_count(json, "at", static_cast<std::size_t>(std::ranges::find(order, each.slowest.front()) - order.begin()));
    json.close_object();
  });
}

void write_run_report(ScriptJson& json, const ScheduleReport& report) {
  const RunReport& run = *report.run_report;
  const Platform& platform = report.instance->platform;
  json.key("analysis");
  json.open_object();
  write(json, "verdict", run.verdict);
  write_losses(json, *run.losses);
  write_list(json, "memories", platform.memories(), [&](const Memory& memory) { json.string(memory.name); });
  json.key("causes");
  json.open_array();
  for (std::size_t i = 0; i < analysis::kCauseCount; ++i) {
    const auto cause = static_cast<analysis::Cause>(i);
    json.open_object();
    write(json, "key", to_string(cause));
    write(json, "title", title_of(cause));
    json.key("cost");
    json.number(run.costs[i] / static_cast<double>(kSecond));
    json.close_object();
  }
  json.close_array();
  json.key("loss");
  json.number(run.loss / static_cast<double>(kSecond));
  write_list(json, "leastData", run.least_data, [&](TimeSum time) { json.number(to_seconds(time)); });
  write_list(json, "remarks", run.remarks, [&](const std::string& remark) { json.string(remark); });
  write_outliers(json, report, report.schedule == nullptr ? std::span<const analysis::Outliers>() : run.outliers);
  write(json, "model", run.model);
  write_list(json, "changes", run.changes, [&](const RunReport::Change& change) {
    json.open_object();
    write(json, "what", change.what);
    write_time(json, "makespan", change.makespan);
    write_optional(json, "gain", change.gain);
    json.close_object();
  });
  write_list(json, "notReached", run.not_reached, [&](const std::string& change) { json.string(change); });
  json.close_object();
}

void write_report(ScriptJson& json, const ScheduleReport& report, std::size_t instance, bool has_chart) {
  json.open_object();
  write_count(json, "instance", instance);
  write(json, "policy", report.policy);
  write(json, "seed", std::to_string(report.seed));  // as text: JavaScript's numbers have 53 bits
  write_count(json, "run", report.run);
  write(json, "noise", report.noise);
  write_time(json, "makespan", report.makespan);
  write_list(json, "bounds", report.bounds, [&](const BoundLine& bound) {
    json.open_object();
    write(json, "kind", bound.kind);
    write_time(json, "value", bound.value);
    json.close_object();
  });
  write_optional(json, "ratio", report.ratio);
  write_count(json, "aborted", report.aborted_attempts);
  json.key("bytes");
  json.integer(report.transferred_bytes);
  json.key("homeBytes");
  json.integer(report.write_home_bytes);
  write_list(json, "use", report.classes, [&](const ClassUse& use) { write_use(json, use); });
  if (report.joules) write_optional(json, "joules", report.joules);
  if (!report.contexts.empty()) write_contexts(json, report);
  if (!report.moves.empty()) write_moves(json, report.moves);
  if (report.run_report != nullptr) write_run_report(json, report);
  if (has_chart) write_chart(json, *report.instance, *report.schedule, report.run_report);
  json.close_object();
}

void write_skipped(ScriptJson& json, const std::vector<SkippedPolicy>& skipped) {
  write_list(json, "skipped", skipped, [&](const SkippedPolicy& entry) {
    json.open_object();
    write(json, "instance", entry.instance);
    write(json, "policy", entry.policy);
    write(json, "reason", entry.reason);
    json.close_object();
  });
}

void write_groups(ScriptJson& json, std::span<const InstanceGroup> groups, const ComparedPolicies& compared) {
  std::size_t number = 0;
  write_list(json, "groups", groups, [&](const InstanceGroup& group) {
    json.open_object();
    write(json, "verdict", describe_best(compared.names, compared.results[number++].makespans));
    write_list(json, "policies", group.policies, [&](const PolicyGroup& each) {
      json.open_object();
      write(json, "policy", each.policy);
      write_time(json, "makespan", each.makespan);
      write_list(json, "schedules", each.reports, [&](std::size_t i) { json.integer(static_cast<std::int64_t>(i)); });
      json.close_object();
    });
    json.close_object();
  });
}

void write_summary(ScriptJson& json, const ComparedPolicies& compared) {
  const Summary summary = summarize_policies(compared.results);
  json.key("summary");
  json.open_object();
  write(json, "text", describe_summary(compared.names, summary));
  json.key("toBound");
  json.boolean(summary.to_bound);
  write_list(json, "policies", summary.order, [&](std::size_t policy) {
    const PolicySummary& of = summary.policies[policy];
    json.open_object();
    write(json, "policy", compared.names[policy]);
    write_count(json, "instances", of.instances);
    write_optional(json, "mean", of.mean_ratio);
    write_optional(json, "worst", of.worst_ratio);
    write_count(json, "wins", of.wins);
    write_list(json, "factors", of.factors, [&](double factor) { json.number(factor); });
    json.close_object();
  });
  json.close_object();
}

}  // namespace

std::string page_data(std::string_view title, std::span<const ScheduleReport> reports, const PageOptions& options) {
  const std::vector<InstanceGroup> groups = group_reports(reports);
  const ComparedPolicies compared = compare_policies(groups);
  const std::vector<bool> charts = choose_charts(reports, groups, options.attempt_budget);
  const InstanceList instances(reports, charts);
  ScriptJson json;
  json.open_object();
  write(json, "title", title);
  write_list(json, "instances", instances.entries(),
             [&](const InstanceList::Entry& entry) { write_instance(json, entry); });
  json.key("schedules");
  json.open_array();
  for (std::size_t i = 0; i < reports.size(); ++i) {
    write_report(json, reports[i], instances.number(reports[i]), charts[i]);
  }
  json.close_array();
  write_groups(json, groups, compared);
  if (groups.size() > 1) write_summary(json, compared);
  write_skipped(json, options.skipped);
  json.close_object();
  return json.text();
}

}  // namespace heddle::report
