#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/input.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/progress.hpp"
#include "heddle/model/countdown.hpp"
#include "heddle/partition/choose.hpp"
#include "heddle/partition/machines.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {
namespace {

using Json = nlohmann::ordered_json;
using partition::Candidate;
using partition::Choice;
using partition::ClusterChoice;
using partition::Row;

/// More would not be looked at.
constexpr std::size_t kMostCandidates = 2000;
/// Rows of the table, the best first.
constexpr std::size_t kMostShown = 20;

std::vector<Candidate> load_candidates(const std::string& text, const Platform& platform) {
  if (text == "gazolla-2017") return partition::gazolla_2017(platform);
  if (text == "all" || text == "joint") {
    partition::Partitions found = text == "all" ? partition::all_partitions(platform, kMostCandidates)
                                                : partition::joint_candidates(platform, kMostCandidates);
    if (found.is_cut) {
      warn(
          fmt::format("the platform has more than {} candidates: those with the fewest contexts are looked at; a file "
                      "can name others (--candidates FILE)",
                      report::format_count(kMostCandidates)));
    }
    return std::move(found.candidates);
  }
  const files::File file = input::read(text);
  return partition::read_candidates(file.content, file.path, platform);
}

partition::Options options_of(const ChooseContextsOptions& options) {
  partition::Options how{.policies = {},
                         .method = partition::parse_method(options.method),
                         .objective = partition::parse_objective(options.objective),
                         .reading = partition::parse_reading(options.reading),
                         .seed = options.seed};
  for (const policy::Spec& spec : input::load_policies(options.policies)) how.policies.push_back(spec.text());
  return how;
}

TimeSum to_time(double seconds) {
  return static_cast<TimeSum>(seconds * static_cast<double>(kSecond));
}

std::string policies_of(const Candidate& candidate) {
  std::vector<std::string> policies;
  for (const partition::Part& part : candidate.parts) policies.push_back(part.policy);
  const bool alike = std::ranges::all_of(policies, [&](const std::string& one) { return one == policies.front(); });
  return alike ? policies.front() : fmt::format("{}", fmt::join(policies, " | "));
}

/// The chosen one first, then by what was simulated, then by the estimate.
std::vector<std::size_t> in_order(const Choice& choice) {
  std::vector<std::size_t> order(choice.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) {
    const Row& row = choice.rows[i];
    return std::tuple(i != choice.best, !row.simulated, row.simulated.value_or(row.estimate.total()));
  });
  return order;
}

void print_rows(const Choice& choice, const Platform& platform) {
  using report::Align;
  const Row& best = choice.rows[choice.best];
  const report::TimeFormat time(to_time(best.estimate.total()));
  const bool draws = best.joules.has_value();
  std::vector<report::Column> columns{{"candidate", Align::left, true},
                                      {"contexts", Align::left, true},
                                      {"policy", Align::left, true},
                                      {"estimate", Align::right},
                                      {"simulated", Align::right}};
  if (draws) columns.push_back({"energy", Align::right});
  report::TextTable table(std::move(columns));
  std::size_t shown = 0;
  for (const std::size_t i : in_order(choice)) {
    if (shown++ == kMostShown) break;
    const Row& row = choice.rows[i];
    const bool runs = row.estimate.run != partition::kNever;
    std::string simulated = row.given_up ? "longer" : !row.objection.empty() ? "cannot" : "";
    if (row.simulated) simulated = time(to_time(*row.simulated));
    std::vector<std::string> cells{row.candidate.name, partition::describe(row.candidate, platform),
                                   policies_of(row.candidate), runs ? time(to_time(row.estimate.total())) : "cannot",
                                   std::move(simulated)};
    if (draws) cells.push_back(row.joules ? report::format_joules(*row.joules) : "");
    table.add_row(std::move(cells), i == choice.best ? report::Tone::good : report::Tone::plain);
  }
  fmt::print("{}", table.text(terminal_style()));
  if (choice.rows.size() > kMostShown) {
    fmt::print("and {} more (--json has all)\n", report::format_count(choice.rows.size() - kMostShown, "candidate"));
  }
}

