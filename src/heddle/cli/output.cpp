#include "heddle/cli/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "heddle/cli/interrupt.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/html_page.hpp"

namespace heddle::cli {

using Json = nlohmann::ordered_json;

namespace {

/// Standard output as the program got it.
std::FILE* standard_output = stdout;

/// From now on standard output is for one file, and what is printed goes to standard error.
void keep_standard_output() {
  if (standard_output != stdout) return;
  const int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  std::FILE* file = descriptor < 0 ? nullptr : fdopen(descriptor, "w");
  if (file == nullptr || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    throw InputError(std::string("standard output and standard error are not both open: ") + std::strerror(errno));
  }
  standard_output = file;
}

/// Of the variables that say which letters the terminal shows, the first that is set decides.
bool writes_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);
    std::ranges::transform(locale, locale.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

/// "-", /dev/stdout, or a name of the file, terminal or pipe that standard output is. Devices that keep nothing
/// (/dev/null) take from every process.
bool is_standard_output(const std::string& path) {
  if (path == "-" || io::descriptor_of(path) == STDOUT_FILENO) return true;
  struct stat named{};
  struct stat standard{};
  return stat(path.c_str(), &named) == 0 && fstat(fileno(standard_output), &standard) == 0 &&
         named.st_dev == standard.st_dev && named.st_ino == standard.st_ino &&
         (!S_ISCHR(named.st_mode) || isatty(fileno(standard_output)) != 0);
}

std::string head_text(const judge::Judged& judged) {
  const report::ScheduleReport& report = judged.report;
  const Instance& instance = *report.instance;
  std::string text =
      fmt::format("{}, {}\n{}{}\n\n", describe_instance(instance, report.platform),
                  report::format_count(instance.graph.task_count(), "task"), report.policy,
                  report.noise.empty() ? "" : fmt::format(", noise {}, seed {}", report.noise, report.seed));
  if (!judged.note.empty()) text += fmt::format("chose     {}\n", judged.note);
  const report::TimeFormat time(report.makespan);
  text += fmt::format("makespan  {}\n", time(report.makespan));
  const report::BoundLine* bound = judge::best_bound(judged);
  if (bound != nullptr && report.ratio) {
    text += fmt::format("bound     {} ({})\n", time(bound->value), bound->kind);
    text += fmt::format("ratio     {}\n", report::format_ratio(*report.ratio));
  }
  if (report.joules) text += fmt::format("energy    {}\n", report::format_joules(*report.joules));
  return text;
}

Json json_contexts(const report::ScheduleReport& report) {
  const Platform& platform = report.instance->platform;
  Json contexts = Json::array();
  for (const ContextId id : report.contexts.ids()) {
    const Context& context = report.contexts[id];
    const ContextUse& use = report.context_use[id];
    Json workers = Json::array();
    for (const WorkerId worker : context.workers) workers.push_back(platform.worker_name(worker));
    contexts.push_back({{"name", context.name},
                        {"policy", context.policy},
                        {"workers", std::move(workers)},
                        {"tasks", use.tasks},
                        {"busy", json_seconds(use.busy)},
                        {"idle", json_seconds(use.idle)},
                        {"start", use.tasks > 0 ? json_seconds(use.first_start) : Json()},
                        {"end", use.tasks > 0 ? json_seconds(use.end) : Json()},
                        {"aborted_attempts", use.aborted}});
  }
  return contexts;
}

std::string contexts_text(const report::ScheduleReport& report, const report::TextStyle& style) {
  using report::Align;
  const Platform& platform = report.instance->platform;
  const report::TimeFormat time(report.makespan);
  report::TextTable table({{"context", Align::left},
                           {"policy", Align::left},
                           {"workers", Align::left},
                           {"tasks", Align::right},
                           {"busy", Align::right},
                           {"idle share", Align::right},
                           {"starts", Align::right},
                           {"ends", Align::right},
                           {"aborted", Align::right}});
  for (const ContextId id : report.contexts.ids()) {
    const Context& context = report.contexts[id];
    const ContextUse& use = report.context_use[id];
    const double whole = to_seconds(use.busy) + to_seconds(use.idle);
    table.add_row({report::harmless(context.name), report::harmless(context.policy),
                   describe_workers(platform.restricted(context.workers)),
                   report::format_count(static_cast<std::int64_t>(use.tasks)), time(use.busy),
                   whole > 0 ? report::format_percent(to_seconds(use.idle) / whole) : "-",
                   use.tasks > 0 ? time(use.first_start) : "-", use.tasks > 0 ? time(use.end) : "-",
                   report::format_count(static_cast<std::int64_t>(use.aborted))});
  }
  return "\n" + table.text(style);
}

Json json_moves(const report::ScheduleReport& report) {
  Json moves = Json::array();
  for (const WorkerMove& move : report.moves) {
    moves.push_back({{"at", json_seconds(move.at)},
                     {"worker", report.instance->platform.worker_name(move.worker)},
                     {"from", move.from == kNone<ContextId> ? Json() : Json(report.contexts[move.from].name)},
                     {"to", move.to == kNone<ContextId> ? Json() : Json(report.contexts[move.to].name)}});
  }
  return moves;
}

/// The first of them.
std::string moves_text(const report::ScheduleReport& report, const report::TextStyle& style) {
  constexpr std::size_t kMost = 12;
  using report::Align;
  const report::TimeFormat time(report.makespan);
  report::TextTable table({{"at", Align::right}, {"worker", Align::left}, {"from", Align::left}, {"to", Align::left}});
  const auto name = [&](ContextId id) {
    return id == kNone<ContextId> ? "-" : report::harmless(report.contexts[id].name);
  };
  for (std::size_t i = 0; i < std::min(kMost, report.moves.size()); ++i) {
    const WorkerMove& move = report.moves[i];
    table.add_row({time(move.at), report::harmless(report.instance->platform.worker_name(move.worker)), name(move.from),
                   name(move.to)});
  }
  std::string text = "\n" + table.text(style);
  if (report.moves.size() > kMost) {
    text += fmt::format("and {} (--json lists all)\n",
                        report::format_count(static_cast<std::int64_t>(report.moves.size() - kMost), "more move"));
  }
  return text;
}

std::string classes_text(const judge::Judged& judged, const report::TextStyle& style) {
  using report::Align;
  const report::ScheduleReport& report = judged.report;
  const Platform& platform = report.instance->platform;
  const report::TimeFormat time(report.makespan);
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
    if (platform.worker_count(c) == 0) continue;
    const ClassUse& use = report.classes[c];
    const double whole = to_seconds(use.busy) + to_seconds(use.idle);
    table.add_row({platform.class_name(c), std::to_string(platform.worker_count(c)),
                   report::format_count(static_cast<std::int64_t>(use.tasks)), time(use.busy), time(use.idle),
                   whole > 0 ? report::format_percent(to_seconds(use.idle) / whole) : "-",
                   judged.normalized_idle[c] ? report::format_ratio(*judged.normalized_idle[c]) : "-",
                   use.acceleration ? report::format_ratio(*use.acceleration) : "-"});
  }
  return "\n" + table.text(style);
}

}  // namespace

