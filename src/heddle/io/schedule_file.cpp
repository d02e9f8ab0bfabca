#include "heddle/io/schedule_file.hpp"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "heddle/io/contexts_json.hpp"
#include "heddle/io/json_read.hpp"
#include "heddle/io/json_write.hpp"
#include "heddle/io/text.hpp"

namespace heddle::io {
namespace {

constexpr std::array<Outcome, 3> kOutcomes = {Outcome::completed, Outcome::aborted, Outcome::failed};

class ScheduleReader {
 public:
  ScheduleReader(Json root, const Instance& instance) : root_(root), instance_(instance) {
    tasks_.reserve(instance.graph.task_count());
    for (const TaskId task : instance.graph.tasks()) tasks_.add(instance.graph.name(task));
    for (const WorkerId worker : instance.platform.workers()) workers_.add(instance.platform.worker_name(worker));
    for (const Datum& datum : instance.graph.data()) data_.add(datum.name);
    for (const Memory& memory : instance.platform.memories()) memories_.add(memory.name);
  }

  ScheduleFile read() {
    read_attempts();
    if (const auto transfers = find(root_, "transfers")) {
      expect_array(*transfers, "an array of transfers");
      for (const Json transfer : *transfers) file_.schedule.transfers.push_back(read_transfer(transfer));
    }
    return std::move(file_);
  }

  Schedule read_plan() {
    read_attempts();
    return std::move(file_.schedule);
  }

 private:
  /// Everything before the transfers.
  void read_attempts() {
    expect_document(
        root_, "heddle-schedule",
        {"instance", "policy", "makespan", "seed", "workers", "contexts", "moves", "attempts", "transfers"});
    read_head();
    read_workers();
    read_contexts_of_tasks();
    read_moves();
    const Json attempts = require(root_, "attempts", "an array of attempts");
    expect_array(attempts, "an array of attempts");
    for (const Json attempt : attempts) {
      file_.schedule.attempts.push_back(read_attempt(attempt));
      read_context(attempt, file_.schedule.attempts.back().task);
    }
  }

  void read_contexts_of_tasks() {
    const auto list = find(root_, "contexts");
    if (!list) return;
    Contexts& contexts = file_.schedule.contexts;
    contexts.all = read_contexts(*list, instance_.platform, contexts_);
    if (contexts.empty()) return;
    contexts.of.assign(instance_.graph.task_count(), make_id<ContextId>(contexts.all.size() - 1));
    names_context_.assign(instance_.graph.task_count(), false);
  }

  void read_moves() {
    const auto list = find(root_, "moves");
    if (!list) return;
    expect_array(*list, "an array of moves of workers between contexts");
    Schedule& schedule = file_.schedule;
    for (const Json value : *list) {
      expect_object(value, "a move with at, worker, from and to", {"at", "worker", "from", "to"});
      const auto context = [&](const char* key) {
        const auto name = find(value, key);
        return name ? contexts_.resolve(*name) : kNone<ContextId>;
      };
      schedule.moves.push_back({read_instant(require(value, "at", "seconds")),
                                workers_.resolve(require(value, "worker", "the name of a worker")), context("from"),
                                context("to")});
    }
    static_cast<void>(with_place(*list, [&] { return stays(schedule.contexts.all, schedule.moves); }));
  }

  /// A task is of one context, whatever became of its attempts.
  void read_context(Json attempt, TaskId task) {
    const auto name = find(attempt, "context");
    if (!name) return;
    const ContextId context = contexts_.resolve(*name);
    ContextId& known = file_.schedule.contexts.of[task];
    if (names_context_[task] && known != context) {
      name->fail("is not " + in_quotes(file_.schedule.contexts.all[known].name) +
                 ", the context of another attempt of the task");
    }
    known = context;
    names_context_[task] = true;
  }

  void read_head() {
    Schedule& schedule = file_.schedule;
    if (const auto name = find(root_, "instance")) schedule.instance = read_string(*name, "the name of the instance");
    if (const auto policy = find(root_, "policy")) schedule.policy = read_string(*policy, "the name of a policy");
    if (const auto seed = find(root_, "seed")) schedule.seed = read_unsigned(*seed, "a whole number (digits only)");
    if (const auto makespan = find(root_, "makespan")) file_.stated_makespan = read_instant(*makespan);
    const auto meta = find(root_, "meta");
    const auto noise = meta && meta->kind() == JsonKind::object ? find(*meta, "noise") : std::nullopt;
    if (noise && noise->kind() == JsonKind::string) schedule.noise = noise->text();
  }

