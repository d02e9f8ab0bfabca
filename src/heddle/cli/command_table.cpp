#include "heddle/cli/command_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "heddle/adversary/adversary.hpp"
#include "heddle/cli/commands.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"

namespace heddle::cli {
namespace {

// Checks of values. They have no description, which CLI11 would add to the type name.

/// A script that leaves a variable unset passes an empty value; taking it for "not given" would hide the mistake.
std::string not_empty(const std::string& text) {
  return text.empty() ? "is empty; expected a value" : "";
}

/// CLI11 itself would round fractions and wrap around.
auto whole_number(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& text) -> std::string {
    const auto count = parse_count(text);
    if (count && *count >= least && *count <= most) return "";
    return fmt::format("is '{}'; expected a whole number in {}..{}", text, least, most);
  };
}

/// What is in words like "s|ms".
auto one_of(const std::vector<std::string>& possible) {
  return [possible](const std::string& text) -> std::string {
    const bool is_known = std::ranges::find(possible, text) != possible.end();
    return is_known ? "" : "is '" + text + "'" + suggest(text, possible);
  };
}

// Arguments and options. Each has a type name: it tells people and completion what may be written there.

template <class Value>
CLI::Option* add_argument(CLI::App& app, const char* name, Value& value, const char* text) {
  return app.add_option(name, value, text)->type_name(name);
}

template <class Value>
CLI::Option* add_option(CLI::App& app, const char* names, const char* type, Value& value, const std::string& text) {
  return app.add_option(names, value, text)->type_name(type);
}

/// Its default is shown.
template <class Value>
CLI::Option* add_option_with_default(CLI::App& app, const char* names, const char* type, Value& value,
                                     const std::string& text) {
  return add_option(app, names, type, value, text)->capture_default_str();
}

/// One of a few values.
CLI::Option* add_choice(CLI::App& app, const char* name, const std::vector<std::string>& possible, std::string& value,
                        const char* text) {
  return add_option_with_default(app, name, fmt::format("{}", fmt::join(possible, "|")).c_str(), value, text)
      ->check(one_of(possible));
}

template <class Value>
CLI::Option* add_number(CLI::App& app, const char* name, std::uint64_t least, std::uint64_t most, Value& value,
                        const char* text) {
  return add_option_with_default(app, name, "N", value, text)->check(whole_number(least, most));
}

/// Declares a command whose options are an `Options`; `declare` adds its arguments.
///
/// --help and the manual pages show the parts of its footer (describe/man_page.cpp): what status 1 means, if the
/// command has an answer that may be "no", and an example.
template <class Options, class Declare>
void add_command(CLI::App& app, Chosen& chosen, const char* name, const char* summary, const std::string& example,
                 int (*command)(const Options&), Declare&& declare) {
  CLI::App* sub = app.add_subcommand(name, summary);
  sub->footer("Example:\n  " + example);
  auto options = std::make_shared<Options>();
  if constexpr (requires { options->command_line; }) options->command_line = chosen.command_line;
  declare(*sub, *options);
  for (CLI::Option* declared : sub->get_options()) {
    if (declared->get_items_expected_max() > 0) declared->check(not_empty);
  }
  sub->callback([&chosen, command, options] { chosen.command = [command, options] { return command(*options); }; });
}

/// Says when the command's exit status is 1.
void add_status_one(CLI::App& sub, const std::string& when) {
  sub.footer("Exit status 1: " + when + "\n\n" + sub.get_footer());
}

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

constexpr const char* kPlatform =
    "The machine: a built-in one (NAME or NAME:class=count,...,links=measured), a platform file (FILE or FILE:...), a "
    "folder of StarPU performance models (FOLDER:host=NAME,...), or just numbers of workers (counts:cpu=16,gpu=4).";

/// How files are read, and what is changed in them.
void add_reading(CLI::App& app, files::InstanceOptions& input) {
  add_choice(app, "--unit", {"s", "ms"}, input.unit,
             "The time unit of files in formats that do not name one (hetero-swf, STG).");
  add_option(
      app, "--force", "HINTS", input.force,
      "Runs the tasks of a type on one class only: GEMM@gpu. TRSM:6@cpu does so only for tasks at least 6 tiles from "
      "the diagonal. A + joins several hints. The bounds take them into account.");
  add_option(app, "--inflate", "PERCENT", input.inflate,
             "Makes every class but the last slower by this percentage, so that plans leave room for transfers.");
}

/// Jobs side by side, for commands in which policies decide.
template <class Input>
void add_contexts(CLI::App& app, Input& input, const std::string& more = "") {
  add_option(app, "--contexts", "JOBS", input.contexts,
             "Scheduling contexts (jobs side by side), each with workers and a policy of its own: "
             "'solver:cpu=4,gpu=1:dmdas; rest:cpu=2:ws'. "
             "Workers can be named instead of counted, as in rest:cpu0,gpu1:ws, and then be in several contexts. "
             "auto: as heddle contexts chooses." +
                 more);
  add_option(
      app, "--assign", "HINTS|FILE", input.assign,
      "Which context tasks belong to: POTRF@solver+TRSM:6@rest, in the syntax of --force, or a JSON file that maps "
      "names of tasks to contexts. All other tasks belong to the context listed last.");
}

void add_resize(CLI::App& app, std::string& rule) {
  add_choice(app, "--resize", policy::resize_rule_names(), rule,
             "Moves workers between the contexts while they run. idle: workers that have nothing to do go where tasks "
             "wait. speed: by how fast the contexts advance. lp: a few moves after which all end together. "
             "simulate: the moves after which the simulated run ends first.");
}

void add_input(CLI::App& app, files::InstanceOptions& input) {
  add_option(app, "--platform", "PLATFORM", input.platform, kPlatform);
  add_reading(app, input);
}

constexpr const char* kInstance =
    "A file in any format that heddle convert reads, or a workload such as cholesky:tiles=12.";

void add_instance(CLI::App& app, std::string& instance, files::InstanceOptions& input) {
  add_argument(app, "INSTANCE", instance, kInstance)->required();
  add_input(app, input);
}

void add_json(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "Prints one JSON document on standard output and nothing else.");
}

