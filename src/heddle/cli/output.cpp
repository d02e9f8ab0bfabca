#include "heddle/cli/output.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "heddle/cli/interrupt.hpp"
#include "heddle/io/file.hpp"

namespace heddle::cli {

using Json = nlohmann::ordered_json;

report::TextStyle terminal_style() {
  report::TextStyle style;
  if (isatty(STDOUT_FILENO) == 0) return style;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  const char* no_color = std::getenv("NO_COLOR");
  style.colour = no_color == nullptr || *no_color == '\0';
  return style;
}

void write_output(const std::string& path, const std::string& text) {
  check_interrupt();
  if (path == "-") {
    fmt::print("{}", text);
  } else {
    const UninterruptedWrite guard;
    io::write_file(path, text);
  }
}

Json json_seconds(Time time) {
  return std::strtod(format_seconds(time).c_str(), nullptr);
}

Json json_bounds(const std::vector<report::BoundLine>& lines) {
  Json bounds = Json::object();
  for (const report::BoundLine& line : lines) bounds[line.kind] = json_seconds(line.value);
  return bounds;
}

Json json_judged(const Judged& judged) {
  const report::ScheduleReport& report = judged.report;
  Json classes = Json::array();
  for (const ClassId c : report.instance->platform.classes()) {
    const ClassUse& use = report.classes[c];
    classes.push_back({{"name", report.instance->platform.class_name(c)},
                       {"workers", report.instance->platform.worker_count(c)},
                       {"busy", json_seconds(use.busy)},
                       {"idle", json_seconds(use.idle)},
                       {"acceleration", use.acceleration ? Json(*use.acceleration) : Json()},
                       {"normalized_idle", judged.normalized_idle[c] ? Json(*judged.normalized_idle[c]) : Json()}});
  }
  const Json best_kind = judged.best_kind ? Json(bounds::to_string(*judged.best_kind)) : Json();
  return {{"instance", report.instance->name},
          {"policy", report.policy},
          {"seed", report.seed},
          {"run", report.run},
          {"noise", report.noise.empty() ? Json() : Json(report.noise)},
          {"tasks", report.instance->graph.task_count()},
          {"makespan", json_seconds(report.makespan)},
          {"bounds", json_bounds(report.bounds)},
          {"best_kind", best_kind},
          {"ratio", report.ratio ? Json(*report.ratio) : Json()},
          {"aborted_attempts", report.aborted_attempts},
          {"transferred_bytes", report.transferred_bytes},
          {"write_home_bytes", report.write_home_bytes},
          {"wall_seconds", judged.wall_seconds},
          {"note", judged.note.empty() ? Json() : Json(judged.note)},
          {"classes", std::move(classes)}};
}

void print_json(const Json& document) {
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string describe_workers(const Platform& platform) {
  std::string text;
  for (const ClassId c : platform.classes()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", platform.worker_count(c), platform.class_name(c));
  }
  return text;
}

}  // namespace heddle::cli
