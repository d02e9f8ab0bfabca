#include "heddle/python/results.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>
#include <variant>

#include "heddle/cli/comparison.hpp"
#include "heddle/cli/compute_bounds.hpp"
#include "heddle/cli/computed_study.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/policy_runs.hpp"
#include "heddle/cli/worst_case.hpp"
#include "heddle/cli/wrap.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/python/bindings.hpp"
#include "heddle/python/interpreter.hpp"

namespace heddle::python {
namespace {

using files::LoadedInstance;
using LoadedPointer = std::shared_ptr<LoadedInstance>;

/// Tables are as wide as they need, and without colours.
constexpr report::TextStyle kStyle{};

std::string dump(const nlohmann::ordered_json& document) {
  return document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

report::Origin origin() {
  return cli::page_origin("page.html", "");
}

/// A column per property of an attempt, a row per attempt, in the order in which they ended.
py::dict attempts_of(const Schedule& schedule) {
  const auto count = static_cast<py::ssize_t>(schedule.attempts.size());
  py::array_t<std::uint32_t> task(count);
  py::array_t<std::uint32_t> worker(count);
  py::array_t<double> start(count);
  py::array_t<double> end(count);
  py::list outcome;
  py::ssize_t i = 0;
  for (const Attempt& attempt : schedule.attempts) {
    task.mutable_data()[i] = static_cast<std::uint32_t>(attempt.task);
    worker.mutable_data()[i] = static_cast<std::uint32_t>(attempt.worker);
    start.mutable_data()[i] = to_seconds(attempt.start);
    end.mutable_data()[i] = to_seconds(attempt.end);
    outcome.append(std::string(to_string(attempt.outcome)));
    ++i;
  }
  py::dict columns;
  columns["task"] = task;
  columns["worker"] = worker;
  columns["start"] = start;
  columns["end"] = end;
  columns["outcome"] = outcome;
  return columns;
}

Schedule read_schedule(const Instance& instance, const std::string& text, const std::string& source) {
  return io::read_schedule(text, source, instance).schedule;
}

std::string text_of(const JudgedSchedule& self) {
  if (self.found) return cli::search_text(*self.found, self.judged, kStyle);
  // Of a schedule from elsewhere it is not known how long it took to find.
  return self.judged.wall_seconds > 0 ? cli::judged_text(self.judged, kStyle) : cli::outcome_text(self.judged, kStyle);
}

nlohmann::ordered_json json_of(const JudgedSchedule& self) {
  return self.found ? cli::json_search(*self.found, self.judged) : cli::json_judged(self.judged);
}

using SharedSchedule = std::shared_ptr<JudgedSchedule>;

using BoundOrKinds = std::variant<std::shared_ptr<AnsweredBound>, std::string>;

SharedSchedule schedule(const LoadedPointer& instance, const std::string& policy, const std::string& noise,
                        const BoundOrKinds& bound, std::uint64_t seed, std::uint32_t ahead, const std::string& aborts,
                        const std::string& facts) {
  cli::ScheduleOptions options;
  options.policy_given = !policy.empty();
  if (options.policy_given) options.policy = policy;
  options.noise = noise;
  options.seed = seed;
  options.ahead = ahead;
  options.aborts = aborts;
  options.facts = facts;
  const bounds::Bounds* known = nullptr;
  if (const auto* const answered = std::get_if<std::shared_ptr<AnsweredBound>>(&bound)) {
    if ((*answered)->instance != instance) throw InputError("the bound is that of another instance");
    known = &(*answered)->answer.bounds;
  } else {
    options.bound = std::get<std::string>(bound);
  }
  return unlocked([&](const auto& stop) {
    return std::make_shared<JudgedSchedule>(JudgedSchedule{instance, cli::run_policy(*instance, options, stop, known)});
  });
}

SharedSchedule search(const LoadedPointer& instance, const std::string& time, std::optional<std::uint64_t> iterations,
                      bool prove, const std::string& gap, const std::string& policies, const std::string& start,
                      std::uint64_t seed, std::size_t threads, const std::string& bound) {
  cli::SearchOptions options;
  options.time = time;
  options.iterations = iterations;
  options.prove = prove;
  options.gap = gap;
  options.policies = policies;
  options.start = start;
  options.seed = seed;
  options.threads = threads;
  options.bound = bound;
  return unlocked([&](const auto& stop) {
    cli::FoundSchedule result = cli::find_schedule(*instance, options, cli::search_limits(options), stop);
    return std::make_shared<JudgedSchedule>(
        JudgedSchedule{instance, std::move(result.judged), std::move(result.found)});
  });
}

/// A schedule from elsewhere, which must be valid.
SharedSchedule judge_given(const LoadedPointer& instance, const std::string& text, const std::string& source,
                           const std::string& bound) {
  return unlocked([&](const auto& stop) {
    Schedule given = read_schedule(instance->instance, text, source);
    const std::vector<std::string> violations = judge::violations(instance->instance, given);
    if (!violations.empty()) throw InputError(source + ": not a valid schedule: " + violations.front());
    const auto kinds = bounds::parse_kinds(bound, instance->instance);
    const bounds::Bounds bounds = cli::compute_bounds(instance->instance, kinds, {}, stop);
    const Durations durations = given.noise.empty() ? Durations::exact : Durations::free;
    judge::Judged judged = judge::judge_schedule(instance->instance, std::move(given), bounds, durations);
    judged.report.platform = instance->platform;
    judged.report.run = 1;
    return std::make_shared<JudgedSchedule>(JudgedSchedule{instance, std::move(judged)});
  });
}

std::shared_ptr<AnsweredBound> bound(const LoadedPointer& instance, const std::string& kind,
                                     std::optional<double> seconds) {
  return unlocked([&](const auto& stop) {
    return std::make_shared<AnsweredBound>(AnsweredBound{instance, cli::answer_bound(*instance, kind, seconds, stop)});
  });
}

std::shared_ptr<judge::Comparison> compare(const std::vector<LoadedPointer>& instances, const std::string& policies,
                                           const std::string& noise, const std::string& bound, std::uint32_t runs,
                                           std::uint64_t seed, std::uint32_t ahead, const std::string& aborts,
                                           bool keeps_schedules) {
  cli::CompareOptions options;
  options.policies = policies;
  options.noise = noise;
  options.bound = bound;
  options.runs = runs;
  options.seed = seed;
  options.ahead = ahead;
  options.aborts = aborts;
  options.keeps_schedules = keeps_schedules;
  return unlocked([&](const auto& stop) {
    std::vector<LoadedInstance> loaded;
    for (const LoadedPointer& instance : instances) loaded.push_back(*instance);
    return std::make_shared<judge::Comparison>(cli::compare_policies(std::move(loaded), options, stop));
  });
}

/// `measured`: the schedule happened, so attempts may last as long as they like.
std::shared_ptr<Validation> validate(const LoadedPointer& instance, const std::string& text, const std::string& source,
                                     bool measured) {
  return unlocked([&](const auto&) {
    io::ScheduleFile file = io::read_schedule(text, source, instance->instance);
    std::vector<std::string> violations =
        measured ? heddle::validate(instance->instance, file.schedule, Durations::free)
                 : cli::violations_of(instance->instance, file.schedule, file.stated_makespan);
    return std::make_shared<Validation>(Validation{instance, std::move(file.schedule), std::move(violations)});
  });
}

void bind_schedules(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> free;
  py::class_<JudgedSchedule, SharedSchedule>(module, "Schedule")
      .def_property_readonly("makespan",
                             [](const JudgedSchedule& self) { return to_seconds(self.judged.report.makespan); })
      .def_property_readonly("ratio", [](const JudgedSchedule& self) { return self.judged.report.ratio; })
      .def_property_readonly("policy", [](const JudgedSchedule& self) { return self.judged.report.policy; })
      .def_property_readonly("note", [](const JudgedSchedule& self) { return self.judged.note; })
      .def_property_readonly("measured", [](const JudgedSchedule& self) { return self.measured; })
      .def_property_readonly("wall_seconds", [](const JudgedSchedule& self) { return self.judged.wall_seconds; })
      .def_property_readonly(
          "instance", [](const JudgedSchedule& self) { return std::const_pointer_cast<LoadedInstance>(self.instance); })
      .def("attempts", [](const JudgedSchedule& self) { return attempts_of(*self.judged.schedule); })
      .def("text", &text_of)
      .def("json", [](const JudgedSchedule& self) { return dump(json_of(self)); })
      .def(
          "html",
          [](const JudgedSchedule& self) {
            return report::html_page(self.instance->instance.name, std::span(&self.judged.report, 1),
                                     {.origin = origin()});
          },
          free)
      .def(
          "schedule_json",
          [](const JudgedSchedule& self) { return io::write_schedule(*self.judged.schedule, self.instance->instance); },
          free)
      .def(
          "save",
          [](const JudgedSchedule& self, const std::string& path) {
            files::save(*self.judged.schedule, self.instance->instance, path);
          },
          free);
  module.def("schedule", &schedule, py::arg("instance"), py::arg("policy"), py::arg("noise"), py::arg("bound"),
             py::arg("seed"), py::arg("ahead"), py::arg("aborts"), py::arg("facts"));
  module.def("search", &search, py::arg("instance"), py::arg("time"), py::arg("iterations"), py::arg("prove"),
             py::arg("gap"), py::arg("policies"), py::arg("start"), py::arg("seed"), py::arg("threads"),
             py::arg("bound"));
  module.def("judge", &judge_given, py::arg("instance"), py::arg("text"), py::arg("source"), py::arg("bound"));
}

void bind_bounds(py::module_& module) {
  py::class_<AnsweredBound, std::shared_ptr<AnsweredBound>>(module, "Bound")
      .def("text", [](const AnsweredBound& self) { return cli::bound_text(self.answer, kStyle); })
      .def("json", [](const AnsweredBound& self) { return dump(cli::json_bound(self.answer)); });
  module.def("bound", &bound, py::arg("instance"), py::arg("kind"), py::arg("seconds"));
}

/// The schedules of a comparison, in the order asked for.
py::list schedules_of(const std::shared_ptr<judge::Comparison>& self) {
  py::list schedules;
  for (const judge::Judged& judged : self->judged) {
    if (!judged.schedule) throw InputError("the schedules were not kept: compare(..., keep_schedules=True) keeps them");
    schedules.append(attempts_of(*judged.schedule));
  }
  return schedules;
}

void bind_comparisons(py::module_& module) {
  using judge::Comparison;
  py::class_<Comparison, std::shared_ptr<Comparison>>(module, "Comparison")
      .def("text", [](const Comparison& self) { return cli::comparison_text(self, kStyle); })
      .def("json", [](const Comparison& self) { return dump(cli::json_comparison(self)); })
      .def("csv", &cli::csv_comparison)
      .def(
          "html", [](const Comparison& self) { return judge::page(self, origin()); },
          py::call_guard<py::gil_scoped_release>())
      .def("attempts", &schedules_of);
  module.def("compare", &compare, py::arg("instances"), py::arg("policies"), py::arg("noise"), py::arg("bound"),
             py::arg("runs"), py::arg("seed"), py::arg("ahead"), py::arg("aborts"), py::arg("keep_schedules"));
}

void bind_validations(py::module_& module) {
  py::class_<Validation, std::shared_ptr<Validation>>(module, "Validation")
      .def_property_readonly("violations", [](const Validation& self) { return self.violations; })
      .def_property_readonly("makespan", [](const Validation& self) { return to_seconds(self.schedule.makespan()); })
      .def("text",
           [](const Validation& self) {
             return cli::validation_text(self.instance->instance, self.schedule, self.violations);
           })
      .def("json", [](const Validation& self) {
        return dump(cli::json_validation(*self.instance, self.schedule, self.violations));
      });
  module.def("validate", &validate, py::arg("instance"), py::arg("text"), py::arg("source"), py::arg("measured"));
}

/// The run's answer; `what_if`: seconds, "0" for none. What is simulated is the same in every run.
std::shared_ptr<Analysis> analysis_of(files::LoadedRun run, const std::string& bound, const std::string& what_if,
                                      const std::function<bool()>& stop) {
  cli::AnalyzeOptions options;
  options.bound = bound;
  options.what_if_time = what_if;
  options.json = true;
  return std::make_shared<Analysis>(Analysis{std::make_unique<cli::AnalyzedRun>(std::move(run), options, true, stop)});
}

std::shared_ptr<Analysis> analyze(const LoadedPointer& instance, const std::string& text, const std::string& source,
                                  const std::string& bound, const std::string& what_if) {
  return unlocked([&](const auto& stop) {
    return analysis_of(files::load_run(*instance, {.path = source, .content = text, .format = "heddle-schedule"}),
                       bound, what_if, stop);
  });
}

std::shared_ptr<Analysis> analyze_recording(const std::string& path, const std::string& platform,
                                            const std::string& bound, const std::string& what_if) {
  return unlocked([&](const auto& stop) {
    files::InstanceOptions options;
    options.platform = platform;
    return analysis_of(std::move(files::load_runs({path}, options, {.stop = stop}).front()), bound, what_if, stop);
  });
}

void bind_analyses(py::module_& module) {
  py::class_<Analysis, std::shared_ptr<Analysis>>(module, "Analysis")
      .def("text",
           [](const Analysis& self) { return cli::diagnosed_text(self.run->diagnosed(), kStyle, cli::text_width()); })
      .def("json", [](const Analysis& self) { return dump(cli::json_diagnosed(self.run->diagnosed())); })
      .def(
          "html",
          [](const Analysis& self) {
            const cli::DiagnosedRun diagnosed = self.run->diagnosed();
            return cli::page_of(std::span(&diagnosed, 1), origin());
          },
          py::call_guard<py::gil_scoped_release>());
  module.def("analyze", &analyze, py::arg("instance"), py::arg("text"), py::arg("source"), py::arg("bound"),
             py::arg("what_if"));
  module.def("analyze_recording", &analyze_recording, py::arg("path"), py::arg("platform"), py::arg("bound"),
             py::arg("what_if"));
}

std::shared_ptr<cli::ComputedStudy> experiment_of(const std::string& name, bool quick, const std::string& journal,
                                                  bool fresh, std::size_t threads) {
  cli::ExperimentOptions options;
  options.name = name;
  options.quick = quick;
  options.journal = journal;
  options.fresh = fresh;
  options.threads = threads;
  return unlocked(
      [&](const auto& stop) { return std::make_shared<cli::ComputedStudy>(cli::compute_study(options, stop)); });
}

void bind_experiments(py::module_& module) {
  using cli::ComputedStudy;
  py::class_<ComputedStudy, std::shared_ptr<ComputedStudy>>(module, "Experiment")
      .def("text", [](const ComputedStudy& self) { return report::study_text(self.report, kStyle); })
      .def("json", [](const ComputedStudy& self) { return dump(cli::json_study(self)); })
      .def(
          "html", [](const ComputedStudy& self) { return report::study_page(self.report, origin()); },
          py::call_guard<py::gil_scoped_release>());
  module.def("experiment", &experiment_of, py::arg("name"), py::arg("quick"), py::arg("journal"), py::arg("fresh"),
             py::arg("threads"));
  module.def("experiments", [] {
    py::list list;
    for (const experiment::Study& study : experiment::studies()) list.append(py::make_tuple(study.name, study.summary));
    return list;
  });
}

struct Adversary {
  cli::AdversaryAnswer answer;
  LoadedPointer instance;
};

std::shared_ptr<Adversary> adversary_of(const std::string& policy, const std::string& against,
                                        const std::string& platform, std::size_t tasks, std::uint64_t iterations,
                                        std::uint64_t seed, std::size_t threads) {
  cli::AdversaryOptions options;
  options.policy = policy;
  options.against = against;
  options.platform = platform;
  options.tasks = tasks;
  options.iterations = iterations;
  options.seed = seed;
  options.threads = threads;
  return unlocked([&](const auto& stop) {
    cli::AdversaryAnswer answer = cli::find_adversary(options, stop);
    auto instance = std::make_shared<LoadedInstance>(answer.loaded());
    return std::make_shared<Adversary>(Adversary{std::move(answer), std::move(instance)});
  });
}

void bind_adversaries(py::module_& module) {
  py::class_<Adversary, std::shared_ptr<Adversary>>(module, "Adversary")
      .def_property_readonly("instance", [](const Adversary& self) { return self.instance; })
      .def_property_readonly("ratio", [](const Adversary& self) { return self.answer.found.ratio(); })
      .def("text", [](const Adversary& self) { return cli::adversary_text(self.answer, kStyle); })
      .def("json", [](const Adversary& self) { return dump(cli::json_adversary(self.answer)); })
      .def(
          "html", [](const Adversary& self) { return judge::page(self.answer.comparison, origin()); },
          py::call_guard<py::gil_scoped_release>());
  module.def("adversary", &adversary_of, py::arg("policy"), py::arg("against"), py::arg("platform"), py::arg("tasks"),
             py::arg("iterations"), py::arg("seed"), py::arg("threads"));
}

}  // namespace

void bind_results(py::module_& module) {
  bind_schedules(module);
  bind_bounds(module);
  bind_comparisons(module);
  bind_validations(module);
  bind_analyses(module);
  bind_experiments(module);
  bind_adversaries(module);
}

}  // namespace heddle::python