CLI::Option* add_output(CLI::App& app, std::string& path, const char* text) {
  return add_option(app, "-o,--output", "FILE", path, text);
}

void add_gantt(CLI::App& app, std::string& path) {
  add_option(app, "--gantt", "FILE", path, "Writes an HTML page with a Gantt chart that can be zoomed.");
}

void add_seed(CLI::App& app, std::uint64_t& seed, const char* text = "The seed of all random draws.") {
  add_number(app, "--seed", 0, kMost, seed, text);
}

void add_threads(CLI::App& app, std::size_t& threads, const char* text) {
  add_option(app, "--threads", "N", threads, text)->check(whole_number(1, 1024));
}

void add_bound(CLI::App& app, std::string& kind, const char* text) {
  add_option_with_default(app, "--bound", "KIND", kind, text);
}

void add_facts(CLI::App& app, std::string& path) {
  add_option(app, "--facts", "FILE", path,
             "Writes a log of all calls of the policy and its answers, for heddle replay.");
}

template <class Options>
void add_run(CLI::App& app, Options& options) {
  add_option(
      app, "--noise", "NOISE", options.noise,
      "Multiplies the actual durations by random factors: uniform:A or lognormal:S, optionally with ,per=execution "
      "and ,normalized=true. The bound stays that of the undisturbed durations, so a ratio may be below 1.");
  add_seed(app, options.seed);
  add_number(
      app, "--ahead", 0, 1'000'000, options.ahead,
      "How many tasks a worker with a memory of its own, such as a GPU, asks for beyond the one that it runs, so that "
      "their data arrives meanwhile. Matters only on platforms with links.");
  add_choice(app, "--aborts", {"allowed", "hold-back", "none"}, options.aborts,
             "Whether running tasks can be aborted, as spoliation does. hold-back: they cannot, as in StarPU, but a "
             "task that would be is not even started. Matters only for policies that abort tasks.");
  add_bound(app, options.bound,
            "The lower bound that the makespan is compared with: critical-path, area, mixed, iterative, window, all, "
            "none, or default (every kind that is quick for the number of tasks).");
}

