#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cli/auto_contexts.hpp"
#include "heddle/cli/commands.hpp"
#include "heddle/cli/compute_bounds.hpp"
#include "heddle/cli/history.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/option_list.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/page_origin.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/cli/real_workload.hpp"
#include "heddle/cli/warm_up.hpp"
#include "heddle/files/contexts.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/model/contexts.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/format.hpp"

namespace heddle::cli {
namespace {

/// What a run came to.
struct Ran {
  runtime::Trace trace;
  double residual = 0;
  double operations = 0;
  std::optional<double> warm_up_seconds;  ///< before, and not part of it
  runtime::Energy energy;                 ///< that the machine drew meanwhile
  double wall_seconds = 0;                ///< from the first submission to the end of the last task
  std::string contexts;                   ///< which were chosen, and why; mostly empty
  double expected = 0;                    ///< makespan that was simulated then, in seconds
  std::optional<double> expected_joules;  ///< where the choice was for energy

  [[nodiscard]] double seconds() const { return to_seconds(trace.schedule.makespan()); }
  [[nodiscard]] double gflops() const { return seconds() > 0 ? operations / seconds() * 1e-9 : 0; }
  [[nodiscard]] bool right() const { return residual < linalg::kResidualThreshold; }
};

linalg::Watch watch_of(Progress& progress) {
  return [&progress](double part) {
    check_interrupt();
    progress.show(part, fmt::format("{:.0f} %", 100 * part));
  };
}

/// Jobs that the options put side by side.
struct Jobs {
  std::vector<ContextRequest> contexts;
  std::optional<std::string> by_socket{};  ///< the policy of one context per socket, where that is asked for
  std::optional<AutoContexts> chosen{};    ///< where the contexts were chosen
  std::function<Schedule(const Instance&)> plan{};
  policy::Spec policy;

