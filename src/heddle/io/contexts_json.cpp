#include "heddle/io/contexts_json.hpp"

#include <string>
#include <utility>
#include <vector>

#include "heddle/io/text.hpp"
#include "heddle/model/contexts.hpp"

namespace heddle::io {
namespace {

constexpr const char* kWorkers = R"(numbers of workers by class, {"cpu": 4}, or an array of worker names, ["cpu0"])";

void read_workers(Json value, const NameTable<ClassId>& classes, const NameTable<WorkerId>& workers,
                  ContextRequest& request) {
  if (value.kind() == JsonKind::array) {
    for (const Json name : value) {
      static_cast<void>(workers.resolve(name));
      request.named.emplace_back(name.text());
    }
    return;
  }
  expect_map(value, kWorkers);
  for (const Json member : value) {
    static_cast<void>(classes.resolve_key(member));
    const std::int64_t count =
        read_integer(member, "a whole number of workers (digits only)", 0, static_cast<std::int64_t>(kMaxWorkers));
    request.counts.push_back({std::string(member.key()), static_cast<std::uint32_t>(count)});
  }
}

void append_workers(Buffer& out, const Platform& platform, const Context& context, const ContextRequest* counts) {
  bool is_first = true;
  const auto next = [&](std::string_view name) {
    if (!std::exchange(is_first, false)) append(out, ", ");
    append_quoted(out, name);
  };
  out.push_back(counts != nullptr ? '{' : '[');
  if (counts != nullptr) {
    for (const auto& [class_name, workers] : counts->counts) {
      next(class_name);
      fmt::format_to(fmt::appender(out), ": {}", workers);
    }
  } else {
    for (const WorkerId worker : context.workers) next(platform.worker_name(worker));
  }
  out.push_back(counts != nullptr ? '}' : ']');
}

}  // namespace

Table<ContextId, Context> read_contexts(Json list, const Platform& platform, NameTable<ContextId>& names) {
  NameTable<ClassId> classes("class");
  for (const ClassId c : platform.classes()) classes.add(platform.class_name(c));
  NameTable<WorkerId> workers("worker");
  for (const WorkerId worker : platform.workers()) workers.add(platform.worker_name(worker));
  expect_array(list, "an array of contexts");
  std::vector<ContextRequest> requests;
  for (const Json value : list) {
    expect_object(value, R"(a context, e.g. {"name": "solver", "workers": {"cpu": 4}, "policy": "dmdas"})",
                  {"name", "workers", "policy"});
    ContextRequest request{std::string(names.add(require(value, "name", "the name of a context")))};
    read_workers(require(value, "workers", kWorkers), classes, workers, request);
    if (const auto policy = find(value, "policy")) request.policy = read_name(*policy, "a policy");
    requests.push_back(std::move(request));
  }
  return with_place(list, [&] { return give_workers(platform, requests); });
}

void read_assignment(std::string_view text, std::string_view source, const TaskGraph& graph, Contexts& contexts) {
  const JsonDocument document(text, source);
  const Json root = document.root();
  expect_map(root, R"x(an object of contexts by task, {"POTRF(0,0)": "solver"})x");
  NameTable<TaskId> tasks("task");
  tasks.reserve(graph.task_count());
  for (const TaskId task : graph.tasks()) tasks.add(graph.name(task));
  NameTable<ContextId> names("context");
  for (const Context& context : contexts.all) names.add(context.name);
  Table<TaskId, bool> named(graph.task_count(), false);
  for (const Json member : root) {
    const TaskId task = tasks.resolve_key(member);
    if (named[task]) root.fail("has the key " + in_quotes(member.key()) + " twice");
    named[task] = true;
    contexts.of[task] = names.resolve(member);
  }
}

void append_contexts(Buffer& out, const Platform& platform, const Table<ContextId, Context>& contexts) {
  const std::optional<std::vector<ContextRequest>> counts = counted(platform, contexts);
  append(out, "\"contexts\": ");
  Block block(out, 4);
  for (const ContextId id : contexts.ids()) {
    block.next();
    append(out, R"({"name": )");
    append_quoted(out, contexts[id].name);
    append(out, R"(, "workers": )");
    append_workers(out, platform, contexts[id], counts ? &(*counts)[index(id)] : nullptr);
    append(out, R"(, "policy": )");
    append_quoted(out, contexts[id].policy);
    out.push_back('}');
  }
  block.close();
}

}  // namespace heddle::io
