#include <algorithm>
#include <map>
#include <utility>

#include "heddle/judge/judge.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/parallel.hpp"

namespace heddle::judge {
namespace {

class Comparer {
 public:
  Comparer(const std::vector<Candidate>& candidates, const CompareOptions& options)
      : candidates_(candidates), options_(options) {
    for (const Candidate& candidate : candidates) found_.policies.push_back(candidate.name());
    // A typo is told before anything runs.
    static_cast<void>(bounds::parse_kinds(options.bound, Instance()));
  }

  Comparison compare(std::vector<files::LoadedInstance> instances) {
    for (files::LoadedInstance& loaded : instances) found_.instances.push_back({std::move(loaded)});
    compute_bounds();
    for (Compared& instance : found_.instances) {
      instance.rows.resize(candidates_.size());
      for (std::size_t policy = 0; policy < candidates_.size(); ++policy) plan_runs(instance, policy);
    }
    work();
    collect();
    return std::move(found_);
  }

 private:
  struct Run {
    Compared* instance;
    std::size_t policy;
    std::shared_ptr<const Schedule> plan;
    std::uint32_t number;
    std::optional<Judged> judged{};
    std::string reason{};  ///< why the policy could not take the instance
  };

  /// Does part(0), ..., part(count - 1).
  template <class Part>
  void on_all_cores(std::string_view what, std::size_t count, Part&& part) const {
    const auto tell = [&](std::size_t done) {
      if (options_.watch) options_.watch(what, done, count);
    };
    tell(0);
    parallel_for(count, core_count(), std::forward<Part>(part), tell);
  }

  void compute_bounds() {
    std::vector<const Compared*> instances;
    for (const Compared& instance : found_.instances) {
      instances.push_back(&instance);
      bounds_[&instance];
    }
    on_all_cores("bounds", instances.size(), [&](std::size_t i) {
      const Instance& instance = instances[i]->loaded.instance;
      bounds_.at(instances[i]) =
          bounds::compute(instance, bounds::parse_kinds(options_.bound, instance), {.stop = options_.stop});
    });
  }

  /// Why the policy is left out: the instance does not fit it or, where such are skipped, it wants more than an
  /// instance.
  [[nodiscard]] std::string reason_to_skip(const Candidate& candidate, const Instance& instance) const {
    std::string objection = candidate.objection(instance);
    if (!objection.empty()) return objection;
    const policy::Spec* const spec = candidate.spec();
    if (spec != nullptr && files::lacks_plan(*spec) && options_.skips_unfit) {
      return "policy '" + spec->entry().name + "' follows a given schedule (" + spec->entry().name +
             ":file=SCHEDULE.json)";
    }
    return "";
  }

  void plan_runs(Compared& instance, std::size_t policy) {
    const Candidate& candidate = candidates_[policy];
    const std::string reason = reason_to_skip(candidate, instance.loaded.instance);
    if (!reason.empty()) {
      if (!options_.skips_unfit) throw InputError(reason);
      runs_.push_back({.instance = &instance, .policy = policy, .plan = nullptr, .number = 0, .reason = reason});
      return;
    }
    const policy::Spec* const spec = candidate.spec();
    const auto plan = std::make_shared<const Schedule>(
        spec != nullptr ? files::load_plan(*spec, instance.loaded.instance) : Schedule());
    for (std::uint32_t number = 0; number < options_.runs; ++number) {
      runs_.push_back({.instance = &instance, .policy = policy, .plan = plan, .number = number});
    }
  }

  void work() {
    on_all_cores("runs", runs_.size(), [&](std::size_t i) { compute(runs_[i]); });
  }

  void compute(Run& one) const {
    if (!one.reason.empty()) return;
    RunOptions options{.config = options_.config, .plan = one.plan.get()};
    options.config.seed += one.number;
    try {
      one.judged = run(one.instance->loaded.instance, candidates_[one.policy], bounds_.at(one.instance), options);
    } catch (const InputError& error) {
      if (!options_.skips_unfit) throw;
      one.reason = error.what();
      return;
    }
    one.judged->report.platform = one.instance->loaded.platform;
    one.judged->report.run = one.number + 1;
    if (options_.keeps_schedules) return;
    one.judged->schedule.reset();
    one.judged->report.schedule = nullptr;
  }

  void collect() {
    for (Run& one : runs_) {
      if (one.judged) {
        std::optional<Row>& row = one.instance->rows[one.policy];
        if (!row) row = Row{found_.judged.size(), 0};
        ++row->count;
        found_.judged.push_back(std::move(*one.judged));
      } else if (one.number == 0) {
        found_.skipped.push_back({&one.instance->loaded, one.policy, one.reason});
      }
    }
  }

  const std::vector<Candidate>& candidates_;
  const CompareOptions& options_;
  Comparison found_;
  std::map<const Compared*, bounds::Bounds> bounds_;
  std::vector<Run> runs_;
};

/// Whether there is an instance of that name on another platform, too.
bool is_on_several(const Comparison& comparison, const files::LoadedInstance& loaded) {
  return std::ranges::any_of(comparison.instances, [&](const Compared& other) {
    return other.loaded.instance.name == loaded.instance.name && other.loaded.platform != loaded.platform;
  });
}

}  // namespace

Comparison compare(std::vector<files::LoadedInstance> instances, const std::vector<Candidate>& candidates,
                   const CompareOptions& options) {
  return Comparer(candidates, options).compare(std::move(instances));
}

std::string page(const Comparison& comparison, const report::Origin& origin) {
  std::vector<report::ScheduleReport> reports;
  for (const Judged& judged : comparison.judged) reports.push_back(judged.report);
  std::vector<report::SkippedPolicy> skipped;
  for (const Skipped& entry : comparison.skipped) {
    std::string instance = entry.loaded->instance.name;
    if (is_on_several(comparison, *entry.loaded)) instance += " on " + entry.loaded->platform;
    skipped.push_back({std::move(instance), comparison.policies[entry.policy], entry.reason});
  }
  const std::size_t count = comparison.instances.size();
  const std::string title =
      count == 1 ? comparison.instances.front().loaded.instance.name : std::to_string(count) + " instances";
  return report::html_page(title, reports, {.skipped = std::move(skipped), .origin = origin});
}

}  // namespace heddle::judge
