#include "heddle/facts/format.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "heddle/io/text.hpp"
#include "heddle/model/validate.hpp"

namespace heddle::facts {
namespace {

using io::append;
using io::Buffer;
using io::Json;

template <class... Steps>
struct Match : Steps... {
  using Steps::operator()...;
};

constexpr std::array<std::string_view, 3> kCopyStates = {"none", "coming", "valid"};
constexpr std::array<std::string_view, 5> kActions = {"wait", "run", "restart", "preempt", "prefetch"};

template <class... Values>
void print(Buffer& out, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(fmt::appender(out), format, std::forward<Values>(values)...);
}

/// `, "key": [`, the items with commas between them, `]`; nothing where there are none.
template <class Items, class AppendItem>
void append_list(Buffer& out, std::string_view key, const Items& items, AppendItem append_item) {
  if (items.empty()) return;
  print(out, ", \"{}\": [", key);
  bool is_first = true;
  for (const auto& item : items) {
    if (!std::exchange(is_first, false)) append(out, ", ");
    append_item(item);
  }
  out.push_back(']');
}

void append_worker(Buffer& out, const Change::Worker& worker) {
  print(out, "[{}, ", index(worker.worker));
  if (worker.task == kNone<TaskId>) {
    append(out, "null");
  } else {
    print(out, "{}", index(worker.task));
  }
  print(out, ", {}, {}, {}]", format_seconds(worker.expected_end), worker.is_idle, worker.is_available);
}

void append_seen(Buffer& out, const Change& seen) {
  print(out, R"(, "now": {})", format_seconds(seen.now));
  if (seen.asks_ahead) append(out, R"(, "asks_ahead": true)");
  append_list(out, "workers", seen.workers, [&](const Change::Worker& worker) { append_worker(out, worker); });
  append_list(out, "copies", seen.copies, [&](const Change::Copy& copy) {
    print(out, R"([{}, {}, "{}"])", index(copy.data), index(copy.memory),
          kCopyStates[static_cast<std::size_t>(copy.state)]);
  });
  append_list(out, "committed", seen.committed, [&](WorkerId worker) { print(out, "{}", index(worker)); });
}

void append_action(Buffer& out, std::string_view key, policy::Action action) {
  print(out, R"(, "{}": ["{}")", key, kActions[static_cast<std::size_t>(action.kind)]);
  if (action.task != kNone<TaskId>) print(out, ", {}", index(action.task));
  if (action.worker != kNone<WorkerId>) print(out, ", {}", index(action.worker));
  out.push_back(']');
}

void append_attempt(Buffer& out, const Attempt& attempt) {
  print(out, R"({}, {}, {}, {}, "{}"])", index(attempt.task), index(attempt.worker), format_seconds(attempt.start),
        format_seconds(attempt.end), to_string(attempt.outcome));
}

void append_foreseen(Buffer& out, const Foreseen& foreseen) {
  std::visit(Match{[&](const foreseen::Told& told) {
                     append(out, R"(["told", )");
                     append_attempt(out, told.attempt);
                   },
                   [&](const foreseen::Events& events) { print(out, R"(["events", {}])", events.count); },
                   [&](const foreseen::Makespan& makespan) {
                     append(out, R"(["makespan")");
                     if (makespan.time) print(out, ", {}", format_seconds(*makespan.time));
                     out.push_back(']');
                   },
                   [&](const foreseen::MakespanOn& makespan) {
                     print(out, R"(["makespan_on", {}, {}])", makespan.tasks, format_seconds(makespan.time));
                   },
                   [&](const foreseen::Until& until) {
                     print(out, R"(["until", {}, {})", index(until.task), format_seconds(until.future.end));
                     for (const bool idled : until.future.idled) print(out, ", {}", idled);
                     out.push_back(']');
                   },
                   [&](const foreseen::Failure& failure) {
                     append(out, R"(["failure", )");
                     io::append_quoted(out, failure.sentence);
                     out.push_back(']');
                   }},
             foreseen);
}

void append_make(Buffer& out, const Origin& origin) {
  print(out, R"("make", "seed": {})", origin.seed);
  if (!origin.plan) return;
  append(out, R"(, "plan": [)");
  bool is_first = true;
  for (const Attempt& attempt : origin.plan->attempts) {
    append(out, std::exchange(is_first, false) ? "[" : ", [");
    append_attempt(out, attempt);
  }
  out.push_back(']');
}

void append_start(Buffer& out, const Instance& instance, const Change& seen) {
  append(out, R"("start")");
  append_seen(out, seen);
  append(out, R"(, "instance": )");
  append_instance(out, instance);
}

void append_call(Buffer& out, const Event& event) {
  const auto fact = [&](std::string_view name) {
    io::append_quoted(out, name);
    append_seen(out, event.seen);
  };
  const auto attempt = [&](std::string_view name, TaskId task, WorkerId worker) {
    fact(name);
    print(out, R"(, "task": {}, "worker": {})", index(task), index(worker));
  };
  std::visit(Match{[&](const call::Make& make) { append_make(out, make.origin); },
                   [&](const call::Copy& copy) { print(out, R"("copy", "original": {})", copy.original); },
                   [&](const call::Recall& recall) { print(out, R"("recall", "before": {})", recall.before); },
                   [&](const call::End&) { append(out, R"("end")"); },
                   [&](const call::Start& start) { append_start(out, *start.instance, event.seen); },
                   [&](const call::Ready& ready) {
                     fact("ready");
                     append_list(out, "tasks", ready.tasks, [&](TaskId task) { print(out, "{}", index(task)); });
                   },
                   [&](const call::Started& started) { attempt("started", started.task, started.worker); },
                   [&](const call::Finished& finished) {
                     fact("finished");
                     append_list(out, "done", finished.completions, [&](policy::Completion done) {
                       print(out, "[{}, {}]", index(done.task), index(done.worker));
                     });
                   },
                   [&](const call::Aborted& aborted) { attempt("aborted", aborted.task, aborted.worker); },
                   [&](const call::Refused& refused) {
                     fact("refused");
                     append_action(out, "action", refused.action);
                   },
                   [&](const call::WorkersChanged&) { fact("workers_changed"); },
                   [&](const call::Next& next) {
                     fact("next");
                     append_action(out, "answer", next.answer);
                   },
                   [&](const call::KeepsOrder& keeps) { print(out, R"("keeps_order", "keeps": {})", keeps.answer); }},
             event.call);
}

// Reading.

/// The items of an array.
std::vector<Json> items_of(Json array, std::string_view what) {
  io::expect_array(array, what);
  std::vector<Json> items;
  for (const Json item : array) items.push_back(item);
  return items;
}

/// Those of the array under the key, which is left out when it is empty.
std::vector<Json> list_of(Json event, std::string_view key) {
  const auto array = io::find(event, key);
  return array ? items_of(*array, "an array of " + std::string(key)) : std::vector<Json>();
}

/// The same of an array of that many.
template <std::size_t N>
std::array<Json, N> read_tuple(Json array, const char* what) {
  const std::vector<Json> items = items_of(array, what);
  if (items.size() != N) array.fail_expected(what);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Json, N>{items[I]...};
  }(std::make_index_sequence<N>());
}

template <StrongId Id>
Id read_id(Json value, std::size_t count, std::string_view noun) {
  return make_id<Id>(io::read_index(value, count, noun));
}

TaskId read_task(Json value, const Instance& instance) {
  return read_id<TaskId>(value, instance.graph.task_count(), "task");
}

WorkerId read_worker(Json value, const Instance& instance) {
  return read_id<WorkerId>(value, instance.platform.worker_count(), "worker");
}

/// The task and the worker of an event, and where it names the task.
struct Placed {
  Json value;
  TaskId task;
  WorkerId worker;
};

Placed read_placed(Json event, const Instance& instance) {
  const Json value = io::require(event, "task", "the number of a task");
  const TaskId task = read_task(value, instance);
  return {value, task, read_worker(io::require(event, "worker", "the number of a worker"), instance)};
}

template <std::size_t N>
std::size_t read_word(Json value, const std::array<std::string_view, N>& words, std::string_view what) {
  const auto found = std::ranges::find(words, io::read_string(value, what));
  if (found == words.end()) value.fail_expected(what);
  return static_cast<std::size_t>(found - words.begin());
}

Change::Worker read_worker_state(Json value, const Instance& instance) {
  const auto [worker, task, end, idle, available] =
      read_tuple<5>(value, "a worker's number, task, expected end, and whether it is idle and available");
  const bool runs = task.kind() != io::JsonKind::null;
  return {read_worker(worker, instance), runs ? read_task(task, instance) : kNone<TaskId>, io::read_instant(end),
          io::read_boolean(idle), io::read_boolean(available)};
}

Change::Copy read_copy_state(Json value, const Instance& instance) {
  const auto [data, memory, state] = read_tuple<3>(value, "the numbers of a datum and a memory, and what is there");
  if (instance.platform.links().empty()) value.fail("moves, where data is everywhere; expected nothing");
  return {read_id<DataId>(data, instance.graph.data_count(), "datum"),
          read_id<MemoryId>(memory, instance.platform.memories().size(), "memory"),
          static_cast<policy::HostView::Copy>(read_word(state, kCopyStates, "one of none, coming, valid"))};
}

Change read_seen(Json event, const Instance& instance) {
  Change seen;
  seen.now = io::read_instant(io::require(event, "now", "an instant, in seconds"));
  if (const auto asks = io::find(event, "asks_ahead")) seen.asks_ahead = io::read_boolean(*asks);
  for (const Json one : list_of(event, "workers")) seen.workers.push_back(read_worker_state(one, instance));
  for (const Json one : list_of(event, "copies")) seen.copies.push_back(read_copy_state(one, instance));
  for (const Json one : list_of(event, "committed")) seen.committed.push_back(read_worker(one, instance));
  return seen;
}

policy::Action read_action(Json value, const Instance& instance) {
  constexpr const char* kWhat = "wait, or what to do with which task on which worker";
  const std::vector<Json> items = items_of(value, kWhat);
  if (items.empty()) value.fail_expected(kWhat);
  using Kind = policy::Action::Kind;
  policy::Action action;
  action.kind = static_cast<Kind>(read_word(items[0], kActions, "one of wait, run, restart, preempt, prefetch"));
  const std::size_t expected = action.kind == Kind::wait ? 1 : action.kind == Kind::preempt ? 2 : 3;
  if (items.size() != expected) value.fail_expected(kWhat);
  if (expected > 1) action.task = read_task(items[1], instance);
  if (expected > 2) action.worker = read_worker(items[2], instance);
  return action;
}

Outcome read_outcome(Json value) {
  for (const Outcome outcome : {Outcome::completed, Outcome::aborted, Outcome::failed}) {
    if (value.text() == to_string(outcome)) return outcome;
  }
  value.fail_expected("'completed', 'aborted' or 'failed'");
}

/// The last five of the items.
Attempt read_attempt(Json value, std::size_t first, std::size_t tasks, std::size_t workers) {
  constexpr const char* kWhat = "an attempt: task, worker, start, end, outcome";
  const std::vector<Json> items = items_of(value, kWhat);
  if (items.size() != first + 5) value.fail_expected(kWhat);
  return {read_id<TaskId>(items[first], tasks, "task"), read_id<WorkerId>(items[first + 1], workers, "worker"),
          io::read_instant(items[first + 2]), io::read_instant(items[first + 3]), read_outcome(items[first + 4])};
}

foreseen::Until read_until(Json value, const Instance& instance) {
  const std::vector<Json> items = items_of(value, "a future");
  const std::size_t classes = instance.platform.class_count();
  if (items.size() != 3 + classes) value.fail_expected("a task, an instant, and for each class whether it was idle");
  foreseen::Until until{read_task(items[1], instance), {io::read_instant(items[2]), {}}};
  for (std::size_t c = 0; c < classes; ++c) until.future.idled.push_back(io::read_boolean(items[3 + c]));
  return until;
}

Foreseen read_foreseen(Json value, const Instance& instance) {
  const std::vector<Json> items = items_of(value, "what a lookahead told");
  constexpr std::array<std::string_view, 6> kKinds = {"told", "events", "makespan", "makespan_on", "until", "failure"};
  constexpr const char* kWhat = "one of told, events, makespan, makespan_on, until, failure";
  if (items.empty()) value.fail_expected(kWhat);
  const std::size_t kind = read_word(items[0], kKinds, kWhat);
  const auto expect = [&](bool right) {
    if (!right) value.fail_expected("what belongs to '" + std::string(kKinds[kind]) + "'");
  };
  switch (kind) {
    case 0:
      return foreseen::Told{read_attempt(value, 1, instance.graph.task_count(), instance.platform.worker_count())};
    case 1:
      expect(items.size() == 2);
      return foreseen::Events{io::read_unsigned(items[1], "a number of events")};
    case 2:
      expect(items.size() <= 2);
      return foreseen::Makespan{items.size() == 2 ? std::optional(io::read_instant(items[1])) : std::nullopt};
    case 3:
      expect(items.size() == 3);
      return foreseen::MakespanOn{io::read_index(items[1], kMaxIds, "task"), io::read_instant(items[2])};
    case 4:
      return read_until(value, instance);
    default:
      expect(items.size() == 2);
      return foreseen::Failure{std::string(io::read_string(items[1], "a sentence"))};
  }
}

/// Collects the attempts of a run that a lookahead told, and checks them at its end. In start(), where nothing has been
/// done, they are a whole schedule, from which policies may begin a search; a task that runs already may take longer
/// than its estimate, no task takes less.
void check_told(Json value, const Foreseen& foreseen, const Instance& instance, Schedule& run) {
  if (const auto* told = std::get_if<foreseen::Told>(&foreseen)) {
    const auto& [task, worker, start, end, outcome] = told->attempt;
    const ClassId c = instance.platform.class_of(worker);
    const bool is_short = outcome == Outcome::completed && end - start < instance.costs.estimate(task, c);
    if (is_short) value.fail("takes less than the estimate");
    run.attempts.push_back(told->attempt);
    return;
  }
  const auto* makespan = std::get_if<foreseen::Makespan>(&foreseen);
  if (makespan != nullptr && makespan->time && !run.attempts.empty()) {
    const std::vector<std::string> violations = validate_attempts(instance, run, Durations::free);
    if (!violations.empty()) value.fail("ends a run that is not a schedule: " + violations.front());
  }
  run.attempts.clear();
}

std::uint32_t read_policy_number(Json value) {
  return static_cast<std::uint32_t>(io::read_index(value, kMaxIds, "policy"));
}

}  // namespace

