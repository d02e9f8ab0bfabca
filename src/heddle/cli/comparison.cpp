#include "heddle/cli/comparison.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "heddle/cli/output.hpp"
#include "heddle/report/comparison.hpp"
#include "heddle/report/csv.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {
namespace {

using Runs = std::span<const judge::Judged>;

/// Tables of more instances than this would fill screens.
constexpr std::size_t kFewInstances = 4;

Runs runs_of(const judge::Comparison& found, const judge::Row& row) {
  return Runs(found.judged).subspan(row.first, row.count);
}

template <class Value>
double mean(Runs runs, Value&& value) {
  double sum = 0;
  for (const judge::Judged& run : runs) sum += value(run);
  return sum / static_cast<double>(runs.size());
}

Time mean_makespan(Runs runs) {
  return static_cast<Time>(
      mean(runs, [](const judge::Judged& run) { return static_cast<double>(run.report.makespan); }));
}

report::Makespans makespans_of(const judge::Comparison& found, const judge::Compared& instance) {
  report::Makespans makespans;
  for (const std::optional<judge::Row>& row : instance.rows) {
    makespans.push_back(row ? std::optional(mean_makespan(runs_of(found, *row))) : std::nullopt);
  }
  return makespans;
}

std::vector<report::Column> columns(const Platform& platform, bool several) {
  using report::Align;
  std::vector<report::Column> columns{
      {"policy", Align::left, true}, {"makespan", Align::right}, {"ratio", Align::right}};
  if (several) columns.push_back({"min..max", Align::right});
  columns.push_back({"aborted", Align::right});
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) > 0) columns.push_back({"idle " + platform.class_name(c), Align::right});
  }
  columns.push_back({"decided in", Align::right});
  return columns;
}

std::string ratio_of(const judge::Judged& run) {
  return run.report.ratio ? report::format_ratio(*run.report.ratio) : "-";
}

std::string ratio_range(Runs runs) {
  const auto [least, most] =
      std::ranges::minmax_element(runs, {}, [](const judge::Judged& run) { return run.report.makespan; });
  return ratio_of(*least) + ".." + ratio_of(*most);
}

std::string idle_share(Runs runs, ClassId c) {
  const double share = mean(runs, [&](const judge::Judged& run) {
    const ClassUse& use = run.report.classes[c];
    const double whole = to_seconds(use.busy) + to_seconds(use.idle);
    return whole > 0 ? to_seconds(use.idle) / whole : 0;
  });
  return report::format_percent(share);
}

void add_policy(report::TextTable& table, Runs runs, const report::TimeFormat& time, report::Tone tone) {
  const judge::Judged& first = runs.front();
  const bool judged = first.report.ratio.has_value();
  std::vector<std::string> cells{first.report.policy, time(mean_makespan(runs))};
  cells.push_back(judged ? report::format_ratio(mean(runs, [](const judge::Judged& run) { return *run.report.ratio; }))
                         : "-");
  if (runs.size() > 1) cells.push_back(ratio_range(runs));
  const double aborted =
      mean(runs, [](const judge::Judged& run) { return static_cast<double>(run.report.aborted_attempts); });
  cells.push_back(runs.size() > 1 ? fmt::format("{:.1f}", aborted) : fmt::format("{:.0f}", aborted));
  const Platform& platform = first.report.instance->platform;
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) > 0) cells.push_back(idle_share(runs, c));
  }
  const double milliseconds = 1e3 * mean(runs, [](const judge::Judged& run) { return run.wall_seconds; });
  cells.push_back(fmt::format("{:.2f} ms", milliseconds));
  table.add_row(std::move(cells), tone);
}

std::string head_text(const files::LoadedInstance& loaded) {
  return fmt::format("{}, {}\n", describe_instance(loaded.instance, loaded.platform),
                     report::format_count(loaded.instance.graph.task_count(), "task"));
}

std::string table_text(const judge::Comparison& found, const judge::Compared& instance,
                       const report::Makespans& makespans, const report::TextStyle& style) {
  std::string text;
  const report::Best best = *report::find_best(makespans);
  const Runs winner = runs_of(found, *instance.rows[best.policies.front()]);
  const report::TimeFormat time(best.makespan);
  if (const report::BoundLine* bound = judge::best_bound(winner.front())) {
    text += fmt::format("bound {} ({})\n", time(bound->value), bound->kind);
  }
  report::TextTable table(columns(winner.front().report.instance->platform, winner.size() > 1));
  for (const std::size_t policy : report::by_makespan(makespans)) {
    const bool wins = *makespans[policy] == best.makespan;
    add_policy(table, runs_of(found, *instance.rows[policy]), time, wins ? report::Tone::good : report::Tone::plain);
  }
  return text + fmt::format("\n{}\n", table.text(style));
}

std::string instance_text(const judge::Comparison& found, const judge::Compared& instance,
                          const report::TextStyle& style) {
  std::string text = head_text(instance.loaded);
  const report::Makespans makespans = makespans_of(found, instance);
  const std::string best = report::harmless(report::describe_best(found.policies, makespans));
  if (best.empty()) return text;
  text += table_text(found, instance, makespans, style) + best + "\n";
  for (const std::optional<judge::Row>& row : instance.rows) {
    if (!row) continue;
    const judge::Judged& first = found.judged[row->first];
    if (first.note.empty()) continue;
    text += fmt::format("{} chose {}\n", report::harmless(first.report.policy), report::harmless(first.note));
  }
  return text + "\n";
}

