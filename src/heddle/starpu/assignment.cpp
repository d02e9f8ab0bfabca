#include "heddle/starpu/assignment.hpp"

#include <algorithm>

#include "heddle/model/contexts.hpp"
#include "heddle/model/error.hpp"

namespace heddle::starpu {
namespace {

constexpr const char* kContexts = "HEDDLE_CONTEXTS";
constexpr const char* kAssign = "HEDDLE_ASSIGN";

/// Runs what reads the variable, and names it in errors.
template <class Read>
auto reading(const char* variable, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(std::string(variable) + ": " + error.what());
  }
}

}  // namespace

Assignment::Assignment(const Settings& settings, unsigned context, const Platform& platform) : platform_(platform) {
  if (settings.contexts.empty() || context != 0) return;
  const std::vector<ContextRequest> requests = parse_contexts(kContexts, settings.contexts);
  contexts_ = reading(kContexts, [&] {
    const TaskGraph none;
    Table<ContextId, Context> contexts = give_workers(platform, requests);
    Instance machine = make_instance("starpu", none, platform, Costs(none, platform.class_count()));
    return with_contexts(std::move(machine), {std::move(contexts), {}}).contexts.all;
  });
  if (settings.assign.empty()) return;
  constexpr const char* kExpected = "CODELET@CONTEXT, e.g. potrf@solver";
  for (const Hint& hint : parse_hints(kAssign, settings.assign, kExpected)) {
    if (hint.tiles > 0) {
      throw InputError(std::string(kAssign) + ": tasks in StarPU have no place in a matrix; expected " + kExpected);
    }
    rules_.push_back({hint.type, reading(kAssign, [&] { return find_context(hint.class_name, contexts_); })});
  }
}

/// Whether the context has one that can run it.
bool Assignment::has_worker(ContextId context, const Table<ClassId, bool>& can_run) const {
  return std::ranges::any_of(contexts_[context].workers,
                             [&](WorkerId worker) { return can_run[platform_.class_of(worker)]; });
}

ContextId Assignment::of(std::string_view codelet, const Table<ClassId, bool>& can_run) {
  ContextId chosen = kNone<ContextId>;
  for (Rule& rule : rules_) {
    if (rule.codelet != codelet) continue;
    chosen = rule.context;
    rule.is_seen = true;
  }
  if (chosen == kNone<ContextId> && !contexts_.empty()) {
    chosen = make_id<ContextId>(contexts_.size() - 1);
    if (!has_worker(chosen, can_run)) {
      for (const ContextId context : contexts_.ids()) {
        if (!has_worker(context, can_run)) continue;
        chosen = context;
        break;
      }
    }
  }
  if (chosen == kNone<ContextId> || has_worker(chosen, can_run)) return chosen;
  throw InputError("tasks of codelet '" + std::string(codelet) + "' belong to context '" + contexts_[chosen].name +
                   "' (" + kContexts + "), none of whose workers can run them");
}

std::vector<std::string> Assignment::unseen() const {
  std::vector<std::string> unseen;
  for (const Rule& rule : rules_) {
    if (!rule.is_seen) unseen.push_back(rule.codelet);
  }
  return unseen;
}

}  // namespace heddle::starpu
