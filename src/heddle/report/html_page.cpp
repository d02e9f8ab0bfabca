#include "heddle/report/html_page.hpp"

#include <algorithm>

#include "heddle/report/page/embedded.hpp"
#include "heddle/report/page_data.hpp"
#include "heddle/report/page_template.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::report {
namespace {

std::optional<double> ratio_to(Time makespan, std::span<const BoundLine> bounds) {
  Time best = 0;
  for (const BoundLine& bound : bounds) best = std::max(best, bound.value);
  if (best == 0) return std::nullopt;
  return static_cast<double>(makespan) / static_cast<double>(best);
}

}  // namespace

ScheduleReport summarize(const Instance& instance, const Schedule& schedule, std::vector<BoundLine> bounds) {
  ScheduleReport report;
  report.instance = &instance;
  report.schedule = &schedule;
  report.policy = schedule.policy;
  report.seed = schedule.seed;
  report.noise = schedule.noise;
  report.makespan = schedule.makespan();
  report.ratio = ratio_to(report.makespan, bounds);
  report.bounds = std::move(bounds);
  report.aborted_attempts = schedule.aborted_attempts();
  report.transferred_bytes = transferred_bytes(schedule);
  report.write_home_bytes = write_home_bytes(instance, schedule);
  report.classes = class_use(instance, schedule);
  report.contexts = schedule.contexts.all;
  report.context_use = context_use(schedule);
  report.moves = schedule.moves;
  report.class_joules = class_joules(instance, schedule);
  report.joules = joules(instance.platform, report.class_joules);
  return report;
}

std::string html_page(std::string_view title, std::span<const ScheduleReport> reports, const PageOptions& options) {
  const auto files = page::files();
  const std::string shown = harmless(title);
  PageTemplate page(page_file(files, "page.html"));
  page.fill("{{title}}", html_text(shown));
  page.fill("{{style}}", page_file(files, "page.css"));
  page.fill("{{origin}}", origin_html(options.origin));
  page.fill("{{data}}", page_data(shown, reports, options));
  page.fill("{{scripts}}", page_scripts(files));
  return std::move(page).finish();
}

}  // namespace heddle::report