void add_lists(CLI::App& app, Chosen& chosen) {
  const auto json_only = [](CLI::App& sub, ListOptions& options) { add_json(sub, options.json); };
  add_command<PolicyListOptions>(
      app, chosen, "policies", "Lists the policies with their options, needs and publications",
      "heddle policies --json", list_policies, [](CLI::App& sub, PolicyListOptions& options) {
        add_json(sub, options.json);
        sub.add_flag("--markdown", options.markdown, "Prints the list as a page in Markdown: docs/policies.md.");
      });
  add_command<ListOptions>(app, chosen, "platforms", "Lists the built-in machines and the kernels measured on them",
                           "heddle platforms", list_platforms, json_only);
  add_command<ListOptions>(app, chosen, "workloads", "Lists the built-in task graphs with their options",
                           "heddle workloads", list_workloads, json_only);
  add_command<HelpOptions>(
      app, chosen, "help", "Explains a command, or the terms that outputs use",
      "heddle help schedule; heddle help glossary normalized idle", help, [&app](CLI::App& sub, HelpOptions& options) {
        options.program = &app;
        add_argument(sub, "COMMAND", options.words, "The name of a command; or glossary, which a term may follow.");
      });
}

void add_files(CLI::App& app, Chosen& chosen) {
  add_command<GenerateOptions>(app, chosen, "generate", "Writes a workload on a platform as an instance file",
                               "heddle generate cholesky:tiles=12 --platform mirage -o cholesky.json", generate,
                               [](CLI::App& sub, GenerateOptions& options) {
                                 add_argument(sub, "WORKLOAD", options.workload,
                                              "The name of a workload and its options, such as lu:tiles=8; heddle "
                                              "workloads lists them.")
                                     ->required();
                                 add_input(sub, options.input);
                                 add_output(sub, options.output, "The file to write.")->required();
                               });
  add_command<ConvertOptions>(
      app, chosen, "convert", "Converts instances and machines from one file format to another",
      "heddle convert run.tasks.rec --platform sirocco -o run.json", convert,
      [](CLI::App& sub, ConvertOptions& options) {
        add_argument(
            sub, "IN", options.inputs,
            "A file, a machine's folder, or StarPU's tasks.rec followed by the performance models and bus files "
            "of its machine.")
            ->required();
        add_input(sub, options.input);
        add_output(sub, options.output, "The file to write. Its suffix tells the format.")->required();
        add_option(sub, "--from", "FORMAT", options.from, "The format of IN, if its content does not tell.");
        add_option(sub, "--to", "heddle-instance|heddle-platform|hetero-swf|dot", options.to,
                   "The format to write, if the suffix does not tell.");
      });
  add_command<ValidateOptions>(
      app, chosen, "validate", "Checks a schedule from any source and names each violation",
      "heddle validate cholesky.json schedule.json", validate, [](CLI::App& sub, ValidateOptions& options) {
        add_instance(sub, options.instance, options.input);
        add_argument(sub, "SCHEDULE", options.schedule, "A file in the format heddle-schedule.")->required();
        add_json(sub, options.json);
        add_status_one(sub, "the schedule is invalid.");
      });
}

void add_analysis(CLI::App& app, Chosen& chosen) {
  add_command<InspectOptions>(app, chosen, "inspect", "Counts the tasks, types, edges and data of an instance",
                              "heddle inspect cholesky:tiles=12 --platform mirage", inspect,
                              [](CLI::App& sub, InspectOptions& options) {
                                add_instance(sub, options.instance, options.input);
                                add_json(sub, options.json);
                              });
  add_command<BoundOptions>(
      app, chosen, "bound", "Computes lower bounds on the makespan and names what limits it",
      "heddle bound qr:tiles=16 --platform kumar-2017 --kind all", bound, [](CLI::App& sub, BoundOptions& options) {
        add_instance(sub, options.instance, options.input);
        add_option_with_default(sub, "--kind", "KIND", options.kind,
                                "The kind of bound: critical-path, area, mixed, iterative, window, all, or "
                                "default (every kind that is quick for the number of tasks).");
        add_option(sub, "--time", "DURATION", options.time,
                   "Stops after this time, such as 2s or 500ms, with the bound reached so far.");
        add_json(sub, options.json);
      });
}

