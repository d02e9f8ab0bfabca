#include "heddle/model/contexts.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle {
namespace {

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* kBlank = " \t\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Calls visit(part) for what is between the separators, without blanks around it.
template <class Visit>
void visit_parts(std::string_view text, char separator, Visit&& visit) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    visit(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
}

[[noreturn]] void fail_form(std::string_view owner, std::string_view part) {
  throw InputError(std::string(owner) + ": " + quoted(part) +
                   "; expected NAME:CLASS=N,...:POLICY or NAME:WORKER,...:POLICY, e.g. solver:cpu=4,gpu=1:dmdas");
}

void read_workers(std::string_view owner, std::string_view text, ContextRequest& request) {
  visit_parts(text, ',', [&](std::string_view item) {
    const std::size_t sign = item.find('=');
    if (sign == std::string_view::npos) {
      request.named.emplace_back(item);
      return;
    }
    const std::string class_name(trimmed(item.substr(0, sign)));
    const std::optional<std::uint64_t> count = parse_count(trimmed(item.substr(sign + 1)));
    if (!count || *count > kMaxWorkers) {
      throw InputError(std::string(owner) + ": context " + quoted(request.name) + " has " + quoted(item) +
                       "; expected a number of workers, e.g. cpu=4");
    }
    if (std::ranges::find(request.counts, class_name, &ContextRequest::Count::class_name) != request.counts.end()) {
      throw InputError(std::string(owner) + ": context " + quoted(request.name) + " counts class " +
                       quoted(class_name) + " twice");
    }
    request.counts.push_back({class_name, static_cast<std::uint32_t>(*count)});
  });
}

ContextRequest parse_context(std::string_view owner, std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) fail_form(owner, text);
  ContextRequest request{std::string(trimmed(text.substr(0, colon)))};
  const std::string_view rest = text.substr(colon + 1);
  const std::size_t second = std::min(rest.find(':'), rest.size());
  const std::string_view workers = trimmed(rest.substr(0, second));
  if (request.name.empty() || workers.empty()) fail_form(owner, text);
  read_workers(owner, workers, request);
  if (request.named.empty() && std::ranges::all_of(request.counts, [](const auto& one) { return one.workers == 0; })) {
    throw InputError(std::string(owner) + ": context " + quoted(request.name) + " has no worker");
  }
  if (second == rest.size()) return request;
  request.policy = trimmed(rest.substr(second + 1));
  if (request.policy.empty()) fail_form(owner, text);
  return request;
}

WorkerId find_worker(const Platform& platform, const ContextRequest& request, const std::string& name) {
  std::vector<std::string> names;
  for (const WorkerId worker : platform.workers()) {
    if (platform.worker_name(worker) == name) return worker;
    names.push_back(platform.worker_name(worker));
  }
  throw InputError("context " + quoted(request.name) + " names worker " + quoted(name) +
                   ", which the platform does not have" + suggest(name, names));
}

ClassId find_class(const Platform& platform, const ContextRequest& request, const std::string& name) {
  if (const auto c = platform.find_class(name)) return *c;
  std::vector<std::string> names;
  for (const ClassId c : platform.classes()) names.push_back(platform.class_name(c));
  throw InputError("context " + quoted(request.name) + " names class " + quoted(name) +
                   ", which the platform does not have" + suggest(name, names));
}

}  // namespace

std::vector<ContextRequest> parse_contexts(std::string_view owner, std::string_view text) {
  std::vector<ContextRequest> requests;
  text = trimmed(text);
  if (text.ends_with(';')) text.remove_suffix(1);
  visit_parts(text, ';', [&](std::string_view part) { requests.push_back(parse_context(owner, part)); });
  return requests;
}

ContextRequest request_context(std::string_view owner, std::string name, std::string_view workers, std::string policy) {
  ContextRequest request{std::move(name), {}, {}, std::move(policy)};
  if (!trimmed(workers).empty()) read_workers(owner, trimmed(workers), request);
  return request;
}

Table<ContextId, Context> give_workers(const Platform& platform, std::span<const ContextRequest> requests) {
  Table<ContextId, Context> contexts;
  Table<WorkerId, bool> taken(platform.worker_count(), false);
  for (const ContextRequest& request : requests) {
    Context context{request.name, {}, request.policy};
    for (const std::string& name : request.named) {
      const WorkerId worker = find_worker(platform, request, name);
      if (std::ranges::find(context.workers, worker) != context.workers.end()) {
        throw InputError("context " + quoted(request.name) + " names worker " + quoted(name) + " twice");
      }
      context.workers.push_back(worker);
      taken[worker] = true;
    }
    contexts.push_back(std::move(context));
  }
  for (const ContextId id : contexts.ids()) {
    const ContextRequest& request = requests[index(id)];
    for (const ContextRequest::Count& count : request.counts) {
      const ClassId c = find_class(platform, request, count.class_name);
      std::uint32_t given = 0;
      for (const WorkerId worker : platform.workers(c)) {
        if (given == count.workers) break;
        if (taken[worker]) continue;
        taken[worker] = true;
        contexts[id].workers.push_back(worker);
        ++given;
      }
      if (given < count.workers) {
        throw InputError("context " + quoted(request.name) + " wants " + std::to_string(count.workers) + " " +
                         count.class_name + ", of which " + std::to_string(given) + (given == 1 ? " is" : " are") +
                         " left; contexts share workers that they name, e.g. " + request.name + ":" + count.class_name +
                         "0");
      }
    }
    std::ranges::sort(contexts[id].workers);
  }
  return contexts;
}

