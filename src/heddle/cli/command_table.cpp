#include "heddle/cli/command_table.hpp"

#include <fmt/ranges.h>

#include <memory>

#include "heddle/cli/commands.hpp"
#include "heddle/model/settings.hpp"
#include "heddle/policy/search_starts.hpp"

namespace heddle::cli {
namespace {

/// As if it were not there is what nobody means who gives an empty one: a variable of a script was not set.
std::string not_empty(const std::string& text) {
  return text.empty() ? "is empty; expected a value" : "";
}

/// Declares a command whose options are an `Options`; `declare` adds its arguments.
template <class Options, class Declare>
void add_command(CLI::App& app, Chosen& chosen, const char* name, const char* summary, const char* example,
                 int (*command)(const Options&), Declare&& declare) {
  CLI::App* sub = app.add_subcommand(name, summary);
  sub->footer(std::string("Example:\n  ") + example);
  auto options = std::make_shared<Options>();
  if constexpr (requires { options->command_line; }) options->command_line = chosen.command_line;
  declare(*sub, *options);
  for (CLI::Option* option : sub->get_options()) {
    if (option->get_items_expected_max() > 0) option->check(not_empty);
  }
  sub->callback([&chosen, command, options] { chosen.command = [command, options] { return command(*options); }; });
}

constexpr const char* kPlatform =
    "the machine: a built-in NAME[:class=count,...,links=measured], a platform FILE[:...], a StarPU sampling "
    "FOLDER:host=NAME[,...], or counts:cpu=16,gpu=4";

/// How files are read, and what is changed in them.
void add_reading(CLI::App& app, InputOptions& input) {
  app.add_option("--unit", input.unit, "of durations in formats that do not say (hetero-swf, STG)")
      ->check(CLI::IsMember({"s", "ms"}))
      ->type_name("s|ms")
      ->capture_default_str();
  app.add_option("--force", input.force,
                 "hints: tasks of a type run on one class only (GEMM@gpu), or those at least so many tiles from the "
                 "diagonal (TRSM:6@cpu), joined by +; bounds are of the instance with the hints")
      ->type_name("HINTS");
  app.add_option("--inflate", input.inflate,
                 "makes every class but the last so many percent slower, to plan with room for transfers")
      ->type_name("PERCENT");
}

void add_input(CLI::App& app, InputOptions& input) {
  app.add_option("--platform", input.platform, kPlatform)->type_name("P");
  add_reading(app, input);
}

void add_instance(CLI::App& app, std::string& instance, InputOptions& input) {
  app.add_option("INSTANCE", instance,
                 "a file in any format that convert reads, or a workload such as cholesky:tiles=12")
      ->required();
  add_input(app, input);
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "one JSON document on standard output, and nothing else");
}

/// What CLI11 would round or wrap around.
std::string whole_number(const std::string& text) {
  return parse_count(text) ? "" : "is '" + text + "'; expected a whole number from 0 to 2^64 - 1";
}

template <class Options>
void add_run(CLI::App& app, Options& options) {
  app.add_option("--noise", options.noise,
                 "perturbs actual durations: uniform:A or lognormal:S, then ,per=execution and ,normalized=true; the "
                 "bound stays "
                 "that of the undisturbed durations, so a ratio may be below 1")
      ->type_name("NOISE");
  app.add_option("--seed", options.seed, "of every random draw")
      ->type_name("N")
      ->check(whole_number)
      ->capture_default_str();
  app.add_option(
         "--ahead", options.ahead,
         "tasks a worker asks for ahead of the one it runs, to fetch their data meanwhile; matters only where the "
         "platform has links")
      ->type_name("N")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option(
         "--bound", options.bound,
         "what the makespan is compared with: critical-path, area, mixed, iterative, window, all, none, or every "
         "kind that is quick at this size")
      ->type_name("KIND")
      ->capture_default_str();
}

void add_lists(CLI::App& app, Chosen& chosen) {
  const auto json_only = [](CLI::App& sub, ListOptions& options) { add_json(sub, options.json); };
  add_command<PolicyListOptions>(app, chosen, "policies", "Every policy: options, needs, where it was published",
                                 "heddle policies --json", list_policies,
                                 [](CLI::App& sub, PolicyListOptions& options) {
                                   add_json(sub, options.json);
                                   sub.add_flag("--markdown", options.markdown, "a page, as docs/policies.md");
                                 });
  add_command<ListOptions>(app, chosen, "platforms", "The built-in machines and what was measured on them",
                           "heddle platforms", list_platforms, json_only);
  add_command<ListOptions>(app, chosen, "workloads", "The built-in task graphs and their options", "heddle workloads",
                           list_workloads, json_only);
}

void add_files(CLI::App& app, Chosen& chosen) {
  add_command<GenerateOptions>(app, chosen, "generate", "Writes a workload on a platform as an instance file",
                               "heddle generate cholesky:tiles=12 --platform mirage -o cholesky.json", generate,
                               [](CLI::App& sub, GenerateOptions& options) {
                                 sub.add_option("WORKLOAD", options.workload, "such as lu:tiles=8")->required();
                                 add_input(sub, options.input);
                                 sub.add_option("-o,--output", options.output, "the file to write")->required();
                               });
  add_command<ConvertOptions>(
      app, chosen, "convert", "Converts between formats", "heddle convert run.tasks.rec --platform sirocco -o run.json",
      convert, [](CLI::App& sub, ConvertOptions& options) {
        sub.add_option("IN", options.inputs,
                       "a file or folder; or a tasks.rec with the performance models and bus files of a machine")
            ->required();
        add_input(sub, options.input);
        sub.add_option("-o,--output", options.output, "the file to write")->required();
        sub.add_option("--from", options.from, "the format of IN, when its content does not say")->type_name("FORMAT");
        sub.add_option("--to", options.to,
                       "the format to write, when the suffix does not say: heddle-instance, "
                       "heddle-platform, hetero-swf, dot")
            ->type_name("FORMAT");
      });
  add_command<ValidateOptions>(
      app, chosen, "validate", "Checks a schedule made by anybody; status 1 when it is invalid",
      "heddle validate cholesky.json schedule.json", validate, [](CLI::App& sub, ValidateOptions& options) {
        add_instance(sub, options.instance, options.input);
        sub.add_option("SCHEDULE", options.schedule, "a heddle-schedule file")->required();
        add_json(sub, options.json);
      });
}

void add_analysis(CLI::App& app, Chosen& chosen) {
  add_command<InspectOptions>(app, chosen, "inspect", "What an instance is made of",
                              "heddle inspect cholesky:tiles=12 --platform mirage", inspect,
                              [](CLI::App& sub, InspectOptions& options) {
                                add_instance(sub, options.instance, options.input);
                                add_json(sub, options.json);
                              });
  add_command<BoundOptions>(
      app, chosen, "bound", "Lower bounds on the makespan", "heddle bound qr:tiles=16 --platform kumar-2017 --kind all",
      bound, [](CLI::App& sub, BoundOptions& options) {
        add_instance(sub, options.instance, options.input);
        sub.add_option("--kind", options.kind,
                       "critical-path, area, mixed, iterative, window, all, or every kind that is quick at this size")
            ->type_name("KIND")
            ->capture_default_str();
        sub.add_option("--time", options.time, "stop after this long with the bound reached, e.g. 2s")->type_name("T");
        add_json(sub, options.json);
      });
}

void add_facts(CLI::App& app, std::string& path) {
  app.add_option("--facts", path, "writes what the policy is told, asks and answers, for heddle replay")
      ->type_name("FILE");
}

void add_schedulers(CLI::App& app, Chosen& chosen) {
  add_command<ScheduleOptions>(
      app, chosen, "schedule", "One schedule, judged against the bound",
      "heddle schedule cholesky:tiles=12 --platform mirage --policy heteroprio-dep:order=best --gantt gantt.html",
      schedule, [](CLI::App& sub, ScheduleOptions& options) {
        add_instance(sub, options.instance, options.input);
        sub.add_option("--policy", options.policy,
                       "name or name:key=value,... (key=@FILE: the text of a file); see heddle policies; auto finds "
                       "a good one by simulating many")
            ->capture_default_str();
        add_run(sub, options);
        sub.add_option("-o,--output", options.output, "writes the schedule")->type_name("FILE");
        sub.add_option("--gantt", options.gantt, "writes a page with a zoomable Gantt chart")->type_name("FILE");
        add_facts(sub, options.facts);
        add_json(sub, options.json);
      });
  add_command<CompareOptions>(
      app, chosen, "compare", "Many policies side by side",
      "heddle compare lu:tiles=16 --platform sirocco --policies heft,heteroprio-dep:order=best --html report.html",
      compare, [](CLI::App& sub, CompareOptions& options) {
        sub.add_option("INSTANCE", options.instances, "files or workloads")->required();
        sub.add_option("--platform", options.platforms, std::string(kPlatform) + "; may be given several times")
            ->type_name("P")
            ->allow_extra_args(false);
        add_reading(sub, options.input);
        sub.add_option("--policies", options.policies, "A,B,... or all")->capture_default_str();
        add_run(sub, options);
        sub.add_option("--runs", options.runs, "runs per policy, each under another seed")
            ->check(CLI::Range(1, 1'000'000))
            ->capture_default_str();
        sub.add_option("--html", options.html, "writes a page with bars and Gantt charts")->type_name("FILE");
        sub.add_option("--csv", options.csv, "writes a line per instance, policy and run")->type_name("FILE");
        add_json(sub, options.json);
      });
}

void add_search(CLI::App& app, Chosen& chosen) {
  add_command<SearchOptions>(
      app, chosen, "search", "The best schedule it can find offline, and how far that is from the best there is",
      "heddle search cholesky:tiles=12 --platform kumar-2017:cpu=20,gpu=4 --time 10s -o schedule.json", search,
      [](CLI::App& sub, SearchOptions& options) {
        options.policies = fmt::format("{}", fmt::join(policy::kSearchStarts, ","));
        add_instance(sub, options.instance, options.input);
        sub.add_option(
               "--time", options.time,
               "stop after this long in all, e.g. 500ms; else 10s, unless --iterations or --prove says when to end")
            ->type_name("T");
        sub.add_option("--gap", options.gap, "stop as soon as the makespan is so close to the bound: 0.01 for 1 %")
            ->type_name("G");
        sub.add_option("--iterations", options.iterations,
                       "stop after so many moves (and nodes of the proof); without --time, the same result every time")
            ->type_name("N")
            ->check(whole_number);
        sub.add_flag("--prove", options.prove,
                     "then branch and bound, for small instances, until the schedule is optimal");
        sub.add_option("--policies", options.policies,
                       "whose schedules it starts from, the most promising first; those that cannot are left out")
            ->capture_default_str();
        sub.add_option("--start", options.start, "a schedule to start from as well")->type_name("FILE");
        sub.add_option("--seed", options.seed, "of every random draw")
            ->type_name("N")
            ->check(whole_number)
            ->capture_default_str();
        sub.add_option("--threads", options.threads, "else one per core")->check(CLI::Range(1, 1024))->type_name("N");
        sub.add_option("--bound", options.bound, "what the makespan is compared with, as for schedule")
            ->type_name("KIND")
            ->capture_default_str();
        sub.add_option("-o,--output", options.output, "writes the schedule")->type_name("FILE");
        sub.add_option("--gantt", options.gantt, "writes a page with a zoomable Gantt chart")->type_name("FILE");
        add_json(sub, options.json);
      });
}

void add_history_file(CLI::App& app, std::string& path) {
  app.add_option("--history", path,
                 "where measured durations are kept; else heddle/history-2.sqlite in the user's cache folder")
      ->type_name("FILE");
}

void add_workers(CLI::App& app, std::string& workers) {
  app.add_option("--workers", workers,
                 "cpu=2: so many workers of a core each; cpu4=1: one of four cores; opencl=1, cuda=1: so many "
                 "devices; auto: all accelerators, and the cores but for one each")
      ->type_name("W")
      ->capture_default_str();
}

void add_run_workload(CLI::App& app, Chosen& chosen) {
  add_command<RunOptions>(
      app, chosen, "run", "Executes a workload on this machine, checks the numbers and judges the schedule",
      "heddle run cholesky:n=4096,tile=256 --policy heteroprio-dep --workers cpu=2,opencl=1", run_workload,
      [](CLI::App& sub, RunOptions& options) {
        sub.add_option("WORKLOAD", options.workload,
                       "cholesky, lu, qr or gemm with n=...,tile=...,precision=single|double, lu with "
                       "pivoting=partial, qr with m=...; or synthetic:tasks=...");
        sub.add_flag("--list", options.list, "the workloads and their options");
        sub.add_option("--policy", options.policy, "name or name:key=value,...; see heddle policies")
            ->capture_default_str();
        add_workers(sub, options.workers);
        add_history_file(sub, options.history);
        sub.add_option("--seed", options.seed, "of every random draw, the matrix included")
            ->type_name("N")
            ->check(whole_number)
            ->capture_default_str();
        sub.add_option("--bound", options.bound,
                       "what the time is compared with, as for schedule, computed from the durations measured")
            ->type_name("KIND")
            ->capture_default_str();
        sub.add_option("-o,--output", options.output, "writes the schedule that happened")->type_name("FILE");
        sub.add_option("--instance", options.instance,
                       "writes the tasks with the durations measured: an instance for compare, bound and search")
            ->type_name("FILE");
        sub.add_option("--gantt", options.gantt, "writes a page with a zoomable Gantt chart")->type_name("FILE");
        add_facts(sub, options.facts);
        add_json(sub, options.json);
      });
}

void add_replay(CLI::App& app, Chosen& chosen) {
  add_command<ReplayOptions>(
      app, chosen, "replay", "Tells a policy what it was told in a run; status 1 when it decides otherwise",
      "heddle schedule cholesky:tiles=12 --platform mirage --facts facts.json; heddle replay facts.json", replay,
      [](CLI::App& sub, ReplayOptions& options) {
        sub.add_option("FACTS", options.log, "a file that --facts wrote")->required();
        sub.add_option("--policy", options.policy,
                       "tells another one: what would it have done first that is different?");
        add_json(sub, options.json);
      });
}

void add_experiment(CLI::App& app, Chosen& chosen) {
  add_command<ExperimentOptions>(
      app, chosen, "experiment", "Computes a published study again, its claims beside what was found",
      "heddle experiment spoliation-orders --quick --html study.html", experiment,
      [](CLI::App& sub, ExperimentOptions& options) {
        sub.add_option("NAME", options.name, "of a study; see --list");
        sub.add_flag("--list", options.list, "the studies, where they were published and how large they are");
        sub.add_flag("--quick", options.quick, "a smaller grid, done in about a minute");
        sub.add_option("--html", options.html, "writes a page with claims, plots and tables")->type_name("FILE");
        sub.add_option("--csv", options.csv, "writes a line per value of each cell")->type_name("FILE");
        sub.add_option("--journal", options.journal,
                       "where finished cells are kept, so that a run that was stopped goes on from there; else in the "
                       "user's cache folder")
            ->type_name("FILE");
        sub.add_flag("--fresh", options.fresh, "computes all cells again");
        sub.add_option("--threads", options.threads, "cells computed at a time; else one per core")
            ->check(CLI::Range(1, 1024))
            ->type_name("N");
        add_json(sub, options.json);
      });
}

void add_history(CLI::App& app, Chosen& chosen) {
  CLI::App* history = app.add_subcommand("history", "What the runtime has measured on this machine");
  history->require_subcommand(1);
  history->footer("Example:\n  heddle history show");
  const auto declare = [](CLI::App& sub, HistoryOptions& options) { add_history_file(sub, options.path); };
  add_command<HistoryOptions>(*history, chosen, "show", "A line per kernel, shapes of its data and class",
                              "heddle history show", show_history, [&](CLI::App& sub, HistoryOptions& options) {
                                declare(sub, options);
                                add_json(sub, options.json);
                              });
  add_command<HistoryExportOptions>(
      *history, chosen, "export",
      "Writes this machine and its kernels on square tiles as a platform file, for the simulator",
      "heddle history export -o here.json; heddle schedule cholesky:tiles=12,tile=256 --platform here.json",
      export_history, [&](CLI::App& sub, HistoryExportOptions& options) {
        declare(sub, options.history);
        add_workers(sub, options.workers);
        sub.add_option("-o,--output", options.output, "the file to write")->required();
      });
  add_command<HistoryOptions>(*history, chosen, "clear", "Forgets what was measured on this machine",
                              "heddle history clear", clear_history, declare);
}

void add_machine(CLI::App& app, Chosen& chosen) {
  add_command<ListOptions>(app, chosen, "devices", "What this machine has to compute on", "heddle devices",
                           list_devices, [](CLI::App& sub, ListOptions& options) { add_json(sub, options.json); });
  add_command<CalibrateOptions>(
      app, chosen, "calibrate",
      "Measures the kernels of the tiled algorithms on each class of workers, for the history",
      "heddle calibrate --workers cpu=2,opencl=1 --tiles 128,256,512", calibrate,
      [](CLI::App& sub, CalibrateOptions& options) {
        add_workers(sub, options.workers);
        sub.add_option("--tiles", options.tiles, "sides of the tiles")
            ->delimiter(',')
            ->check(CLI::Range(2, 8192))
            ->type_name("N,...")
            ->capture_default_str();
        sub.add_option("--precision", options.precision, "of the elements: single, double or all")
            ->check(CLI::IsMember({"single", "double", "all"}))
            ->type_name("P")
            ->capture_default_str();
        sub.add_option("--runs", options.runs, "how often each algorithm is run")
            ->check(CLI::Range(1, 1000))
            ->capture_default_str();
        add_history_file(sub, options.history.path);
        add_json(sub, options.history.json);
      });
  add_history(app, chosen);
}

}  // namespace

void declare_commands(CLI::App& app, Chosen& chosen) {
  add_schedulers(app, chosen);
  add_search(app, chosen);
  add_run_workload(app, chosen);
  add_replay(app, chosen);
  add_experiment(app, chosen);
  add_analysis(app, chosen);
  add_files(app, chosen);
  add_machine(app, chosen);
  add_lists(app, chosen);
}

}  // namespace heddle::cli
