#include "heddle/policy/registry.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/policy/contexts.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// By name. Those that were found stay where they are when others are added.
std::list<Entry>& table() {
  static std::list<Entry> table = [] {
    std::vector<Entry> all = policy_table();
    std::ranges::sort(all, {}, &Entry::name);
    return std::list<Entry>(std::move_iterator(all.begin()), std::move_iterator(all.end()));
  }();
  return table;
}

const Entry& of_contexts() {
  static const Entry entry = contexts();
  return entry;
}

const Entry& find(std::string_view name) {
  if (name == of_contexts().name) return of_contexts();
  const auto found = std::ranges::find(entries(), name, &Entry::name);
  if (found != entries().end()) return *found;
  std::vector<std::string> names;
  for (const Entry& entry : entries()) names.push_back(entry.name);
  throw InputError("there is no policy '" + std::string(name) + "'" + suggest(name, names));
}

/// Throws InputError where the context's policy is none, or would be one of contexts in turn.
Spec spec_of(const Context& context) {
  try {
    Spec spec(context.policy);
    if (!spec.needs().contexts) return spec;
  } catch (const InputError& error) {
    throw InputError("context '" + context.name + "': " + error.what());
  }
  throw InputError("context '" + context.name + "': policy '" + context.policy + "' cannot be that of a context");
}

void check_complete(const Entry& entry) {
  if (!entry.needs || !entry.make) throw InputError("policy '" + entry.name + "' has no function that makes it");
}

}  // namespace

const std::list<Entry>& entries() {
  return table();
}

void add(Entry entry) {
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  if (entry.name.empty() || entry.name.find_first_not_of(kLetters) != std::string::npos) {
    throw InputError("a policy cannot be called '" + entry.name + "'; expected small letters, digits and dashes");
  }
  const auto place = std::ranges::lower_bound(table(), entry.name, {}, &Entry::name);
  if ((place != table().end() && place->name == entry.name) || entry.name == of_contexts().name) {
    throw InputError("there is a policy '" + entry.name + "' already");
  }
  check_complete(entry);
  table().insert(place, std::move(entry));
}

void replace(Entry entry) {
  static std::list<Entry> replaced;  // Specs refer to them
  const auto found = std::ranges::find(table(), entry.name, &Entry::name);
  if (found == table().end()) throw InputError("there is no policy '" + entry.name + "' to be replaced");
  check_complete(entry);
  replaced.splice(replaced.end(), table(), found);
  add(std::move(entry));
}

Spec::Spec(std::string_view text) : Spec(text, parse_spec("policy", text)) {}

Spec::Spec(std::string_view text, const NamedSettings& parsed)
    : text_(text),
      entry_(&find(parsed.name)),
      options_("policy '" + entry_->name + "'", entry_->options, parsed.settings) {}

Needs Spec::needs(const Table<ContextId, Context>& contexts) const {
  Needs needs = entry_->needs(options_);
  if (!needs.contexts) return needs;
  for (const Context& context : contexts) {
    const Needs own = spec_of(context).needs();
    needs.whole_graph = needs.whole_graph || own.whole_graph;
    needs.abort = needs.abort || own.abort;
    needs.two_classes = needs.two_classes || own.two_classes;
    needs.lookahead = needs.lookahead || own.lookahead;
    needs.plan = needs.plan || own.plan;
  }
  return needs;
}

std::string Spec::objection(const Instance& instance, const Host& host) const {
  const Needs needs = entry_->needs(options_);
  const std::string who = "policy '" + entry_->name + "'";
  if (needs.contexts && instance.contexts.empty()) {
    return who + " needs scheduling contexts; instance '" + instance.name + "' has none";
  }
  for (const Context& context : instance.contexts.all) {
    if (!needs.contexts) break;
    const Spec own = spec_of(context);
    const std::string objection = own.objection(instance, host);
    if (!objection.empty()) return "context '" + context.name + "': " + objection;
    if (needs.moves && own.needs().plan) {
      return "context '" + context.name + "': policy '" + own.entry().name +
             "' follows a schedule, so its workers cannot change; expected resize=none, or another policy";
    }
  }
  const std::size_t classes = instance.platform.class_count();
  if (needs.two_classes && classes != 2) {
    return who + " needs exactly two classes of workers; instance '" + instance.name + "' has " +
           std::to_string(classes);
  }
  if (needs.whole_graph && !host.whole_graph && !host.rounds)
    return who + " needs the whole graph before the run starts";
  if (needs.moves && host.rounds && !host.adopts_moves)
    return who + " cannot resize contexts here, where tasks arrive during the run";
  if (needs.abort && !host.abort) return who + " aborts running tasks, which is not possible here";
  if (needs.lookahead && !host.lookahead) return who + " simulates itself ahead, which is not possible here";
  return "";
}

Policy Spec::make(std::uint64_t seed, const Schedule* plan) const {
  if (entry_->needs(options_).plan && plan == nullptr) {
    throw InputError("policy '" + entry_->name + "' follows a given schedule; say which: " + entry_->name +
                     ":file=SCHEDULE.json");
  }
  return entry_->make({options_, seed, plan});
}

}  // namespace heddle::policy
