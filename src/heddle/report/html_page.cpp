#include "heddle/report/html_page.hpp"

#include <algorithm>

#include "heddle/model/error.hpp"
#include "heddle/report/page/embedded.hpp"
#include "heddle/report/page_data.hpp"
#include "heddle/report/utf8.hpp"

namespace heddle::report {
namespace {

std::string_view page_file(std::string_view name) {
  const auto files = page::files();
  const auto found = std::ranges::find(files, name, &page::File::name);
  if (found == files.end()) throw InternalError("the report's page has no file " + std::string(name));
  return found->text;
}

/// Every script, in the order of the build's list.
std::string scripts() {
  std::string text;
  for (const page::File& file : page::files()) {
    if (file.name.ends_with(".js")) text += file.text;
  }
  return text;
}

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char letter : valid_utf8(text)) {
    switch (letter) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

/// page.html up to each of its marks, filled in; marks inside what is filled in stay as they are.
class Template {
 public:
  explicit Template(std::string_view text) : rest_(text) {}

  void fill(std::string_view mark, std::string_view value) {
    const std::size_t at = rest_.find(mark);
    if (at == std::string_view::npos) throw InternalError("page.html lacks the mark " + std::string(mark));
    filled_.append(rest_.substr(0, at)).append(value);
    rest_.remove_prefix(at + mark.size());
  }
  [[nodiscard]] std::string finish() && { return std::move(filled_.append(rest_)); }

 private:
  std::string_view rest_;
  std::string filled_;
};

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
  return report;
}

std::string html_page(std::string_view title, std::span<const ScheduleReport> reports, const PageOptions& options) {
  Template page(page_file("page.html"));
  page.fill("{{title}}", html_text(title));
  page.fill("{{style}}", page_file("page.css"));
  page.fill("{{data}}", page_data(title, reports, options));
  page.fill("{{scripts}}", scripts());
  return std::move(page).finish();
}

}  // namespace heddle::report