  /// The list must say what the platform says: a schedule for another machine shall not pass as one for this.
  void read_workers() {
    const auto list = find(root_, "workers");
    if (!list) return;
    expect_array(*list, "an array of workers");
    Table<WorkerId, bool> listed(workers_.size(), false);
    for (const Json value : *list) {
      expect_object(value, "a worker, e.g. {\"name\": \"cpu0\", \"class\": \"cpu\"}", {"name", "class"});
      const Json name = require(value, "name", "the name of a worker");
      const WorkerId worker = workers_.resolve(name);
      if (listed[worker]) fail_repeated(name, "worker");
      listed[worker] = true;
      check_class(require(value, "class", "the name of a class"), worker);
    }
    for (const WorkerId worker : listed.ids()) {
      if (!listed[worker])
        list->fail("does not list " + in_quotes(instance_.platform.worker_name(worker)) +
                   ", which the instance's platform has");
    }
  }

  void check_class(Json value, WorkerId worker) {
    const std::string& expected = instance_.platform.class_name(instance_.platform.class_of(worker));
    if (read_string(value, "the name of a class") != expected) {
      value.fail_expected(in_quotes(expected) + ", as in the instance's platform");
    }
  }

  Attempt read_attempt(Json value) {
    expect_object(value, "an attempt with task, worker, start, end and outcome",
                  {"task", "worker", "start", "end", "outcome", "context"});
    return {tasks_.resolve(require(value, "task", "the name of a task")),
            workers_.resolve(require(value, "worker", "the name of a worker")),
            read_instant(require(value, "start", "seconds")), read_instant(require(value, "end", "seconds")),
            read_outcome(require(value, "outcome", "'completed', 'aborted' or 'failed'"))};
  }

  static Outcome read_outcome(Json value) {
    const std::string_view text = read_string(value, "'completed', 'aborted' or 'failed'");
    std::vector<std::string> known;
    for (const Outcome outcome : kOutcomes) {
      if (text == to_string(outcome)) return outcome;
      known.emplace_back(to_string(outcome));
    }
    fail_unknown(value, "outcome", known);
  }

  Transfer read_transfer(Json value) {
    expect_object(value, "a transfer with data, from, to, start, end and bytes",
                  {"data", "from", "to", "start", "end", "bytes"});
    return {data_.resolve(require(value, "data", "the name of a datum")),
            memories_.resolve(require(value, "from", "the name of a memory")),
            memories_.resolve(require(value, "to", "the name of a memory")),
            read_instant(require(value, "start", "seconds")),
            read_instant(require(value, "end", "seconds")),
            read_integer(require(value, "bytes", "a number of bytes"), "a whole number of bytes (digits only)", 0)};
  }

