#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "heddle/cli/diagnosed_run.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/wrap.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {
namespace {

using analysis::Cause;
using analysis::ChainLink;
using report::Align;

class DiagnosisText {
 public:
  DiagnosisText(const DiagnosedRun& diagnosed, const report::TextStyle& style, std::size_t width)
      : diagnosed_(diagnosed),
        run_(diagnosed.run),
        instance_(diagnosed.instance()),
        diagnosis_(diagnosed.diagnosis),
        makespan_(diagnosed.makespan()),
        time_(makespan_),
        style_(style),
        width_(width) {}

  [[nodiscard]] std::string text() && {
    add_head();
    if (makespan_ == 0) return std::move(text_);
    add_losses();
    add_chain();
    add_longest_links();
    add_outliers();
    add_sentence(describe_peaks(diagnosis_, instance_.platform, time_));
    if (diagnosed_.what_if) add_what_if(*diagnosed_.what_if);
    return std::move(text_);
  }

 private:
  static constexpr std::size_t kMostLinks = 4;
  static constexpr std::size_t kMostTypes = 6;
  static constexpr std::size_t kLongest = 10;
  static constexpr std::size_t kMostChanges = 8;
  static constexpr std::size_t kMostOutliers = 5;

  [[nodiscard]] std::string share(double part, double whole) const {
    return whole > 0 ? report::format_percent(part / whole) : "-";
  }
  [[nodiscard]] std::string with_share(double time, double whole) const {
    return fmt::format("{} {:>7}", time_(static_cast<TimeSum>(time)), share(time, whole));
  }
  [[nodiscard]] const std::string& name(MemoryId memory) const { return instance_.platform.memories()[memory].name; }

  void add_head() {
    text_ += fmt::format("{}, {}\n", describe_instance(instance_, run_.loaded.platform),
                         report::format_count(instance_.graph.task_count(), "task"));
    text_ += fmt::format("{}{}\n\n", report::harmless(run_.path),
                         run_.schedule.policy.empty() ? "" : ", " + report::harmless(run_.schedule.policy));
    text_ += fmt::format("makespan  {}{}\n", time_(makespan_), run_.is_replayed ? " (replayed)" : "");
    if (run_.measured) text_ += fmt::format("measured  {}\n", time_(*run_.measured));
    const auto& [kinds, linked] = diagnosed_.bounds;
    if (kinds.best_kind()) add_bound(kinds.best(), to_string(*kinds.best_kind()));
    if (linked && linked->value > kinds.best()) add_bound(linked->value, linked->kind);
    const std::string verdict = diagnosed_.verdict();
    if (!verdict.empty()) text_ += fmt::format("\n{}", wrap(report::harmless(verdict), width_));
  }

  void add_bound(Time value, std::string_view kind) {
    text_ += fmt::format("bound     {} ({})\n", time_(value), kind);
    const std::optional<double> ratio = ratio_to(value, makespan_);
    if (ratio) text_ += fmt::format("ratio     {}\n", report::format_ratio(*ratio));
  }

  [[nodiscard]] std::vector<ClassId> classes() const {
    std::vector<ClassId> classes;
    for (const ClassId c : instance_.platform.classes()) {
      if (instance_.platform.worker_count(c) > 0) classes.push_back(c);
    }
    return classes;
  }
  [[nodiscard]] double worker_time(ClassId c) const {
    return static_cast<double>(makespan_) * instance_.platform.worker_count(c);
  }

  void add_losses() {
    std::vector<report::Column> columns{{"time of workers", Align::left}};
    for (const ClassId c : classes()) columns.push_back({instance_.platform.class_name(c), Align::right});
    columns.push_back({"costs the makespan", Align::right});
    report::TextTable table(std::move(columns));
    add_cause(table, Cause::kernel);
    for (const Cause cause : analysis::kLosses) {
      add_cause(table, cause);
      if (cause == Cause::data) add_links(table);
      if (cause == Cause::data_or_overhead) add_least_data(table);
    }
    double cost = 0;
    for (const ClassId c : classes()) cost += diagnosis_.costs.unfavourable[c];
    if (cost >= 1) {  // not what rounding leaves
      std::vector<std::string> cells{"kernels on an unfavourable class"};
      cells.resize(classes().size() + 1);
      cells.push_back(with_share(cost, loss()));
      table.add_row(std::move(cells));
    }
    text_ += fmt::format("\n{}", table.text(style_));
  }