void append_head(Buffer& out, std::string_view policy) {
  append(out, "{\n  \"format\": \"heddle-facts\", \"version\": 1");
  if (!policy.empty()) {
    append(out, ", \"policy\": ");
    io::append_quoted(out, policy);
  }
  append(out, ",\n  \"events\": ");
}

void append_event(Buffer& out, const Event& event) {
  print(out, R"({{"policy": {}, "call": )", event.policy);
  append_call(out, event);
  append_list(out, "foreseen", event.foreseen, [&](const Foreseen& one) { append_foreseen(out, one); });
  out.push_back('}');
}

void append_tail(Buffer& out) {
  append(out, "\n}\n");
}

EventReader::EventReader(std::string_view text, std::string_view source)
    : document_(text, source), events_(document_.root()), at_(events_.end()) {
  const Json root = document_.root();
  io::expect_document(root, "heddle-facts", {"policy", "events"});
  if (const auto policy = io::find(root, "policy")) policy_ = io::read_string(*policy, "the name of a policy");
  events_ = io::require(root, "events", "an array of events");
  io::expect_array(events_, "an array of events");
  at_ = events_.begin();
}

std::optional<Event> EventReader::next() {
  if (at_ == events_.end()) return std::nullopt;
  const Json value = *at_;
  ++at_;
  io::expect_object(value, "an event", {"policy", "call",       "seed",    "plan",   "original",  "before",  "instance",
                                        "now",    "asks_ahead", "workers", "copies", "committed", "tasks",   "task",
                                        "worker", "done",       "action",  "answer", "keeps",     "foreseen"});
  Event event;
  event.policy = read_policy_number(io::require(value, "policy", "the number of a policy"));
  event.call = read_call(value, event.policy);
  const auto known = policies_.find(event.policy);
  if (known == policies_.end() || known->second.instance == nullptr) return event;
  const Instance& instance = *known->second.instance;
  if (io::find(value, "now")) event.seen = read_seen(value, instance);
  const bool starts = std::holds_alternative<call::Start>(event.call);
  Schedule run;
  for (const Json one : list_of(value, "foreseen")) {
    event.foreseen.push_back(read_foreseen(one, instance));
    if (starts) check_told(one, event.foreseen.back(), instance, run);
  }
  return event;
}

