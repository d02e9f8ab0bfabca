#include "heddle/starpu/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "heddle/bounds/bounds.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/schedule_file.hpp"

namespace heddle::starpu {

std::string summary(const Recorder::Record& record, std::optional<Time> deciding) {
  const std::vector<Attempt>& attempts = record.schedule.attempts;
  if (attempts.empty()) return "no task went through the scheduler";
  const Time makespan = std::ranges::max(attempts, {}, &Attempt::end).end;
  const Time bound = bounds::compute(record.instance, bounds::default_kinds(record.instance)).best();
  const std::string ratio = bound > 0
                                ? fmt::format("{:.3f} times the lower bound", to_seconds(makespan) / to_seconds(bound))
                                : "which nothing bounds from below";
  const std::string decisions =
      deciding ? fmt::format("; decisions took {:.6f} s", to_seconds(*deciding)) : std::string();
  return fmt::format("{} tasks under {} in {:.6f} s, {}{}", attempts.size(), record.schedule.policy,
                     to_seconds(makespan), ratio, decisions);
}

bool wants_record(const Settings& settings) {
  return !settings.record.empty() || settings.summarizes;
}

void report(const Recorder::Record& record, const Settings& settings, unsigned context, std::optional<Time> deciding) {
  if (!settings.record.empty()) {
    io::write_file(instance_path(settings.record, context), io::write_instance(record.instance));
    io::write_file(schedule_path(settings.record, context), io::write_schedule(record.schedule, record.instance));
    if (!record.gap.empty()) {
      std::fprintf(stderr, "heddle: HEDDLE_RECORD: StarPU moved data unseen, so the record has no transfers: %s\n",
                   record.gap.c_str());
    }
  }
  if (!settings.summarizes) return;
  const std::string rank = settings.rank.empty() ? "" : "rank " + settings.rank + ": ";
  std::fprintf(stderr, "heddle: %s%s\n", rank.c_str(), summary(record, deciding).c_str());
}

}  // namespace heddle::starpu