report::Summary summarize(const judge::Comparison& found) {
  std::vector<report::InstanceResult> results;
  for (const judge::Compared& instance : found.instances) {
    report::InstanceResult result{makespans_of(found, instance), 0};
    const auto row = std::ranges::find_if(instance.rows, &std::optional<judge::Row>::has_value);
    const report::BoundLine* bound =
        row == instance.rows.end() ? nullptr : judge::best_bound(found.judged[(*row)->first]);
    if (bound != nullptr) result.bound = bound->value;
    results.push_back(std::move(result));
  }
  return report::summarize_policies(results);
}

/// "12 (60.0 %)"
std::string share(std::size_t part, std::size_t whole) {
  return fmt::format(
      "{} ({})", part,
      report::format_percent(static_cast<double>(part) / static_cast<double>(std::max<std::size_t>(whole, 1))));
}

std::string ratio_or_dash(std::optional<double> ratio) {
  return ratio ? report::format_ratio(*ratio) : "-";
}

std::string summary_text(const judge::Comparison& found, const report::TextStyle& style) {
  constexpr double kClose = 1.05;
  const report::Summary summary = summarize(found);
  std::string text = fmt::format("{}, makespans over {}\n\n", report::format_count(found.instances.size(), "instance"),
                                 summary.to_bound ? "the bound" : "the best makespan of each");
  using report::Align;
  report::TextTable table({{"policy", Align::left, true},
                           {"geometric mean", Align::right},
                           {"worst", Align::right},
                           {"best on", Align::right},
                           {"within 5 %", Align::right},
                           {"instances", Align::right}});
  for (const std::size_t policy : summary.order) {
    const report::PolicySummary& of = summary.policies[policy];
    const auto close = static_cast<std::size_t>(std::ranges::upper_bound(of.factors, kClose) - of.factors.begin());
    table.add_row({found.policies[policy], ratio_or_dash(of.mean_ratio), ratio_or_dash(of.worst_ratio),
                   share(of.wins, summary.instances), share(close, summary.instances), std::to_string(of.instances)},
                  policy == summary.order.front() ? report::Tone::good : report::Tone::plain);
  }
  return text + fmt::format("{}\n{}\n", table.text(style),
                            report::harmless(report::describe_summary(found.policies, summary)));
}

}  // namespace

std::string comparison_text(const judge::Comparison& found, const report::TextStyle& style) {
  std::string text;
  if (found.instances.size() <= kFewInstances) {
    for (const judge::Compared& instance : found.instances) text += instance_text(found, instance, style);
  }
  if (found.instances.size() > 1) text += summary_text(found, style);
  return text;
}

bool shows_instances(const judge::Comparison& found) {
  return found.instances.size() <= kFewInstances;
}

nlohmann::ordered_json json_comparison(const judge::Comparison& found) {
  auto document = nlohmann::ordered_json::array();
  for (const judge::Judged& judged : found.judged) document.push_back(json_judged(judged));
  for (const judge::Skipped& skipped : found.skipped) {
    nlohmann::ordered_json record = json_record(skipped.loaded->instance.name, skipped.loaded->platform);
    record.update({{"policy", found.policies[skipped.policy]}, {"skipped", skipped.reason}});
    document.push_back(std::move(record));
  }
  return document;
}

std::string csv_comparison(const judge::Comparison& found) {
  std::string text = report::csv_row(std::vector<std::string>{
      "instance", "platform", "policy", "seed", "run", "noise", "tasks", "makespan", "best_kind", "bound", "ratio",
      "aborted_attempts", "transferred_bytes", "write_home_bytes", "wall_seconds", "version"});
  for (const judge::Judged& judged : found.judged) {
    const report::ScheduleReport& report = judged.report;
    const report::BoundLine* bound = judge::best_bound(judged);
    text += report::csv_row(std::vector<std::string>{
        report.instance->name, report.platform, report.policy, std::to_string(report.seed), std::to_string(report.run),
        report.noise, std::to_string(report.instance->graph.task_count()), format_seconds(report.makespan),
        bound != nullptr ? bound->kind : "", bound != nullptr ? format_seconds(bound->value) : "",
        report.ratio ? fmt::format("{}", *report.ratio) : "", std::to_string(report.aborted_attempts),
        std::to_string(report.transferred_bytes), std::to_string(report.write_home_bytes),
        fmt::format("{}", judged.wall_seconds), HEDDLE_VERSION});
  }
  return text;
}

void report_skipped(const judge::Comparison& found) {
  if (found.skipped.empty()) return;
  std::vector<std::size_t> count(found.policies.size(), 0);
  for (const judge::Skipped& skipped : found.skipped) ++count[skipped.policy];
  std::vector<std::string> names;
  for (std::size_t policy = 0; policy < count.size(); ++policy) {
    if (count[policy] == 0) continue;
    const bool everywhere = count[policy] == found.instances.size();
    names.push_back(found.policies[policy] + (everywhere ? "" : fmt::format(" (on {})", count[policy])));
  }
  fmt::print(stderr, "heddle: skipped {} of {}, which cannot take {}: {} (--json has the reasons)\n", names.size(),
             found.policies.size() == 1 ? "1 policy" : fmt::format("{} policies", found.policies.size()),
             found.instances.size() == 1 ? "the instance" : "some of the instances",
             report::harmless(fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace heddle::cli