/// How many tasks of each type go to which context.
void print_tasks(const Row& best, const TaskGraph& graph) {
  using report::Align;
  std::vector<report::Column> columns{{"tasks", Align::left, true}};
  for (std::size_t c = 0; c < best.candidate.parts.size(); ++c)
    columns.push_back({fmt::format("context {}", c + 1), Align::right});
  report::TextTable table(std::move(columns));
  for (const TypeId type : graph.types()) {
    std::vector<std::string> cells{std::string(graph.type_name(type))};
    for (const auto& tasks : best.estimate.tasks)
      cells.push_back(report::format_count(static_cast<std::int64_t>(tasks[type])));
    table.add_row(std::move(cells));
  }
  fmt::print("\n{}", table.text(terminal_style()));
}

Json json_candidate(const Row& row, const Platform& platform) {
  Json contexts = Json::array();
  for (const partition::Part& part : row.candidate.parts) {
    Json workers = Json::object();
    for (const ClassId c : part.workers.ids()) {
      if (part.workers[c] > 0) workers[platform.class_name(c)] = part.workers[c];
    }
    Json context{{"workers", std::move(workers)}, {"policy", part.policy}};
    for (const ClassId c : part.shared.ids()) {
      if (part.shared[c] > 0) context["shared"][platform.class_name(c)] = part.shared[c];
    }
    contexts.push_back(std::move(context));
  }
  const bool runs = row.estimate.run != partition::kNever;
  return {{"name", row.candidate.name},
          {"contexts", std::move(contexts)},
          {"estimate", runs ? Json(row.estimate.total()) : Json()},
          {"estimated_output", runs ? Json(row.estimate.output) : Json()},
          {"simulated", row.simulated ? Json(*row.simulated) : Json()},
          {"joules", row.joules ? Json(*row.joules) : Json()}};
}

void add_choice(const Instance& instance, const Choice& choice, Json& document) {
  const Row& best = choice.rows[choice.best];
  document["candidates"] = Json::array();
  for (const Row& row : choice.rows) document["candidates"].push_back(json_candidate(row, instance.platform));
  document["choice"] = best.candidate.name;
  document["reason"] = choice.reason;
  Json assignment = Json::object();
  for (const TypeId type : instance.graph.types()) {
    Json by_context = Json::object();
    for (const ContextId context : choice.contexts.all.ids())
      by_context[choice.contexts.all[context].name] = best.estimate.tasks[index(context)][type];
    assignment[std::string(instance.graph.type_name(type))] = std::move(by_context);
  }
  document["assignment"] = std::move(assignment);
  document["sample"] = choice.sample;
  document["events"] = choice.events;
}

Json to_json(const files::LoadedInstance& loaded, const Choice& choice, double seconds) {
  Json document = json_record(loaded.instance.name, loaded.platform);
  add_choice(loaded.instance, choice, document);
  document["wall_seconds"] = seconds;
  return document;
}

/// The workers of a machine: "cpu=4,gpu=2".
std::string workers_of(const Platform& machine) {
  std::vector<std::string> counts;
  for (const ClassId c : machine.classes()) {
    if (machine.worker_count(c) > 0)
      counts.push_back(fmt::format("{}={}", machine.class_name(c), machine.worker_count(c)));
  }
  return fmt::format("{}", fmt::join(counts, ","));
}

Json to_json(const files::LoadedInstance& loaded, const ClusterChoice& choice, double seconds) {
  const TaskGraph& graph = loaded.instance.graph;
  Json document = json_record(loaded.instance.name, loaded.platform);
  document["machines"] = Json::array();
  for (std::size_t i = 0; i < choice.machines.size(); ++i) {
    const partition::MachineChoice& machine = choice.machines[i];
    Json tasks = Json::object();
    for (const TypeId type : graph.types()) tasks[std::string(graph.type_name(type))] = choice.split.tasks[i][type];
    Json entry{{"name", machine.name},
               {"workers", workers_of(machine.instance.platform)},
               {"tasks", std::move(tasks)},
               {"estimate", choice.split.seconds[i]}};
    if (!machine.tasks.empty()) add_choice(machine.instance, machine.choice, entry);
    document["machines"].push_back(std::move(entry));
  }
  document["makespan"] = choice.makespan();
  document["wall_seconds"] = seconds;
  return document;
}