Call EventReader::read_call(Json event, std::uint32_t number) {
  const Json name = io::require(event, "call", "the name of a call");
  const std::string_view call = io::read_string(name, "the name of a call");
  if (call == "make") return read_make(event, number);
  if (call == "copy") return read_copy(event, number);
  const auto found = policies_.find(number);
  if (found == policies_.end()) event.fail("is of policy " + std::to_string(number) + ", which there is not");
  if (call == "end") {
    policies_.erase(found);
    return call::End();
  }
  Run& run = found->second;
  if (call == "recall") return read_recall(event, run);
  if (call == "start") return read_start(event, run);
  if (run.instance == nullptr) event.fail("is of policy " + std::to_string(number) + ", which was not started");
  if (call == "keeps_order") return call::KeepsOrder{io::read_boolean(io::require(event, "keeps", "true or false"))};
  static_cast<void>(io::require(event, "now", "an instant, in seconds"));
  if (call == "ready") return read_ready(event, run);
  if (call == "started") return read_started(event, run);
  if (call == "finished") return read_finished(event, run);
  if (call == "aborted") return read_aborted(event, run);
  if (call == "workers_changed") return call::WorkersChanged();
  if (call == "refused") return call::Refused{read_action(io::require(event, "action", "an action"), *run.instance)};
  if (call == "next") return call::Next{read_action(io::require(event, "answer", "an action"), *run.instance)};
  name.fail_expected(
      "one of make, copy, end, recall, start, ready, started, finished, aborted, refused, workers_changed, next, "
      "keeps_order");
}