void add_adversary(CLI::App& app, Chosen& chosen) {
  add_command<AdversaryOptions>(
      app, chosen, "adversary", "Searches for small instances on which a policy does badly",
      "heddle adversary heft --against heteroprio-dep --tasks 12 -o worst.json", adversary,
      [](CLI::App& sub, AdversaryOptions& options) {
        add_argument(sub, "POLICY", options.policy, "The policy, with its options; see heddle policies.")->required();
        add_option_with_default(sub, "--against", "POLICY", options.against,
                                "Compares the makespan with that of this policy, or with the lower bound: bound.");
        add_option_with_default(sub, "--platform", "PLATFORM", options.platform,
                                "The machine, of which the numbers of workers count. Transfers are free.");
        add_number(sub, "--tasks", 1, adversary::kMaxTasks, options.tasks, "The number of tasks.");
        add_number(sub, "--iterations", 1, kMost, options.iterations, "The number of instances to try.");
        add_seed(sub, options.seed);
        add_threads(sub, options.threads, "The number of threads, which changes no result. Without it: one per core.");
        add_output(sub, options.output, "Writes the worst instance, in the format heddle-instance.");
        add_json(sub, options.json);
      });
}

void add_analyze(CLI::App& app, Chosen& chosen) {
  add_command<AnalyzeOptions>(
      app, chosen, "analyze", "Judges a run that happened: where its time went, and what decided the makespan",
      "heddle schedule cholesky:tiles=12 --platform mirage --policy dmdas -o schedule.json; heddle analyze "
      "cholesky:tiles=12 schedule.json --platform mirage",
      analyze, [](CLI::App& sub, AnalyzeOptions& options) {
        add_argument(
            sub, "RUN", options.run,
            "A recording of StarPU (tasks.rec), a workflow that was executed (WfFormat), or an instance, as for heddle "
            "schedule, and a schedule of it: a "
            "file in the format heddle-schedule, simulated or real. Of two recordings, or two schedules, the answer is "
            "what changed.")
            ->required();
        add_option(sub, "--platform", "PLATFORM", options.input.platform,
                   std::string(kPlatform) +
                       " recorded, the default for a recording: its workers, with the durations that it shows.");
        add_reading(sub, options.input);
        add_bound(sub, options.bound, "The lower bound that the makespan is compared with; see heddle help schedule.");
        add_option_with_default(
            sub, "--what-if-time", "DURATION", options.what_if_time,
            "Simulates what would have changed the makespan for so long, such as 10s or 500ms; 0 does not. With "
            "--json a number of simulated attempts is the limit instead, so that the answer is always the same.");
        add_option(
            sub, "--html", "FILE", options.html,
            "Writes an HTML page: the verdict, the losses by cause, and a Gantt chart that tells why workers were "
            "idle and what each task waited for.");
        add_option(
            sub, "--perfetto", "FILE", options.perfetto,
            "Writes the run as a trace (JSON) for ui.perfetto.dev and chrome://tracing, with arrows between tasks.");
        add_option(sub, "--paje", "FILE", options.paje, "Writes the run as a Paje trace, which ViTE opens.");
        add_option(sub, "--csv", "FILE", options.csv,
                   "Writes one line per attempt, per transfer, and per idle time of a worker with its cause.");
        add_json(sub, options.json);
      });
}

void add_schedulers(CLI::App& app, Chosen& chosen) {
  add_command<ScheduleOptions>(
      app, chosen, "schedule", "Simulates one policy and compares its makespan with a lower bound",
      "heddle schedule cholesky:tiles=12 --platform mirage --policy heteroprio-dep:order=best --gantt gantt.html",
      schedule, [](CLI::App& sub, ScheduleOptions& options) {
        add_instance(sub, options.instance, options.input);
        add_option_with_default(
            sub, "--policy", "POLICY", options.policy,
            "A policy and its options: NAME or NAME:key=value,key=value. The value @FILE stands for the text "
            "of a file. heddle policies lists all policies; auto simulates many and takes the best. If the instance "
            "has contexts, theirs decide unless a policy is given.")
            ->each([&options](const std::string&) { options.policy_given = true; });
        add_contexts(sub, options.input);
        add_resize(sub, options.resize);
        add_run(sub, options);
        add_output(sub, options.output, "Writes the schedule.");
        add_gantt(sub, options.gantt);
        add_facts(sub, options.facts);
        add_json(sub, options.json);
      });
  add_command<CompareOptions>(
      app, chosen, "compare", "Simulates many policies and shows them side by side, the best first",
      "heddle compare lu:tiles=16 --platform sirocco --policies heft,heteroprio-dep:order=best --html report.html",
      compare, [](CLI::App& sub, CompareOptions& options) {
        add_argument(sub, "INSTANCE", options.instances, kInstance)->required();
        add_option(sub, "--platform", "PLATFORM", options.platforms,
                   std::string(kPlatform) + " May be given several times.")
            ->allow_extra_args(false);
        add_reading(sub, options.input);
        add_option_with_default(sub, "--policies", "POLICY,...", options.policies,
                                "The policies with their options, separated by commas, or all. If the instance has "
                                "contexts, theirs are compared as well, under the name contexts.");
        add_contexts(sub, options.input);
        add_resize(sub, options.resize);
        add_run(sub, options);
        add_number(sub, "--runs", 1, 1'000'000, options.runs,
                   "The number of runs of each policy, each with its own seed.");
        add_option(sub, "--html", "FILE", options.html, "Writes an HTML page with bars and Gantt charts.");
        add_option(sub, "--csv", "FILE", options.csv, "Writes one line per instance, policy and run.");
        add_json(sub, options.json);
      });
}