  [[nodiscard]] double loss() const { return static_cast<double>(makespan_) - diagnosis_.costs.area; }

  /// Nothing when no time went to it.
  void add_cause(report::TextTable& table, Cause cause) const {
    std::vector<std::string> cells{std::string(title_of(cause))};
    double cost = 0;
    bool any = false;
    for (const ClassId c : classes()) {
      const TimeSum time = diagnosis_.losses.by_class()[c][cause];
      any = any || time > 0;
      cells.push_back(with_share(static_cast<double>(time), worker_time(c)));
      cost += diagnosis_.costs.of(diagnosis_.losses, c, cause);
    }
    if (!any) return;
    cells.push_back(cause == Cause::kernel ? "" : with_share(cost, loss()));
    table.add_row(std::move(cells));
  }

  /// How much of the row before must have been for data.
  void add_least_data(report::TextTable& table) const {
    const Table<ClassId, TimeSum>& least = diagnosis_.least_data;
    if (std::ranges::all_of(least, [](TimeSum time) { return time == 0; })) return;
    std::vector<std::string> cells{"  at least for data"};
    for (const ClassId c : classes()) cells.push_back(with_share(static_cast<double>(least[c]), worker_time(c)));
    table.add_row(std::move(cells), report::Tone::faint);
  }

  /// The links over which workers waited for data longest.
  void add_links(report::TextTable& table) const {
    std::map<std::pair<MemoryId, MemoryId>, TimeSum> waited;
    for (const ClassId c : classes()) {
      for (const auto& [from, to, time] : diagnosis_.losses.by_class()[c].data) waited[{from, to}] += time;
    }
    std::vector<std::pair<TimeSum, std::pair<MemoryId, MemoryId>>> links;
    for (const auto& [ends, time] : waited) links.emplace_back(time, ends);
    std::ranges::stable_sort(links, std::ranges::greater(), [](const auto& link) { return link.first; });
    for (std::size_t i = 0; i < std::min(links.size(), kMostLinks); ++i) {
      const auto [from, to] = links[i].second;
      std::vector<std::string> cells{fmt::format("  from {} to {}", name(from), name(to))};
      for (const ClassId c : classes()) {
        TimeSum time = 0;
        for (const analysis::LinkLoss& link : diagnosis_.losses.by_class()[c].data) {
          if (link.from == from && link.to == to) time = link.time;
        }
        cells.push_back(with_share(static_cast<double>(time), worker_time(c)));
      }
      table.add_row(std::move(cells), report::Tone::faint);
    }
    if (links.size() > kMostLinks) {
      table.add_row({fmt::format("  over {} more links", links.size() - kMostLinks)}, report::Tone::faint);
    }
  }