Call EventReader::read_make(Json event, std::uint32_t number) {
  const auto [found, is_new] = policies_.try_emplace(number);
  if (!is_new) event.fail("makes a policy with the number of another one");
  call::Make make;
  make.origin.seed = io::read_unsigned(io::require(event, "seed", "a seed"), "a whole number (digits only)");
  if (const auto plan = io::find(event, "plan")) {
    found->second.plan = plan;
    make.origin.plan.emplace();
    for (const Json attempt : items_of(*plan, "an array of attempts")) {
      make.origin.plan->attempts.push_back(read_attempt(attempt, 0, kMaxIds, kMaxWorkers));
    }
  }
  return make;
}

Call EventReader::read_copy(Json event, std::uint32_t number) {
  const Json value = io::require(event, "original", "the number of a policy");
  const std::uint32_t original = read_policy_number(value);
  const auto found = policies_.find(original);
  if (found == policies_.end()) value.fail_expected("a policy that there is");
  Run run = found->second;
  if (!policies_.try_emplace(number, std::move(run)).second) {
    event.fail("makes a policy with the number of another one");
  }
  return call::Copy{original};
}

Call EventReader::read_recall(Json event, const Run& run) {
  if (run.instance != nullptr) event.fail("has a policy recall something after it was started");
  const Json value = io::require(event, "before", "the number of a policy");
  const std::uint32_t before = read_policy_number(value);
  const auto found = policies_.find(before);
  if (found == policies_.end() || found->second.instance == nullptr) value.fail_expected("a policy that was started");
  return call::Recall{before};
}