report::TextStyle terminal_style(int descriptor) {
  report::TextStyle style{.ascii = !writes_utf8()};
  if (isatty(descriptor) == 0) return style;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0) style.width = size.ws_col;
  const char* no_color = std::getenv("NO_COLOR");
  style.colour = no_color == nullptr || *no_color == '\0';
  return style;
}

void check_outputs(std::initializer_list<Output> outputs, bool json) {
  bool is_kept = false;
  std::map<std::string, const char*> taken;  // by the file's one name, the option that writes to it
  for (const auto& [option, path, is_stream] : outputs) {
    if (path.empty()) continue;
    const bool is_standard = is_standard_output(path);
    if (is_standard) {
      is_kept = true;
      if (!is_stream) throw InputError(fmt::format("{} is '{}'; expected a file", option, path));
      if (json) {
        throw InputError(fmt::format("{} is '{}', but --json leaves standard output to one document", option, path));
      }
    } else {
      io::check_writable(path);
      // /dev/null and pipes take from every process.
      if (io::kind_of(path) == io::PathKind::other) continue;
    }
    const auto [place, is_new] = taken.try_emplace(is_standard ? "-" : io::resolve(path), option);
    if (!is_new)
      throw InputError(fmt::format("{} and {} are both '{}'; expected two files", place->second, option, path));
  }
  if (is_kept) keep_standard_output();
}