void print_machines(const ClusterChoice& choice, const TaskGraph& graph) {
  using report::Align;
  const report::TimeFormat time(to_time(choice.split.run));
  std::vector<report::Column> columns{{"machine", Align::left, true}, {"workers", Align::left, true}};
  for (const TypeId type : graph.types()) columns.push_back({std::string(graph.type_name(type)), Align::right});
  columns.insert(columns.end(), {{"estimate", Align::right},
                                 {"contexts", Align::left, true},
                                 {"policy", Align::left, true},
                                 {"simulated", Align::right}});
  report::TextTable table(std::move(columns));
  for (std::size_t i = 0; i < choice.machines.size(); ++i) {
    const partition::MachineChoice& machine = choice.machines[i];
    std::vector<std::string> cells{machine.name, workers_of(machine.instance.platform)};
    for (const TypeId type : graph.types())
      cells.push_back(report::format_count(static_cast<std::int64_t>(choice.split.tasks[i][type])));
    cells.push_back(time(to_time(choice.split.seconds[i])));
    if (machine.tasks.empty()) {
      cells.insert(cells.end(), 3, "");
    } else {
      const Row& best = machine.choice.rows[machine.choice.best];
      cells.push_back(partition::describe(best.candidate, machine.instance.platform));
      cells.push_back(policies_of(best.candidate));
      cells.push_back(best.simulated ? time(to_time(*best.simulated)) : "cannot");
    }
    table.add_row(std::move(cells));
  }
  fmt::print("{}", table.text(terminal_style()));
}

/// Several machines.
int choose_on_machines(const ChooseContextsOptions& options, files::LoadedInstance& loaded) {
  const std::vector<partition::Machine> machines =
      partition::parse_machines(options.machines, loaded.instance.platform);
  const Countdown clock;
  ClusterChoice choice = partition::choose(
      loaded.instance, machines, [&](const Platform& machine) { return load_candidates(options.candidates, machine); },
      options_of(options));
  const double seconds = clock.elapsed();
  if (options.json) {
    print_json(to_json(loaded, choice, seconds));
  } else {
    fmt::print("{}\n\n", describe_instance(loaded.instance, loaded.platform));
    print_machines(choice, loaded.instance.graph);
    if (std::isfinite(choice.makespan())) {
      fmt::print("\nmakespan {}, that of the machine that takes longest (decided in {})\n",
                 report::format_time(to_time(choice.makespan())), report::format_time(to_time(seconds)));
    } else {
      fmt::print("\nno makespan: the choice of some machine cannot be simulated (decided in {})\n",
                 report::format_time(to_time(seconds)));
    }
  }
  if (!options.output.empty()) {
    files::save(with_contexts(std::move(loaded.instance), std::move(choice.contexts)), output_path(options.output));
  }
  return 0;
}

}  // namespace

int choose_contexts(const ChooseContextsOptions& options) {
  check_outputs({{"--output", options.output}}, options.json);
  files::LoadedInstance loaded = input::load_instance(options.instance, options.input);
  if (!options.machines.empty()) return choose_on_machines(options, loaded);
  const Instance& instance = loaded.instance;
  partition::Options how = options_of(options);
  const std::vector<Candidate> candidates = load_candidates(options.candidates, instance.platform);
  const Countdown clock;
  Choice choice;
  {
    std::optional<Progress> bar;
    how.watch = [&bar](std::size_t done, std::size_t total) {
      if (!bar) bar.emplace("candidates", total);
      bar->update(done);
    };
    choice = partition::choose(instance, candidates, how);
  }
  const double seconds = clock.elapsed();
  const Row& best = choice.rows[choice.best];
  if (options.json) {
    print_json(to_json(loaded, choice, seconds));
  } else {
    fmt::print("{}\n\n", describe_instance(instance, loaded.platform));
    print_rows(choice, instance.platform);
    print_tasks(best, instance.graph);
    fmt::print("\nchoice: {}: {} (decided in {})\n", best.candidate.name, choice.reason,
               report::format_time(to_time(seconds)));
  }
  if (!options.output.empty()) files::save(with_contexts(instance, choice.contexts), output_path(options.output));
  return 0;
}

}  // namespace heddle::cli