  Json root_;
  const Instance& instance_;
  NameTable<TaskId> tasks_{"task"};
  NameTable<WorkerId> workers_{"worker"};
  NameTable<DataId> data_{"datum"};
  NameTable<MemoryId> memories_{"memory"};
  NameTable<ContextId> contexts_{"context"};
  Table<TaskId, bool> names_context_;
  ScheduleFile file_;
};

void append_head(Buffer& out, const Schedule& schedule) {
  append(out, "{\n  \"format\": \"heddle-schedule\", \"version\": 1, \"instance\": ");
  append_quoted(out, schedule.instance);
  append(out, ", \"policy\": ");
  append_quoted(out, schedule.policy);
  fmt::format_to(fmt::appender(out), ",\n  \"makespan\": {}, \"seed\": {}", format_seconds(schedule.makespan()),
                 schedule.seed);
  if (schedule.noise.empty()) return;
  append(out, ",\n  \"meta\": {\"noise\": ");
  append_quoted(out, schedule.noise);
  out.push_back('}');
}

void append_workers(Buffer& out, const Platform& platform) {
  append(out, ",\n  \"workers\": ");
  Block block(out, 4);
  for (const WorkerId worker : platform.workers()) {
    block.next();
    append(out, R"({"name": )");
    append_quoted(out, platform.worker_name(worker));
    append(out, R"(, "class": )");
    append_quoted(out, platform.class_name(platform.class_of(worker)));
    out.push_back('}');
  }
  block.close();
}

void append_times(Buffer& out, Time start, Time end) {
  fmt::format_to(fmt::appender(out), R"(, "start": {}, "end": {})", format_seconds(start), format_seconds(end));
}

void append_moves(Buffer& out, const Schedule& schedule, const Instance& instance) {
  append(out, ",\n  \"moves\": ");
  Block block(out, 4);
  for (const WorkerMove& move : schedule.moves) {
    block.next();
    fmt::format_to(fmt::appender(out), R"({{"at": {}, "worker": )", format_seconds(move.at));
    append_quoted(out, instance.platform.worker_name(move.worker));
    for (const auto& [key, context] : {std::pair("from", move.from), std::pair("to", move.to)}) {
      if (context == kNone<ContextId>) continue;
      fmt::format_to(fmt::appender(out), R"(, "{}": )", key);
      append_quoted(out, schedule.contexts.all[context].name);
    }
    out.push_back('}');
  }
  block.close();
}

void append_attempts(Buffer& out, const Schedule& schedule, const Instance& instance) {
  append(out, ",\n  \"attempts\": ");
  Block block(out, 4);
  for (const Attempt& attempt : schedule.attempts) {
    block.next();
    append(out, R"({"task": )");
    append_quoted(out, instance.graph.name(attempt.task));
    append(out, R"(, "worker": )");
    append_quoted(out, instance.platform.worker_name(attempt.worker));
    append_times(out, attempt.start, attempt.end);
    fmt::format_to(fmt::appender(out), R"(, "outcome": "{}")", to_string(attempt.outcome));
    if (!schedule.contexts.empty()) {
      append(out, R"(, "context": )");
      append_quoted(out, schedule.contexts.all[schedule.contexts.of[attempt.task]].name);
    }
    out.push_back('}');
  }
  block.close();
}

void append_transfers(Buffer& out, const Schedule& schedule, const Instance& instance) {
  append(out, ",\n  \"transfers\": ");
  Block block(out, 4);
  for (const Transfer& transfer : schedule.transfers) {
    block.next();
    append(out, R"({"data": )");
    append_quoted(out, instance.graph.datum(transfer.data).name);
    append(out, R"(, "from": )");
    append_quoted(out, instance.platform.memories()[transfer.from].name);
    append(out, R"(, "to": )");
    append_quoted(out, instance.platform.memories()[transfer.to].name);
    append_times(out, transfer.start, transfer.end);
    fmt::format_to(fmt::appender(out), R"(, "bytes": {}}})", transfer.bytes);
  }
  block.close();
}

}  // namespace

ScheduleFile read_schedule(std::string_view text, std::string_view source, const Instance& instance) {
  const JsonDocument document(text, source);
  return ScheduleReader(document.root(), instance).read();
}

Schedule read_plan(std::string_view text, std::string_view source, const Instance& instance) {
  const JsonDocument document(text, source);
  return ScheduleReader(document.root(), instance).read_plan();
}

std::vector<std::pair<std::string, Attempt>> read_named_plan(std::string_view text, std::string_view source,
                                                             const Platform& platform) {
  const JsonDocument document(text, source);
  const Json attempts = require(document.root(), "attempts", "an array of attempts");
  expect_array(attempts, "an array of attempts");
  // An instance of the tasks that the file names.
  TaskGraphBuilder builder;
  const TypeId type = builder.add_type("task");
  std::unordered_set<std::string> known;
  for (const Json attempt : attempts) {
    const auto task = attempt.kind() == JsonKind::object ? find(attempt, "task") : std::nullopt;
    if (!task || task->kind() != JsonKind::string) continue;  // which the reader tells
    if (known.emplace(task->text()).second) builder.add_task(task->text(), type);
  }
  Instance instance;
  instance.graph = builder.build();
  instance.platform = platform;
  std::vector<std::pair<std::string, Attempt>> plan;
  for (const Attempt& attempt : ScheduleReader(document.root(), instance).read_plan().attempts) {
    plan.emplace_back(instance.graph.name(attempt.task), attempt);
  }
  return plan;
}

std::string write_schedule(const Schedule& schedule, const Instance& instance) {
  Buffer out;
  append_head(out, schedule);
  append_workers(out, instance.platform);
  if (!schedule.contexts.empty()) {
    append(out, ",\n  ");
    append_contexts(out, instance.platform, schedule.contexts.all);
    if (!schedule.moves.empty()) append_moves(out, schedule, instance);
  }
  append_attempts(out, schedule, instance);
  append_transfers(out, schedule, instance);
  append(out, "\n}\n");
  return fmt::to_string(out);
}

}  // namespace heddle::io