  [[nodiscard]] bool has_contexts() const { return by_socket || !contexts.empty(); }
};

Jobs load_jobs(const RunOptions& options, const ChosenWorkload& chosen) {
  if (options.contexts != kAuto && options.objective != RunOptions{}.objective) {
    throw InputError("--objective is '" + options.objective +
                     "', but nothing is chosen: it belongs to --contexts auto");
  }
  if (options.contexts.empty()) {
    if (!options.assign.empty()) {
      throw InputError("--assign is '" + options.assign + "', but there are no contexts: --contexts says which");
    }
    if (!options.resize.empty()) {
      throw InputError("--resize is '" + options.resize + "', but there are no contexts: --contexts says which");
    }
    policy::Spec policy = input::load_policy(options.policy);
    return {.contexts = {}, .plan = input::load_plan(policy), .policy = policy};
  }
  if (options.policy_given) {
    throw InputError("--policy is '" + options.policy +
                     "', but --contexts says which policies decide; expected one of the two");
  }
  Jobs jobs{.contexts = {}, .policy = policy::Spec("contexts")};
  if (jobs.by_socket = files::socket_policy(options.contexts); jobs.by_socket) {
    const policy::Spec spec = input::load_policy(*jobs.by_socket);
    if (spec.needs().plan) {
      throw InputError("--contexts is '" + options.contexts +
                       "', but a policy that follows a schedule cannot be that of each socket");
    }
    jobs.by_socket = spec.text();
    return jobs;
  }
  if (options.contexts == kAuto) {
    if (!options.assign.empty())
      throw InputError("--assign is '" + options.assign + "', but --contexts auto says which tasks go where");
    jobs.chosen = choose_for_run(options, chosen);
    jobs.contexts = jobs.chosen->requests;
  } else {
    jobs.contexts = input::load_contexts(options.contexts);
  }
  std::vector<std::string> policies;
  for (const ContextRequest& request : jobs.contexts) policies.push_back(request.policy);
  jobs.plan = input::load_plans(policies);
  return jobs;
}

/// As Runtime::context takes it.
runtime::ContextConfig config_of(const ContextRequest& request) {
  std::string workers;
  for (const auto& count : request.counts) workers += fmt::format(",{}={}", count.class_name, count.workers);
  for (const std::string& name : request.named) workers += "," + name;
  return {.name = request.name, .workers = workers.substr(1), .policy = request.policy};
}

Ran execute(const RunOptions& options, const ChosenWorkload& chosen) {
  using Clock = std::chrono::steady_clock;
  const Jobs jobs = load_jobs(options, chosen);
  runtime::Config config{.workers = options.workers,
                         .plan = jobs.plan,
                         .resize = options.resize,
                         .seed = options.seed,
                         .trace = true,
                         .facts = output_path(options.facts),
                         .warn = warn};
  // Durations that are not this machine's do not go into its history.
  if (!options.history.empty() || !chosen.entry->is_of_machine) config.history = options.history;
  if (!jobs.has_contexts()) config.policy = options.policy;
  Ran ran;
  ran.warm_up_seconds = warm_up_devices(options.workers, chosen, options.seed);
  runtime::Runtime runtime(config);
  for (const ContextRequest& request : jobs.contexts) static_cast<void>(runtime.context(config_of(request)));
  if (jobs.by_socket) static_cast<void>(runtime.contexts_by_socket(*jobs.by_socket));
  const auto workload = [&] {
    Progress progress("data", 1);
    return chosen.entry->make(runtime, chosen.options, options.seed, watch_of(progress));
  }();
  check_interrupt();
  // Recorded, the policy knows the whole graph when it begins.
  runtime::Runtime::Assign assign;
  if (jobs.has_contexts()) {
    assign = [&](const TaskGraph& tasks, Contexts& contexts) {
      if (jobs.chosen) return assign_tasks(*jobs.chosen, tasks, contexts);
      if (jobs.by_socket) assign_by_data(tasks, contexts);
      input::assign_tasks(tasks, options.assign, contexts);
    };
  }
  const runtime::Graph graph = runtime.record([&] { workload->submit(); }, assign);
  check_workspace(options.workers, graph.size());
  static_cast<void>(runtime.energy());
  const Clock::time_point start = Clock::now();
  Clock::time_point asked = start;
  runtime.run(graph);
  {
    Progress progress(options.workload, graph.size());
    policy::blaming_plugin(jobs.policy, [&] {
      runtime.wait([&](std::uint64_t left) {
        progress.update(graph.size() - left);
        if (Clock::now() - asked < std::chrono::minutes(1)) return;
        asked = Clock::now();
        static_cast<void>(runtime.energy());
      });
    });
  }
  ran.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  ran.energy = runtime.energy();
  ran.trace = runtime.trace();
  ran.trace.instance.name = options.workload;
  ran.trace.schedule.instance = options.workload;
  ran.operations = workload->operations();
  if (jobs.chosen) {
    ran.contexts = jobs.chosen->text;
    ran.expected = jobs.chosen->simulated;
    ran.expected_joules = jobs.chosen->joules;
    const std::string news = reevaluate(*jobs.chosen, ran.seconds());
    if (!news.empty()) warn(news);
  }
  Progress progress("residual", 1);
  ran.residual = workload->residual(watch_of(progress));
  check_interrupt();  // before a result is printed whose files would be missing
  return ran;
}

std::string energy_text(const runtime::Energy& energy) {
  if (energy.counters.empty()) return "energy not measured: " + energy.missing;
  std::string parts;
  for (const auto& [name, joules] : energy.counters) {
    parts += fmt::format("{}{} {:.4g}", parts.empty() ? "" : ", ", name, joules);
  }
  return fmt::format("{:.4g} J by the machine's counters, for all that it did meanwhile: {}{}", energy.joules(), parts,
                     energy.missing.empty() ? "" : "; " + energy.missing);
}

nlohmann::ordered_json json_energy(const runtime::Energy& energy) {
  if (energy.counters.empty()) return {{"joules", nullptr}, {"missing", energy.missing}};
  nlohmann::ordered_json counters = nlohmann::ordered_json::object();
  for (const auto& [name, joules] : energy.counters) counters[name] = joules;
  nlohmann::ordered_json json{{"joules", energy.joules()}, {"counters", std::move(counters)}};
  if (!energy.missing.empty()) json["missing"] = energy.missing;
  return json;
}

void print(const judge::Judged& judged, const Ran& ran) {
  print_text(outcome_text(judged, terminal_style()));
  fmt::print("\n{}; residual {:.3g}, {} {:.0f}\n",
             report::format_count(judged.report.aborted_attempts, "aborted attempt"), ran.residual,
             ran.right() ? "right: below" : "WRONG: not below", linalg::kResidualThreshold);
  fmt::print("{}\n", energy_text(ran.energy));
  fmt::print(
      "{}{}{}\n", report::format_time(ran.trace.schedule.makespan()),
      ran.operations > 0 ? fmt::format(", {:.4g} GFlop/s", ran.gflops()) : "",
      judged.report.ratio ? fmt::format(", {} times the bound", report::format_ratio(*judged.report.ratio)) : "");
  if (!ran.contexts.empty()) {
    fmt::print("{}; {}{} was expected\n", ran.contexts,
               report::format_time(static_cast<TimeSum>(ran.expected * static_cast<double>(kSecond))),
               ran.expected_joules ? " with " + report::format_joules(*ran.expected_joules) : "");
  }
  if (ran.warm_up_seconds) {
    fmt::print("before, not counted: a small run for {:.2g} s to warm up the devices\n", *ran.warm_up_seconds);
  }
}

nlohmann::ordered_json json_ran(const judge::Judged& judged, const Ran& ran) {
  nlohmann::ordered_json document = json_judged(judged);
  document["residual"] = std::isfinite(ran.residual) ? nlohmann::ordered_json(ran.residual) : nlohmann::ordered_json();
  document["gflops"] = ran.gflops();
  document["energy"] = json_energy(ran.energy);
  if (!ran.contexts.empty()) document["expected"] = ran.expected;
  if (ran.expected_joules) document["expected_joules"] = *ran.expected_joules;
  document["warm_up_seconds"] = ran.warm_up_seconds ? nlohmann::ordered_json(*ran.warm_up_seconds) : nullptr;
  return document;
}

}  // namespace

int run_workload(const RunOptions& options) {
  if (options.list) {
    print_entries(real_workloads(), options.json);
    return 0;
  }
  if (options.workload.empty()) throw InputError("which workload? heddle run --list shows them");
  check_outputs({{"--output", options.output},
                 {"--instance", options.instance},
                 {"--gantt", options.gantt},
                 {"--facts", options.facts}},
                options.json);
  const report::Origin origin = page_origin(options.gantt, options.command_line);
  const ChosenWorkload chosen = parse_real_workload(options.workload);
  // A misspelt kind of bound must not cost a run.
  static_cast<void>(bounds::parse_kinds(options.bound, Instance()));
  // The runtime does without a history that it cannot read; who names one wants it.
  if (!options.history.empty()) static_cast<void>(open_history({.path = options.history}).read());
  const Ran ran = execute(options, chosen);
  const Instance& instance = ran.trace.instance;
  const bounds::Bounds bounds = compute_bounds(instance, bounds::parse_kinds(options.bound, instance));
  check_interrupt();
  judge::Judged judged = judge::judge_schedule(instance, ran.trace.schedule, bounds, Durations::free);
  judged.report.platform = "this machine";
  judged.report.run = 1;
  judged.wall_seconds = ran.wall_seconds;
  judged.note = ran.trace.note;
  if (options.json) {
    print_json(json_ran(judged, ran));
  } else {
    print(judged, ran);
  }
  write_files(judged, options.output, options.gantt, origin);
  if (!options.instance.empty()) write_output(options.instance, io::write_instance(instance));
  return ran.right() ? 0 : 1;
}

}  // namespace heddle::cli
