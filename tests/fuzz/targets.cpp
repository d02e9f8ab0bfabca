#include "tests/fuzz/targets.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "heddle/facts/format.hpp"
#include "heddle/facts/replay.hpp"
#include "heddle/io/contexts_json.hpp"
#include "heddle/io/detect.hpp"
#include "heddle/io/dot.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/platform_file.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/io/timed_graph.hpp"
#include "heddle/io/workflow.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/partition/candidates.hpp"
#include "tests/fuzz/kept_targets.hpp"
#include "tests/fuzz/starpu_targets.hpp"
#include "tests/fuzz/steps.hpp"
#include "tests/io/toy.hpp"

namespace heddle::test {
namespace {

void run_detect(std::string_view bytes) {
  if (io::detect(bytes) == io::Format::unknown) static_cast<void>(io::explain_unknown(bytes, "input"));
}

void run_instance(std::string_view bytes) {
  const auto instance = accepted([&] { return io::read_instance(bytes, "input"); });
  if (!instance) return;
  const std::string text = io::write_instance(*instance);
  expect_same(text, io::write_instance(io::read_instance(text, "again")));
  static_cast<void>(io::write_dot(instance->graph, instance->name));
}

void run_platform(std::string_view bytes) {
  const auto machine = accepted([&] { return io::read_platform(bytes, "input"); });
  if (!machine) return;
  const std::string text = io::write_platform(*machine);
  expect_same(text, io::write_platform(io::read_platform(text, "again")));
}

void run_schedule(std::string_view bytes) {
  static const Instance toy = io::read_instance(kToy, "toy");
  const auto file = accepted([&] { return io::read_schedule(bytes, "input", toy); });
  if (!file) return;
  const std::string text = io::write_schedule(file->schedule, toy);
  expect_same(text, io::write_schedule(io::read_schedule(text, "again", toy).schedule, toy));
}

void run_assignment(std::string_view bytes) {
  static const Instance toy = io::read_instance(kToy, "toy");
  Contexts contexts{Table<ContextId, Context>(2), Table<TaskId, ContextId>(toy.graph.task_count())};
  contexts.all[ContextId{0}].name = "solver";
  contexts.all[ContextId{1}].name = "rest";
  static_cast<void>(accepted([&] {
    io::read_assignment(bytes, "input", toy.graph, contexts);
    return true;
  }));
}

void run_candidates(std::string_view bytes) {
  static const Instance toy = io::read_instance(kToy, "toy");
  const auto found = accepted([&] { return partition::read_candidates(bytes, "input", toy.platform); });
  if (!found) return;
  // What was accepted can be made.
  for (const partition::Candidate& candidate : *found) {
    try {
      static_cast<void>(partition::contexts_of(candidate, toy.platform, "eager"));
    } catch (const InputError& error) {
      throw InternalError(error.what());
    }
  }
}

/// A log of the events, as long as they can be read.
std::string rewritten(std::string_view bytes, std::string_view source) {
  facts::EventReader reader(bytes, source);
  io::Buffer text;
  facts::append_head(text, reader.policy());
  io::Block events(text, 4);
  while (const auto event = reader.next()) {
    events.next();
    facts::append_event(text, *event);
  }
  events.close();
  facts::append_tail(text);
  return fmt::to_string(text);
}

/// The policy that a log names, but for one that would search for seconds.
policy::Policy make_quick(const std::string& name, const facts::Origin& origin, const Instance& instance) {
  const std::string limit = std::string(name.find(':') == std::string::npos ? ":" : ",") + "events=1000";
  return facts::make_registered(name.starts_with("auto") ? name + limit : name, origin, instance);
}

void run_facts(std::string_view bytes) {
  const auto text = accepted([&] { return rewritten(bytes, "input"); });
  if (!text) return;
  expect_same(*text, rewritten(*text, "again"));
  static_cast<void>(accepted([&] { return facts::replay(*text, "input", {.make = make_quick}); }));
}

/// On a machine with a worker of each class.
std::optional<Instance> placed(io::TimedGraph graph) {
  std::vector<ResourceClass> classes;
  for (std::size_t c = 0; c < graph.columns; ++c) classes.push_back({"class" + std::to_string(c), 1, "ram", {}});
  return accepted([&] { return io::place(std::move(graph), Platform(std::move(classes))); });
}

void run_hetero_swf(std::string_view bytes) {
  auto graph = accepted([&] { return io::read_hetero_swf(bytes, "input", kMillisecond); });
  const auto instance = graph ? placed(std::move(*graph)) : std::nullopt;
  if (!instance) return;
  const std::string text = io::write_hetero_swf(*instance);
  expect_same(text, io::write_hetero_swf(*placed(io::read_hetero_swf(text, "again"))));
}

void run_stg(std::string_view bytes) {
  auto graph = accepted([&] { return io::read_stg(bytes, "input"); });
  if (graph) static_cast<void>(placed(std::move(*graph)));
}

void run_wfformat(std::string_view bytes) {
  auto workflow = accepted([&] { return io::read_workflow(bytes, "input"); });
  if (!workflow) return;
  const auto run = accepted([&] { return io::execution_of(*workflow); });
  if (run) static_cast<void>(validate_attempts(run->execution.instance, run->execution.schedule, Durations::free));
  static_cast<void>(accepted([&] { return io::place(std::move(*workflow), Platform({{"cpu", 2, "ram", {}}})); }));
}

constexpr std::array kTargets = {
    FuzzTarget{"detect", run_detect},
    FuzzTarget{"instance", run_instance},
    FuzzTarget{"platform", run_platform},
    FuzzTarget{"schedule", run_schedule},
    FuzzTarget{"assignment", run_assignment},
    FuzzTarget{"candidates", run_candidates},
    FuzzTarget{"facts", run_facts},
    FuzzTarget{"hetero-swf", run_hetero_swf},
    FuzzTarget{"stg", run_stg},
    FuzzTarget{"wfformat", run_wfformat},
    FuzzTarget{"tasks_rec", run_tasks_rec},
    FuzzTarget{"paje", run_paje},
    FuzzTarget{"perfmodel", run_perfmodel},
    FuzzTarget{"bus", run_bus},
    FuzzTarget{"journal", run_journal},
    FuzzTarget{"history", run_history},
};

}  // namespace

std::span<const FuzzTarget> fuzz_targets() {
  return kTargets;
}

}  // namespace heddle::test