std::optional<std::vector<ContextRequest>> counted(const Platform& platform,
                                                   const Table<ContextId, Context>& contexts) {
  std::vector<ContextRequest> requests;
  Table<ClassId, std::uint32_t> taken(platform.class_count(), 0);
  for (const Context& context : contexts) {
    ContextRequest request{context.name, {}, {}, context.policy};
    for (const WorkerId worker : context.workers) {
      const ClassId c = platform.class_of(worker);
      // What counting would give next.
      if (index(worker) != index(*platform.workers(c).begin()) + taken[c]++) return std::nullopt;
      if (request.counts.empty() || request.counts.back().class_name != platform.class_name(c)) {
        request.counts.push_back({platform.class_name(c), 0});
      }
      ++request.counts.back().workers;
    }
    requests.push_back(std::move(request));
  }
  return requests;
}

ContextId find_context(std::string_view name, const Table<ContextId, Context>& contexts) {
  const auto found = std::ranges::find(contexts, name, &Context::name);
  if (found != contexts.end()) return make_id<ContextId>(static_cast<std::size_t>(found - contexts.begin()));
  std::vector<std::string> names;
  for (const Context& context : contexts) names.push_back(context.name);
  throw InputError("there is no context " + quoted(name) + suggest(name, names));
}

Contexts with_all_tasks(const TaskGraph& graph, Table<ContextId, Context> contexts) {
  const ContextId last = make_id<ContextId>(contexts.size() - 1);
  return {std::move(contexts), Table<TaskId, ContextId>(graph.task_count(), last)};
}

void assign(const TaskGraph& graph, std::span<const Hint> hints, Contexts& contexts) {
  for (const Hint& hint : hints) {
    const ContextId context = find_context(hint.class_name, contexts.all);
    for (const TaskId task : hinted_tasks(graph, hint)) contexts.of[task] = context;
  }
}

namespace {

/// The context that has the fewest data for its workers once it has one more; of several, the first.
ContextId next_owner(const Table<ContextId, Context>& contexts, const Table<ContextId, std::size_t>& owned) {
  ContextId best = kNone<ContextId>;
  for (const ContextId id : contexts.ids()) {
    if (contexts[id].workers.empty()) continue;
    if (best == kNone<ContextId> ||
        (owned[id] + 1) * contexts[best].workers.size() < (owned[best] + 1) * contexts[id].workers.size()) {
      best = id;
    }
  }
  return best;
}

}  // namespace

void assign_by_data(const TaskGraph& graph, Contexts& contexts) {
  Table<ContextId, std::size_t> owned(contexts.all.size(), 0);
  Table<DataId, ContextId> owners;
  for (std::size_t i = 0; i < graph.data_count(); ++i) {
    const ContextId owner = next_owner(contexts.all, owned);
    if (owner == kNone<ContextId>) return;
    ++owned[owner];
    owners.push_back(owner);
  }
  for (const TaskId task : graph.tasks()) {
    for (const Access& access : graph.accesses(task)) {
      if (access.mode != AccessMode::read) contexts.of[task] = owners[access.data];
    }
  }
}

Instance with_contexts(Instance instance, Contexts contexts) {
  const Platform& platform = instance.platform;
  const TaskGraph& graph = instance.graph;
  Table<ContextId, Table<ClassId, bool>> has_class;
  for (const ContextId id : contexts.all.ids()) {
    const Context& context = contexts.all[id];
    const std::string who = "context " + quoted(context.name);
    if (context.name.empty()) throw InputError("a context has an empty name");
    const auto first = std::ranges::find(contexts.all, context.name, &Context::name);
    if (first - contexts.all.begin() != static_cast<std::ptrdiff_t>(index(id))) {
      throw InputError("there are two contexts called " + quoted(context.name));
    }
    if (std::ranges::adjacent_find(context.workers, std::greater_equal<>()) != context.workers.end()) {
      throw InputError(who + " has workers that are not in ascending order, or one twice");
    }
    if (!context.workers.empty() && index(context.workers.back()) >= platform.worker_count()) {
      throw InputError(who + " has an unknown worker");
    }
    Table<ClassId, bool> has(platform.class_count(), false);
    for (const WorkerId worker : context.workers) has[platform.class_of(worker)] = true;
    has_class.push_back(std::move(has));
  }
  if (contexts.of.size() != (contexts.empty() ? 0 : graph.task_count())) {
    throw InputError("instance " + quoted(instance.name) + " has contexts, but not one for each task");
  }
  for (const TaskId task : contexts.of.ids()) {
    const ContextId id = contexts.of[task];
    if (index(id) >= contexts.all.size()) throw InputError("a task is of a context that does not exist");
    const auto runs = [&](ClassId c) { return has_class[id][c] && instance.costs.can_run(task, c); };
    if (std::ranges::any_of(platform.classes(), runs)) continue;
    throw InputError("task " + quoted(graph.name(task)) + " of type " + quoted(graph.type_name(graph.type(task))) +
                     " is of context " + quoted(contexts.all[id].name) + ", none of whose workers can run it");
  }
  instance.contexts = std::move(contexts);
  return instance;
}

}  // namespace heddle