void add_search(CLI::App& app, Chosen& chosen) {
  add_command<SearchOptions>(
      app, chosen, "search", "Searches for the best schedule offline and tells how far it may be from optimal",
      "heddle search cholesky:tiles=12 --platform kumar-2017:cpu=20,gpu=4 --time 10s -o schedule.json", search,
      [](CLI::App& sub, SearchOptions& options) {
        add_instance(sub, options.instance, options.input);
        add_option(
            sub, "--time", "DURATION", options.time,
            "Stops after this time in all, such as 10s or 500ms. Without it: 10s, unless --iterations or --prove "
            "ends the search.");
        add_option(sub, "--gap", "SHARE", options.gap,
                   "Stops as soon as the makespan is this close to the bound: 0.01 means 1 %.");
        add_option(sub, "--iterations", "N", options.iterations,
                   "Stops after this many moves, and nodes of the proof. Without --time the result is then the same in "
                   "every run.")
            ->check(whole_number(0, kMost));
        sub.add_flag("--prove", options.prove,
                     "After the search, runs branch and bound until the schedule is proved optimal. For small "
                     "instances.");
        add_option(
            sub, "--policies", "POLICY,...", options.policies,
            "The policies whose schedules the search starts from, the most promising first, or all. Without it: hlp, "
            "then all others that do not look ahead. It leaves out those that cannot take the instance.");
        add_option(sub, "--start", "SCHEDULE", options.start, "A schedule file to start from as well.");
        add_seed(sub, options.seed);
        add_threads(sub, options.threads, "The number of threads. Without it: one per core.");
        add_bound(sub, options.bound, "The lower bound that the makespan is compared with; see heddle help schedule.");
        add_output(sub, options.output, "Writes the schedule.");
        add_gantt(sub, options.gantt);
        add_json(sub, options.json);
      });
}

void add_choose_contexts(CLI::App& app, Chosen& chosen) {
  add_command<ChooseContextsOptions>(
      app, chosen, "contexts", "Chooses scheduling contexts: how to divide the workers, and which tasks go where",
      "heddle contexts cholesky:tiles=12 --platform kumar-2017:cpu=4,gpu=2 --candidates gazolla-2017", choose_contexts,
      [](CLI::App& sub, ChooseContextsOptions& options) {
        add_instance(sub, options.instance, options.input);
        add_option_with_default(sub, "--candidates", "CANDIDATES", options.candidates,
                                "The candidates: all (the partitions of the machine), joint (also contexts that share "
                                "workers), gazolla-2017 (fifteen ways to divide cpu=4,gpu=2) or a JSON file like what "
                                "--json prints.");
        add_option_with_default(sub, "--policies", "POLICY,...", options.policies,
                                "The policies to try in contexts for which the candidate names none.");
        add_choice(sub, "--method", {"simulate", "estimate"}, options.method,
                   "How candidates are judged: by simulated runs, or as published, by an estimate from means alone.");
        add_choice(sub, "--objective", {"time", "energy", "product"}, options.objective,
                   "The quantity to minimize: the makespan, the energy, or their product.");
        add_choice(
            sub, "--reading", {"example", "printed"}, options.reading,
            "How the estimate combines the workers of a context: as in the worked example of Gazolla 2017, or as "
            "in its printed Procedure 2.");
        add_option(sub, "--machines", "MACHINES", options.machines,
                   "Several machines, such as 'a:cpu=4,gpu=2; b:cpu=8', which divide the workers of the platform. "
                   "Independent tasks are split over them by computing power, and each chooses contexts for its own.");
        add_seed(sub, options.seed);
        add_output(sub, options.output, "Writes the instance with the chosen contexts, for heddle schedule.");
        add_json(sub, options.json);
      });
}