  /// How long it was on what.
  void add_chain() {
    Table<TypeId, std::pair<Time, std::size_t>> types(instance_.graph.type_count());
    Time for_data = 0;
    Time waiting = 0;
    for (const ChainLink& link : diagnosis_.chain) {
      const Attempt& attempt = run_.schedule.attempts[link.attempt];
      auto& [time, count] = types[instance_.graph.type(attempt.task)];
      time += attempt.end - attempt.start;
      ++count;
      for_data += link.for_data;
      waiting += link.waited - link.for_data;
    }
    std::vector<TypeId> longest;
    for (const TypeId type : types.ids()) {
      if (types[type].second > 0) longest.push_back(type);
    }
    std::ranges::stable_sort(longest, std::ranges::greater(), [&](TypeId type) { return types[type].first; });
    std::vector<std::string> parts;
    const auto add = [&](const std::string& what, Time time) {
      parts.push_back(fmt::format("{} {} ({})", what, time_(time),
                                  share(static_cast<double>(time), static_cast<double>(makespan_))));
    };
    Time others = 0;
    for (std::size_t i = 0; i < longest.size(); ++i) {
      const auto [time, count] = types[longest[i]];
      if (i < kMostTypes) {
        add(fmt::format("{} x {}", count, instance_.graph.type_name(longest[i])), time);
      } else {
        others += time;
      }
    }
    if (others > 0) add(fmt::format("{} more types", longest.size() - kMostTypes), others);
    if (for_data > 0) add("waiting for data", for_data);
    if (waiting > 0) add("other waiting", waiting);
    const std::string text =
        fmt::format("The chain that decided, {}: {}.", report::format_count(diagnosis_.chain.size(), "attempt"),
                    fmt::join(parts, ", "));
    text_ += fmt::format("\n{}", wrap(report::harmless(text), width_));
  }

  /// Those of the chain that took longest, waiting included, in the order of time.
  void add_longest_links() {
    const auto length = [&](const ChainLink& link) {
      const Attempt& attempt = run_.schedule.attempts[link.attempt];
      return link.waited + attempt.end - attempt.start;
    };
    std::vector<ChainLink> longest = diagnosis_.chain;
    std::ranges::stable_sort(longest, std::ranges::greater(), length);
    if (longest.size() > kLongest) longest.resize(kLongest);
    if (longest.empty()) return;
    std::ranges::stable_sort(longest, {},
                             [&](const ChainLink& link) { return run_.schedule.attempts[link.attempt].start; });
    report::TextTable table({{"its longest links", Align::left, true},
                             {"worker", Align::left},
                             {"start", Align::right},
                             {"lasts", Align::right},
                             {"waited", Align::right},
                             {"for", Align::left}});
    for (const ChainLink& link : longest) {
      const Attempt& attempt = run_.schedule.attempts[link.attempt];
      table.add_row({std::string(instance_.graph.name(attempt.task)), instance_.platform.worker_name(attempt.worker),
                     time_(attempt.start), time_(attempt.end - attempt.start), time_(link.waited),
                     link.wait == analysis::Wait::nothing ? "" : std::string(to_string(link.wait))});
    }
    text_ += fmt::format("\n{}", table.text(style_));
  }

  void add_outliers() {
    if (diagnosis_.outliers.empty()) return;
    report::TextTable table({{"took much longer", Align::left, true},
                             {"attempts", Align::right},
                             {"median", Align::right},
                             {"together above", Align::right},
                             {"the longest", Align::left, true},
                             {"took", Align::right}});
    const std::size_t shown = std::min(diagnosis_.outliers.size(), kMostOutliers);
    for (const analysis::Outliers& outliers : std::span(diagnosis_.outliers).first(shown)) {
      const Attempt& longest = run_.schedule.attempts[outliers.slowest.front()];
      table.add_row(
          {fmt::format("{} on {}", instance_.graph.type_name(outliers.type),
                       instance_.platform.class_name(outliers.on)),
           fmt::format("{} of {}", outliers.slowest.size(), outliers.attempts), time_(outliers.median),
           time_(outliers.excess),
           fmt::format("{} on {}", instance_.graph.name(longest.task), instance_.platform.worker_name(longest.worker)),
           time_(longest.end - longest.start)});
    }
    text_ += fmt::format("\n{}", table.text(style_));
  }

  /// A paragraph, unless it is empty.
  void add_sentence(const std::string& sentence) {
    if (!sentence.empty()) text_ += fmt::format("\n{}", wrap(report::harmless(sentence), width_));
  }

