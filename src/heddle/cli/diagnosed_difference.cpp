#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "heddle/cli/diagnosed_run.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/wrap.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {
namespace {

using analysis::Cause;
using report::Align;
using Json = nlohmann::ordered_json;

/// The attempts of a kernel that completed on a class.
struct KernelTime {
  std::size_t tasks = 0;
  TimeSum time = 0;
};

/// By the names of type and class, which two recordings may number otherwise.
using KernelKey = std::pair<std::string, std::string>;
struct BothTimes {
  KernelTime before;
  KernelTime after;
};

void count_kernels(const DiagnosedRun& run, std::map<KernelKey, BothTimes>& kernels, KernelTime BothTimes::* side) {
  const Instance& instance = run.instance();
  for (const Attempt& attempt : run.run.schedule.attempts) {
    if (attempt.outcome != Outcome::completed) continue;
    const std::string type(instance.graph.type_name(instance.graph.type(attempt.task)));
    const std::string& on = instance.platform.class_name(instance.platform.class_of(attempt.worker));
    KernelTime& kernel = kernels[{type, on}].*side;
    ++kernel.tasks;
    kernel.time += attempt.end - attempt.start;
  }
}

std::map<KernelKey, BothTimes> kernels_of(const DiagnosedRun& before, const DiagnosedRun& after) {
  std::map<KernelKey, BothTimes> kernels;
  count_kernels(before, kernels, &BothTimes::before);
  count_kernels(after, kernels, &BothTimes::after);
  return kernels;
}

/// The time that classes of this name gave to a cause; 0 without such a class.
TimeSum time_of(const DiagnosedRun& run, const std::string& class_name, Cause cause) {
  const auto c = run.instance().platform.find_class(class_name);
  return c ? run.diagnosis.losses.by_class()[*c][cause] : 0;
}

/// The names of the classes of both runs.
std::vector<std::string> classes_of(const DiagnosedRun& before, const DiagnosedRun& after) {
  std::vector<std::string> names;
  for (const DiagnosedRun* run : {&before, &after}) {
    const Platform& platform = run->instance().platform;
    for (const ClassId c : platform.classes()) {
      const bool is_new = std::ranges::find(names, platform.class_name(c)) == names.end();
      if (is_new && platform.worker_count(c) > 0) names.push_back(platform.class_name(c));
    }
  }
  return names;
}

/// Rows of "before", "after" and what changed.
class DifferenceTable {
 public:
  DifferenceTable(std::string title, Time reference)
      : table_({{std::move(title), Align::left, true},
                {"before", Align::right},
                {"after", Align::right},
                {"change", Align::right},
                {"", Align::right}}),
        time_(reference) {}

  void add(std::string what, TimeSum before, TimeSum after) {
    const TimeSum change = after - before;
    const std::string share = before > 0 ? fmt::format("{:+.1f} %", 100 * to_seconds(change) / to_seconds(before)) : "";
    table_.add_row({std::move(what), time_(before), time_(after), (change > 0 ? "+" : "") + time_(change), share});
  }
  void print() const { fmt::print("\n{}", table_.text(terminal_style())); }

 private:
  report::TextTable table_;
  report::TimeFormat time_;
};

}  // namespace

void print_difference(const DiagnosedRun& before, const DiagnosedRun& after) {
  for (const auto& [when, run] : {std::pair("before", &before), std::pair("after", &after)}) {
    const std::string& policy = run->run.schedule.policy;
    fmt::print("{:<7} {}{}\n        {}, {}\n", when, report::harmless(run->run.path),
               policy.empty() ? "" : ", " + report::harmless(policy),
               describe_instance(run->instance(), run->run.loaded.platform),
               report::format_count(run->instance().graph.task_count(), "task"));
  }
  const Time longer = std::max(before.makespan(), after.makespan());
  DifferenceTable causes("time of workers", longer);
  causes.add("makespan", before.makespan(), after.makespan());
  for (const std::string& name : classes_of(before, after)) {
    for (std::size_t i = 0; i < analysis::kCauseCount; ++i) {
      const auto cause = static_cast<Cause>(i);
      const TimeSum was = time_of(before, name, cause);
      const TimeSum is = time_of(after, name, cause);
      if (was > 0 || is > 0) causes.add(fmt::format("{}: {}", name, title_of(cause)), was, is);
    }
  }
  causes.print();
  DifferenceTable kernels("kernels", longer);
  for (const auto& [key, times] : kernels_of(before, after)) {
    const std::string what =
        fmt::format("{} on {} ({} -> {} tasks)", key.first, key.second, times.before.tasks, times.after.tasks);
    kernels.add(what, times.before.time, times.after.time);
  }
  kernels.print();
  for (const auto& [when, run] : {std::pair("Before", &before), std::pair("After", &after)}) {
    if (run->verdict().empty()) continue;
    fmt::print("\n{}", wrap(report::harmless(fmt::format("{}: {}", when, run->verdict())), text_width()));
  }
}

Json json_difference(const DiagnosedRun& before, const DiagnosedRun& after) {
  const auto json_time = [](const KernelTime& kernel) {
    return Json{{"tasks", kernel.tasks}, {"seconds", json_seconds(kernel.time)}};
  };
  Json kernels = Json::array();
  for (const auto& [key, times] : kernels_of(before, after)) {
    kernels.push_back({{"type", key.first},
                       {"class", key.second},
                       {"before", json_time(times.before)},
                       {"after", json_time(times.after)}});
  }
  return {{"before", json_diagnosed(before)}, {"after", json_diagnosed(after)}, {"kernels", std::move(kernels)}};
}

}  // namespace heddle::cli