void add_history_file(CLI::App& app, std::string& path) {
  add_option(app, "--history", "FILE", path,
             "The file that keeps the measured durations. Without it: heddle/history-2.sqlite in your cache folder.");
}

void add_workers(CLI::App& app, std::string& workers) {
  add_option_with_default(
      app, "--workers", "WORKERS", workers,
      "The workers to use, such as cpu=2,opencl=1: cpu=2 is two workers of one core each, cpu4=1 one "
      "worker of four cores, opencl=1 or cuda=1 one device. auto takes all accelerators, and all cores "
      "but one per accelerator.");
}

void add_run_workload(CLI::App& app, Chosen& chosen) {
  add_command<RunOptions>(
      app, chosen, "run", "Executes a workload on this machine, checks the numbers and judges the schedule",
      "heddle run cholesky:n=4096,tile=256 --policy heteroprio-dep --workers cpu=2,opencl=1", run_workload,
      [](CLI::App& sub, RunOptions& options) {
        add_argument(
            sub, "WORKLOAD", options.workload,
            "cholesky, lu, qr or gemm with n=...,tile=...,precision=single|double; lu also with pivoting=partial, "
            "qr also with m=.... Or synthetic:tasks=..., or timed:file=....")
            ->type_name("REAL-WORKLOAD");
        sub.add_flag("--list", options.list, "Lists these workloads with their options.");
        add_option_with_default(
            sub, "--policy", "POLICY", options.policy,
            "A policy and its options: NAME or NAME:key=value,key=value. heddle policies lists all policies.")
            ->each([&options](const std::string&) { options.policy_given = true; });
        add_contexts(sub, options,
                     " sockets or sockets:POLICY: one for each socket of this machine, called socket0, socket1, ...; "
                     "tasks belong to them by the data that they write, unless --assign says otherwise.");
        add_choice(
            sub, "--objective", {"time", "energy", "product"}, options.objective,
            "The quantity that --contexts auto minimizes: the makespan, the energy, or their product. For energy it "
            "reads the machine's counters while it measures the tasks.");
        add_resize(sub, options.resize);
        add_workers(sub, options.workers);
        add_history_file(sub, options.history);
        add_seed(sub, options.seed, "The seed of all random draws, those of the matrix included.");
        add_bound(sub, options.bound,
                  "The lower bound that the time is compared with, computed from the measured durations; see heddle "
                  "help schedule.");
        add_output(sub, options.output, "Writes the schedule that happened.");
        add_option(sub, "--instance", "FILE", options.instance,
                   "Writes the tasks with the measured durations: an instance for compare, bound and search.");
        add_gantt(sub, options.gantt);
        add_facts(sub, options.facts);
        add_json(sub, options.json);
        add_status_one(sub, "the computed result is wrong (its residual is too large).");
      });
}

void add_replay(CLI::App& app, Chosen& chosen) {
  add_command<ReplayOptions>(
      app, chosen, "replay", "Feeds the log of a run back to its policy and compares the decisions",
      "heddle schedule cholesky:tiles=12 --platform mirage --facts facts.json; heddle replay facts.json", replay,
      [](CLI::App& sub, ReplayOptions& options) {
        add_argument(sub, "FACTS", options.log, "A file that --facts wrote.")->required();
        add_option(sub, "--policy", "POLICY", options.policy,
                   "Feeds the log to this policy instead, and shows its first different decision.");
        add_json(sub, options.json);
        add_status_one(sub, "a decision differs.");
      });
}