std::string output_path(const std::string& path) {
  return !path.empty() && is_standard_output(path) ? fmt::format("/dev/fd/{}", fileno(standard_output)) : path;
}

void write_output(const std::string& path, const std::string& text) {
  check_interrupt();
  if (is_standard_output(path)) {
    const WaitForReader waiting;
    const bool is_written = std::fwrite(text.data(), 1, text.size(), standard_output) == text.size();
    if (!is_written || std::fflush(standard_output) != 0) throw InputError(kUnwritable);
    return;
  }
  if (io::kind_of(path) == io::PathKind::other) {
    const WaitForReader waiting;
    return io::write_file(path, text);
  }
  const UninterruptedWrite guard;
  io::write_file(path, text);
}

Json json_seconds(TimeSum time) {
  return std::strtod(format_seconds(time).c_str(), nullptr);
}

Json json_record(const std::string& instance, const std::string& platform) {
  return {
      {"instance", instance}, {"platform", platform.empty() ? Json() : Json(platform)}, {"version", HEDDLE_VERSION}};
}

Json json_bounds(const std::vector<report::BoundLine>& lines) {
  Json bounds = Json::object();
  for (const report::BoundLine& line : lines) bounds[line.kind] = json_seconds(line.value);
  return bounds;
}

Json json_judged(const judge::Judged& judged) {
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
  if (report.joules) {
    for (const ClassId c : report.class_joules.ids()) {
      classes[index(c)]["joules"] = report.class_joules[c] ? Json(*report.class_joules[c]) : Json();
    }
  }
  Json record = json_record(report.instance->name, report.platform);
  record.update({{"policy", report.policy},
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
                 {"classes", std::move(classes)}});
  if (report.joules) record["joules"] = *report.joules;
  if (!report.contexts.empty()) record["contexts"] = json_contexts(report);
  if (!report.moves.empty()) record["moves"] = json_moves(report);
  return record;
}

void write_files(const judge::Judged& judged, const std::string& output, const std::string& gantt,
                 const report::Origin& origin) {
  const Instance& instance = *judged.report.instance;
  if (!output.empty()) write_output(output, io::write_schedule(*judged.schedule, instance));
  if (!gantt.empty())
    write_output(gantt, report::html_page(instance.name, std::span(&judged.report, 1), {.origin = origin}));
}

std::string outcome_text(const judge::Judged& judged, const report::TextStyle& style) {
  std::string text = head_text(judged) + classes_text(judged, style);
  if (!judged.report.contexts.empty()) text += contexts_text(judged.report, style);
  if (!judged.report.moves.empty()) text += moves_text(judged.report, style);
  if (!judged.report.instance->platform.links().empty()) {
    const std::size_t copies = judged.schedule->transfers.size();
    const std::int64_t away = judged.report.write_home_bytes;
    text += fmt::format("\n{} transferred in {} {}{}\n", report::format_bytes(judged.report.transferred_bytes),
                        report::format_count(static_cast<std::int64_t>(copies)), copies == 1 ? "copy" : "copies",
                        away > 0 ? fmt::format(", {} of results left on devices", report::format_bytes(away)) : "");
  }
  return text;
}

std::string judged_text(const judge::Judged& judged, const report::TextStyle& style) {
  const bool long_time = judged.wall_seconds >= 1;
  return outcome_text(judged, style) +
         fmt::format("\n{}; decided in {:.3g} {}\n",
                     report::format_count(judged.report.aborted_attempts, "aborted attempt"),
                     long_time ? judged.wall_seconds : judged.wall_seconds * 1e3, long_time ? "s" : "ms");
}

void print_text(const std::string& text) {
  fmt::print("{}", text);
}

void print_json(const Json& document) {
  fmt::print("{}\n", document.dump(2, ' ', false, Json::error_handler_t::replace));
}

std::string describe_workers(const Platform& platform) {
  std::string text;
  for (const ClassId c : platform.classes()) {
    if (platform.worker_count(c) == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : " + ", platform.worker_count(c), platform.class_name(c));
  }
  return text.empty() ? "no worker" : text;
}

std::string describe_instance(const Instance& instance, const std::string& platform) {
  return report::harmless(fmt::format("{} on {} ({})", instance.name, platform, describe_workers(instance.platform)));
}

}  // namespace heddle::cli