  void add_what_if(const judge::WhatIf& what_if) {
    const std::string model = describe_model(what_if, time_);
    if (!model.empty()) text_ += fmt::format("\n{}", wrap(model, width_));
    report::TextTable table({{"what if", Align::left, true}, {"makespan", Align::right}, {"gain", Align::right}});
    for (std::size_t i = 0; i < std::min(what_if.changes.size(), kMostChanges); ++i) {
      const judge::Change& change = what_if.changes[i];
      table.add_row(
          {describe_change(change), time_(change.makespan), change.gain ? report::format_percent(*change.gain) : "-"});
    }
    if (!what_if.changes.empty()) text_ += fmt::format("\n{}", table.text(style_));
    if (what_if.changes.size() > kMostChanges) {
      text_ +=
          fmt::format("{} gain less\n", report::format_count(what_if.changes.size() - kMostChanges, "other change"));
    }
    add_sentence(describe_leaving(what_if, instance_.platform));
    if (!what_if.not_reached.empty()) {
      add_sentence(fmt::format("Not simulated: {}.", fmt::join(what_if.not_reached, ", ")));
    }
  }

  const DiagnosedRun& diagnosed_;
  const files::LoadedRun& run_;
  const Instance& instance_;
  const judge::Diagnosis& diagnosis_;
  Time makespan_;
  report::TimeFormat time_;
  report::TextStyle style_;
  std::size_t width_;
  std::string text_{};
};

}  // namespace

std::string DiagnosedRun::verdict() const {
  const std::string advice = what_if ? judge::advice(*what_if) : "";
  const std::string said = diagnosis.verdict + (diagnosis.verdict.empty() || advice.empty() ? "" : " ") + advice;
  constexpr const char* kReplayed =
      "Order and waiting were not recorded: all of this is of a replay, in which each task starts on its machine as "
      "soon "
      "as it can.";
  return run.is_replayed ? kReplayed + (said.empty() ? "" : " " + said) : said;
}

std::string describe_model(const judge::WhatIf& what_if, const report::TimeFormat& time) {
  if (what_if.model.empty()) return "";
  return fmt::format("Simulated, {}, the run takes {}: the model's error is {:.1f} %{}.",
                     what_if.model == "replay" ? "with its own decisions" : "with its policy again",
                     time(what_if.simulated), 100 * what_if.model_error,
                     what_if.trusted ? "" : "; that is too much to claim gains");
}

std::string describe_leaving(const judge::WhatIf& what_if, const Platform& platform) {
  if (!what_if.trusted || what_if.leaving.empty()) return "";
  std::vector<std::string> parts;
  for (const auto& [from, workers] : what_if.leaving) {
    parts.push_back(fmt::format("{} of {} {}", workers, platform.worker_count(from), platform.class_name(from)));
  }
  return fmt::format("Could leave without harm: {}.", fmt::join(parts, ", or "));
}

std::string describe_peaks(const judge::Diagnosis& diagnosis, const Platform& platform,
                           const report::TimeFormat& time) {
  constexpr std::size_t kMostMemories = 4;
  std::vector<std::string> parts;
  for (const MemoryId memory : diagnosis.peaks.ids()) {
    const auto& [bytes, at] = diagnosis.peaks[memory];
    if (bytes == 0 || parts.size() == kMostMemories) continue;
    parts.push_back(
        fmt::format("{} in {} at {}", report::format_bytes(bytes), platform.memories()[memory].name, time(at)));
  }
  return parts.empty() ? "" : fmt::format("Most data at once: {}.", fmt::join(parts, ", "));
}

std::string describe_change(const judge::Change& change) {
  const bool says_policy = change.policy.empty() || change.what.starts_with("policy ");
  return says_policy ? change.what : fmt::format("{}, under {}", change.what, change.policy);
}

std::optional<double> ratio_to(Time bound, Time makespan) {
  if (bound == 0) return std::nullopt;
  return to_seconds(makespan) / to_seconds(bound);
}

std::string diagnosed_text(const DiagnosedRun& diagnosed, const report::TextStyle& style, std::size_t width) {
  return DiagnosisText(diagnosed, style, width).text();
}

}  // namespace heddle::cli