Call EventReader::read_start(Json event, Run& run) {
  if (run.instance != nullptr) event.fail("starts a policy again");
  static_cast<void>(io::require(event, "now", "an instant, in seconds"));
  run.instance = std::make_shared<const Instance>(read_instance(io::require(event, "instance", "an instance")));
  run.status.assign(run.instance->graph.task_count(), Status::waiting);
  run.worker.assign(run.instance->graph.task_count(), kNone<WorkerId>);
  if (!run.plan) return call::Start{run.instance};
  for (const Json attempt : *run.plan) {
    static_cast<void>(
        read_attempt(attempt, 0, run.instance->graph.task_count(), run.instance->platform.worker_count()));
  }
  return call::Start{run.instance};
}

Call EventReader::read_ready(Json event, Run& run) {
  call::Ready ready;
  for (const Json value : list_of(event, "tasks")) {
    const TaskId task = read_task(value, *run.instance);
    if (run.status[task] != Status::waiting) value.fail("was ready before; expected a task that waits");
    run.status[task] = Status::ready;
    ready.tasks.push_back(task);
  }
  return ready;
}

Call EventReader::read_started(Json event, Run& run) {
  const auto [value, task, worker] = read_placed(event, *run.instance);
  if (run.status[task] >= Status::running) value.fail("was started before");
  const bool can = run.instance->costs.can_run(task, run.instance->platform.class_of(worker));
  if (!can) value.fail("cannot run on that worker");
  run.status[task] = Status::running;
  run.worker[task] = worker;
  return call::Started{task, worker};
}

Call EventReader::read_finished(Json event, Run& run) {
  call::Finished finished;
  for (const Json value : list_of(event, "done")) {
    const auto [task, worker] = read_tuple<2>(value, "the numbers of a task and a worker");
    const policy::Completion done{read_task(task, *run.instance), read_worker(worker, *run.instance)};
    if (run.status[done.task] != Status::running || run.worker[done.task] != done.worker) {
      value.fail("does not run; expected a task and the worker it runs on");
    }
    run.status[done.task] = Status::done;
    finished.completions.push_back(done);
  }
  return finished;
}

Call EventReader::read_aborted(Json event, Run& run) {
  const auto [value, task, worker] = read_placed(event, *run.instance);
  if (run.status[task] != Status::running || run.worker[task] != worker) value.fail("does not run there");
  run.status[task] = Status::waiting;
  return call::Aborted{task, worker};
}

}  // namespace heddle::facts
