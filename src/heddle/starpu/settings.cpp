#include "heddle/starpu/settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"

namespace heddle::starpu {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Whether the variable is 1, and not 0 or missing.
bool is_on(const char* name) {
  const std::string value = variable(name);
  if (!value.empty() && value != "0" && value != "1")
    throw InputError(std::string(name) + " is '" + value + "', expected 0 or 1");
  return value == "1";
}

std::vector<std::string> between_colons(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ':');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string default_policy(const Platform& platform) {
  if (platform.memories().size() > 1) return "slack";
  return platform.class_count() > 1 ? "dmda" : "prio:priority=due";
}

std::string with_infix(const std::string& path, const std::string& infix) {
  const std::string suffix = ".json";
  const std::string stem = path.ends_with(suffix) ? path.substr(0, path.size() - suffix.size()) : path;
  return stem + infix + suffix;
}

std::string context_infix(unsigned context) {
  return context == 0 ? "" : "." + std::to_string(context);
}

/// Which of several processes this is, as their launcher says: Open MPI's or MPICH's mpirun, or Slurm's srun. Empty: it
/// is the only one.
std::string read_rank() {
  struct Launcher {
    const char* rank;
    const char* size;
  };
  for (const Launcher launcher : {Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                  {"PMI_RANK", "PMI_SIZE"},
                                  {"SLURM_PROCID", "SLURM_NTASKS"}}) {
    const std::string rank = variable(launcher.rank);
    if (rank.empty()) continue;
    return variable(launcher.size) == "1" ? "" : rank;
  }
  return "";
}

}  // namespace

Settings read_settings() {
  Settings settings{.policy = variable("HEDDLE_POLICY"),
                    .contexts = variable("HEDDLE_CONTEXTS"),
                    .assign = variable("HEDDLE_ASSIGN"),
                    .resize = variable("HEDDLE_RESIZE"),
                    .record = variable("HEDDLE_RECORD"),
                    .facts = variable("HEDDLE_FACTS"),
                    .plugins = between_colons(variable("HEDDLE_PLUGINS")),
                    .summarizes = is_on("HEDDLE_SUMMARY"),
                    .splits_cpus = is_on("HEDDLE_SPLIT_CPUS"),
                    .rank = read_rank()};
  for (std::string* const file : {&settings.record, &settings.facts}) {
    if (!file->empty() && !settings.rank.empty()) *file = with_infix(*file, ".rank" + settings.rank);
  }
  const std::string spoliation = variable("HEDDLE_SPOLIATION");
  if (!spoliation.empty() && spoliation != "hold-back" && spoliation != "none") {
    throw InputError("HEDDLE_SPOLIATION is '" + spoliation + "', expected hold-back or none");
  }
  if (settings.contexts.empty() && !settings.assign.empty()) {
    throw InputError("HEDDLE_ASSIGN says which tasks belong to which context, and HEDDLE_CONTEXTS names none");
  }
  if (settings.contexts.empty() && !settings.resize.empty()) {
    throw InputError("HEDDLE_RESIZE says how workers move between contexts, and HEDDLE_CONTEXTS names none");
  }
  static_cast<void>(choose_rule(settings));
  if (spoliation == "none") settings.aborts = host::Aborts::none;
  if (!settings.record.empty()) {
    io::check_writable(instance_path(settings.record, 0));
    io::check_writable(schedule_path(settings.record, 0));
  }
  return settings;
}

std::string watched_scheduler(const Settings& settings) {
  const std::string prefix = "starpu:";
  if (!settings.policy.starts_with(prefix)) return "";
  const char* const given = !settings.facts.empty()      ? "HEDDLE_FACTS"
                            : !settings.contexts.empty() ? "HEDDLE_CONTEXTS"
                                                         : nullptr;
  if (given != nullptr) throw InputError(std::string(given) + ": '" + settings.policy + "' is not a policy of Heddle");
  return settings.policy.substr(prefix.size());
}

policy::Spec choose_policy(const Settings& settings, const Platform& platform,
                           const Table<ContextId, Context>& contexts) {
  try {
    policy::Spec spec(!contexts.empty()         ? "contexts"
                      : settings.policy.empty() ? default_policy(platform)
                                                : settings.policy);
    const TaskGraph none;
    const Platform shown = shown_to(spec, platform, contexts);
    Instance machine = make_instance("starpu", none, shown, Costs(none, shown.class_count()));
    machine.contexts.all = contexts;
    const bool follows_plan = spec.needs(contexts).plan;
    if (follows_plan && !contexts.empty())
      throw InputError("the policy of a context follows a plan, which cannot be given to contexts inside StarPU");
    if (follows_plan && spec.options().text("file").empty())
      throw InputError("policy '" + spec.text() + "' follows a plan; say which: static:file=SCHEDULE.json");
    const std::string objection = spec.objection(machine, {.whole_graph = false, .rounds = true});
    if (!objection.empty()) throw InputError(objection);
    return spec;
  } catch (const InputError& error) {
    throw InputError((contexts.empty() ? "HEDDLE_POLICY: " : "HEDDLE_CONTEXTS: ") + std::string(error.what()));
  }
}

std::shared_ptr<const policy::ResizeRule> choose_rule(const Settings& settings) {
  if (settings.resize.empty()) return nullptr;
  // A rule takes time to decide, during which no other worker gets a task.
  constexpr Time kPause = 1000 * kMicrosecond;
  const std::string is = "HEDDLE_RESIZE is '" + settings.resize + "'";
  std::string known;
  for (const std::string& name : policy::resize_rule_names()) {
    policy::ResizeRule rule = policy::resize_rule(name);
    rule.pause = kPause;
    if (name == settings.resize) {
      if (!rule.looks_ahead) return std::make_shared<const policy::ResizeRule>(std::move(rule));
      throw InputError(is +
                       ", which simulates the rest of the run, and what waits for tasks that are not submitted or " +
                       "not shown is not known inside StarPU; expected " + known);
    }
    known += (known.empty() ? "" : ", ") + name;
  }
  throw InputError(is + "; expected one of idle, speed, lp");
}

Platform shown_to(const policy::Spec& spec, const Platform& platform, const Table<ContextId, Context>& contexts) {
  if (!spec.needs(contexts).two_classes || platform.class_count() != 1) return platform;
  return Platform({platform.resource_class(ClassId{0}), {.name = "none"}});
}

std::string instance_path(const std::string& record, unsigned context) {
  return with_infix(record, context_infix(context));
}

std::string facts_path(const std::string& facts, unsigned context) {
  return with_infix(facts, context_infix(context));
}

std::string schedule_path(const std::string& record, unsigned context) {
  return with_infix(record, context_infix(context) + ".schedule");
}

}  // namespace heddle::starpu
