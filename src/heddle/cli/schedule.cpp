#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/judge.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/html_page.hpp"

namespace heddle::cli {
namespace {

void print_head(const Judged& judged) {
  const report::ScheduleReport& report = judged.report;
  const Instance& instance = *report.instance;
  fmt::print("{} on {} ({}), {} tasks\n{}{}\n\n", instance.name, report.platform, describe_workers(instance.platform),
             report::format_count(static_cast<std::int64_t>(instance.graph.task_count())), report.policy,
             report.noise.empty() ? "" : fmt::format(", noise {}, seed {}", report.noise, report.seed));
  if (!judged.note.empty()) fmt::print("takes     {}\n", judged.note);
  fmt::print("makespan  {}\n", report::format_time(report.makespan));
  if (!judged.best_kind || !report.ratio) return;
  const std::string_view kind = bounds::to_string(*judged.best_kind);
  for (const report::BoundLine& line : report.bounds) {
    if (line.kind == kind) fmt::print("bound     {} ({})\n", report::format_time(line.value), kind);
  }
  fmt::print("ratio     {}\n", report::format_ratio(*report.ratio));
}

void print_classes(const Judged& judged) {
  using report::Align;
  const report::ScheduleReport& report = judged.report;
  const Platform& platform = report.instance->platform;
  const char* fit = platform.class_count() == 2 ? "acceleration" : "slowdown";
  report::TextTable table({{"class", Align::left},
                           {"workers", Align::right},
                           {"tasks", Align::right},
                           {"busy", Align::right},
                           {"idle", Align::right},
                           {"idle share", Align::right},
                           {"normalized idle", Align::right},
                           {fit, Align::right}});
  for (const ClassId c : platform.classes()) {
    const ClassUse& use = report.classes[c];
    const double whole = to_seconds(use.busy) + to_seconds(use.idle);
    table.add_row({platform.class_name(c), std::to_string(platform.worker_count(c)),
                   report::format_count(static_cast<std::int64_t>(use.tasks)), report::format_time(use.busy),
                   report::format_time(use.idle),
                   whole > 0 ? report::format_percent(to_seconds(use.idle) / whole) : "-",
                   judged.normalized_idle[c] ? report::format_ratio(*judged.normalized_idle[c]) : "-",
                   use.acceleration ? report::format_ratio(*use.acceleration) : "-"});
  }
  fmt::print("\n{}", table.text(terminal_style()));
}

void print(const Judged& judged) {
  print_head(judged);
  print_classes(judged);
  if (!judged.report.instance->platform.links().empty()) {
    const std::size_t copies = judged.schedule->transfers.size();
    fmt::print("\n{} transferred in {} {}, {} left to write home\n",
               report::format_bytes(judged.report.transferred_bytes),
               report::format_count(static_cast<std::int64_t>(copies)), copies == 1 ? "copy" : "copies",
               report::format_bytes(judged.report.write_home_bytes));
  }
  const std::size_t aborted = judged.report.aborted_attempts;
  fmt::print("\n{} aborted {}; decided in {:.3g} ms\n", aborted, aborted == 1 ? "attempt" : "attempts",
             judged.wall_seconds * 1e3);
}

}  // namespace

int schedule(const ScheduleOptions& options) {
  const policy::Spec spec = load_policy(options.policy);
  const sim::Config config{.noise = sim::Noise(options.noise), .seed = options.seed, .ahead = options.ahead};
  const Loaded loaded = load_instance(options.instance, options.input);
  const Instance& instance = loaded.instance;
  const auto kinds = parse_kinds(options.bound, instance.graph.task_count());
  const Schedule plan = load_plan(spec, instance);
  const std::string objection = spec.objection(instance);
  const bounds::Bounds bounds = objection.empty() ? bounds::compute(instance, kinds) : bounds::Bounds();
  Judged judged = judge(instance, spec, config, plan, bounds);
  judged.report.platform = loaded.platform;
  judged.report.run = 1;
  if (!options.output.empty()) write_output(options.output, io::write_schedule(*judged.schedule, instance));
  if (!options.gantt.empty()) {
    write_output(options.gantt, report::html_page(instance.name, std::span(&judged.report, 1)));
  }
  if (options.json) {
    print_json(json_judged(judged));
  } else {
    print(judged);
  }
  return 0;
}

}  // namespace heddle::cli