void add_experiment(CLI::App& app, Chosen& chosen) {
  add_command<ExperimentOptions>(
      app, chosen, "experiment", "Repeats a published study and shows each claim with the computed result",
      "heddle experiment spoliation-orders --quick --html study.html", experiment,
      [](CLI::App& sub, ExperimentOptions& options) {
        add_argument(sub, "NAME", options.name, "The name of the study; --list shows them.")->type_name("STUDY");
        sub.add_flag("--list", options.list, "Lists the studies with their publications and sizes.");
        sub.add_flag("--quick", options.quick, "Computes a smaller grid, in about a minute.");
        add_option(sub, "--html", "FILE", options.html, "Writes an HTML page with claims, plots and tables.");
        add_option(sub, "--csv", "FILE", options.csv, "Writes one line per value of each cell.");
        add_option(
            sub, "--journal", "FILE", options.journal,
            "The file that keeps finished cells, so that an interrupted study continues where it stopped. Without "
            "it: a file in your cache folder.");
        sub.add_flag("--fresh", options.fresh, "Computes all cells again.");
        add_threads(sub, options.threads, "The number of cells computed at a time. Without it: one per core.");
        add_json(sub, options.json);
      });
}

void add_history(CLI::App& app, Chosen& chosen) {
  CLI::App* history =
      app.add_subcommand("history", "Shows, exports or clears what the runtime measured on this machine");
  history->require_subcommand(1);
  history->footer("Example:\n  heddle history show");
  const auto declare = [](CLI::App& sub, HistoryOptions& options) { add_history_file(sub, options.path); };
  add_command<HistoryOptions>(*history, chosen, "show",
                              "Shows one line per kernel, shape of its data and class of workers",
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
        add_output(sub, options.output, "The file to write.")->required();
      });
  add_command<HistoryOptions>(*history, chosen, "clear", "Deletes what was measured on this machine",
                              "heddle history clear", clear_history, declare);
}

void add_machine(CLI::App& app, Chosen& chosen) {
  add_command<ListOptions>(app, chosen, "devices", "Lists the processors and devices of this machine", "heddle devices",
                           list_devices, [](CLI::App& sub, ListOptions& options) { add_json(sub, options.json); });
  add_command<CalibrateOptions>(
      app, chosen, "calibrate",
      "Measures the kernels of the tiled algorithms on each class of workers, for the history",
      "heddle calibrate --workers cpu=2,opencl=1 --tiles 128,256,512", calibrate,
      [](CLI::App& sub, CalibrateOptions& options) {
        add_workers(sub, options.workers);
        add_option_with_default(sub, "--tiles", "N,...", options.tiles, "The sides of the tiles, in elements.")
            ->delimiter(',')
            ->check(whole_number(2, 8192));
        add_choice(sub, "--precision", {"single", "double", "all"}, options.precision,
                   "The precision of the elements.");
        add_number(sub, "--runs", 1, 1000, options.runs, "How often each algorithm runs.");
        add_history_file(sub, options.history.path);
        add_json(sub, options.history.json);
      });
  add_history(app, chosen);
}

}  // namespace

void declare_commands(CLI::App& app, Chosen& chosen) {
  app.name("heddle");
  app.description(
      "Schedules task graphs on heterogeneous machines (CPU cores and GPUs) and tells how far each schedule is from "
      "optimal");
  app.set_help_flag("-h,--help", "Prints this text.");
  app.set_version_flag("--version", "heddle " HEDDLE_VERSION, "Prints the version.");
  add_option(app, "--plugin", "FILE", chosen.plugins,
             "Opens a plug-in, before the command: its policy can be named like any other. May be given many times.")
      ->type_size(1)
      ->allow_extra_args(false);
  app.require_subcommand(1);
  app.group("Commands");
  add_schedulers(app, chosen);
  add_search(app, chosen);
  add_choose_contexts(app, chosen);
  add_run_workload(app, chosen);
  add_replay(app, chosen);
  add_experiment(app, chosen);
  add_analyze(app, chosen);
  add_adversary(app, chosen);
  add_analysis(app, chosen);
  add_files(app, chosen);
  add_machine(app, chosen);
  add_lists(app, chosen);
  app.footer(
      "Terms such as normalized idle and acceleration: heddle help glossary\n\n"
      "Example:\n  heddle compare cholesky:tiles=12 --platform mirage --html report.html");
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : full_name(*parent) + " ") + command.get_name();
}

std::string no_command(const CLI::App& app, const std::string& word, const std::vector<std::string>& others) {
  std::vector<std::string> possible = command_names(app);
  possible.insert(possible.end(), others.begin(), others.end());
  const std::string group = app.get_parent() == nullptr ? "" : app.get_name() + " ";
  return "there is no command '" + group + word + "'" + suggest(word, possible);
}

}  // namespace heddle::cli
