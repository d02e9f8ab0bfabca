// The core of the plug-in for StarPU, driven by a stand-in for StarPU: its tasks arrive one by one and from callbacks,
// have dependencies that are not shown, are internal, pinned, or for some workers only; its workers come and go, ask
// whenever they like, and find out late what they cannot run.
#include "heddle/starpu/core.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"
#include "tests/policy/random_contexts.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/random_instance.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::test {
namespace {

using starpu::Core;
using starpu::TaskNumber;

/// The same workers, with a memory for each that is of another class than the first, and links between all memories.
Platform with_memories(const Platform& platform, Random& random) {
  std::vector<ResourceClass> classes;
  for (const ClassId c : platform.classes()) {
    classes.push_back(platform.resource_class(c));
    if (c != ClassId{0}) classes.back().memory = ResourceClass::kEach;
  }
  const Platform apart(classes);
  std::vector<Link> links;
  for (const Memory& from : apart.memories()) {
    for (const Memory& to : apart.memories()) {
      if (from.name == to.name) continue;
      links.push_back({.from = from.name, .to = to.name, .bandwidth = 1e12, .latency = draw(random, 0, 9), .via = {}});
    }
  }
  return Platform(std::move(classes), std::move(links));
}

Table<WorkerId, bool> devices_of(const Platform& platform) {
  Table<WorkerId, bool> devices(platform.worker_count(), false);
  for (const WorkerId worker : platform.workers()) devices[worker] = platform.class_of(worker) != ClassId{0};
  return devices;
}

class StandIn {
 public:
  /// `platform`: that of the instance, maybe with links between its memories.
  StandIn(const Instance& instance, const Platform& platform, host::Rounds::MakePolicy make, host::Aborts aborts,
          Random& random, std::optional<starpu::Plan> plan = {}, std::shared_ptr<const policy::ResizeRule> resize = {})
      : instance_(instance),
        random_(random),
        core_({.platform = platform,
               .make_policy = std::move(make),
               .aborts = aborts,
               .asks_early = devices_of(platform),
               .records = true,
               .copies = [this](DataId data, MemoryId memory) { return copy(data, memory); },
               .contexts = instance.contexts.all,
               .resize = std::move(resize),
               .plan = std::move(plan)}),
        facts_(instance.graph.task_count()),
        unmet_(instance.graph.task_count(), 0),
        workers_(instance.platform.worker_count()) {
    for (std::size_t row = 0; row < instance.costs.row_count(); ++row) {
      Table<ClassId, bool> can_run;
      for (const Time time : instance.costs.estimate_row(static_cast<std::uint32_t>(row))) {
        can_run.push_back(time != kCannotRun);
      }
      for (std::size_t context = 0; context < contexts_or_one(); ++context) {
        const TypeId type = core_.add_type("row " + std::to_string(row), can_run,
                                           instance.contexts.empty() ? kNone<ContextId> : make_id<ContextId>(context));
        for (const ClassId c : instance.platform.classes()) {
          if (can_run[c] && chance(2))
            core_.estimates().tell(type, c, instance.costs.estimate_row(static_cast<std::uint32_t>(row))[index(c)]);
        }
      }
    }
  }

  /// False: it stopped although tasks are left.
  [[nodiscard]] bool run() {
    for (int quiet = 0; quiet < 600; ++quiet) {
      const std::size_t before = schedule_.attempts.size() + submitted_;
      if (quiet > 300) come_back();
      step();
      if (all_done()) return true;
      if (schedule_.attempts.size() + submitted_ > before) quiet = 0;
    }
    return false;
  }
  [[nodiscard]] const Schedule& schedule() const { return schedule_; }
  /// After the last ones of internal tasks were seen to have ended.
  [[nodiscard]] std::size_t left_in_core() {
    for (const WorkerId worker : instance_.platform.workers()) {
      workers_[worker].away = false;
      core_.set_available(worker, true);
      EXPECT_FALSE(core_.pop(worker, now_).has_value());
    }
    return core_.unfinished();
  }
  [[nodiscard]] Core& core() { return core_; }
  [[nodiscard]] std::size_t prefetches() const { return prefetches_; }
  /// What it copied between memories.
  [[nodiscard]] const std::vector<starpu::Copied>& copies() const { return copies_; }
  /// How many tasks a worker got that had one.
  [[nodiscard]] std::size_t given_ahead() const { return given_ahead_; }
  /// Whether each task of a context ran on a worker that it had then, unless the program forbade that. What only some
  /// workers can run may also run on those that the context had at the beginning.
  [[nodiscard]] bool respects_contexts() const {
    const std::vector<Stay> all = stays(instance_.contexts.all, core_.moves());
    return std::ranges::all_of(schedule_.attempts, [&](const Attempt& attempt) {
      const Facts& facts = facts_[attempt.task];
      const ContextId context = instance_.contexts.of[attempt.task];
      const std::vector<WorkerId>& own = instance_.contexts.all[context].workers;
      const auto is_own = [&](WorkerId worker) { return std::ranges::binary_search(own, worker); };
      const bool must_leave = !facts.only_on.empty() && std::ranges::none_of(facts.only_on, is_own);
      const bool is_inside = std::ranges::any_of(all, [&](const Stay& stay) {
        return stay.worker == attempt.worker && stay.context == context && stay.begin <= attempt.start &&
               attempt.end <= stay.end;
      });
      const bool is_narrow = !facts.only_on.empty() && is_own(attempt.worker);
      return is_inside || is_narrow || must_leave || facts.pinned != kNone<WorkerId>;
    });
  }

 private:
  using Copy = policy::HostView::Copy;
  struct Facts {
    TaskNumber job{};
    bool is_submitted = false;
    bool is_popped = false;
    std::vector<Access> accesses{};
    bool is_internal = false;
    std::vector<WorkerId> only_on;  ///< not empty: the others cannot run it
    WorkerId pinned = kNone<WorkerId>;
  };
  struct Worker {
    std::deque<TaskId> has;  ///< the first runs
    Time end = 0;
    Time start = 0;
    bool away = false;
    std::deque<TaskId> pinned;
  };

  [[nodiscard]] std::size_t contexts_or_one() const { return std::max<std::size_t>(instance_.contexts.all.size(), 1); }
  [[nodiscard]] TypeId type_of(TaskId task) const {
    const std::size_t context = instance_.contexts.empty() ? 0 : index(instance_.contexts.of[task]);
    return make_id<TypeId>(instance_.costs.row(task) * contexts_or_one() + context);
  }
  [[nodiscard]] bool chance(int one_in) { return draw(random_, 1, one_in) == 1; }
  [[nodiscard]] bool all_done() const { return schedule_.attempts.size() == instance_.graph.task_count(); }

  void come_back() {
    for (const WorkerId worker : instance_.platform.workers()) {
      if (std::exchange(workers_[worker].away, false)) core_.set_available(worker, true);
    }
  }
  void step() {
    ++now_;
    if (chance(2)) submit();
    if (chance(40)) {
      const auto worker =
          make_id<WorkerId>(static_cast<std::size_t>(draw(random_, 0, static_cast<std::int64_t>(workers_.size()) - 1)));
      workers_[worker].away = !workers_[worker].away;
      core_.set_available(worker, !workers_[worker].away);
    }
    for (const WorkerId worker : instance_.platform.workers()) {
      Worker& one = workers_[worker];
      if (!one.has.empty() && one.end <= now_) end(worker);
      if (one.has.empty() && !one.pinned.empty()) begin_pinned(worker);
      const bool asks = one.has.empty() || (asks_early(worker) && one.has.size() == 1 && chance(4));
      if (asks && !one.away && chance(2)) pop(worker);
    }
    for (const WorkerId worker : core_.take_called()) {
      if (workers_[worker].has.empty() && !workers_[worker].away) pop(worker);
    }
  }
  [[nodiscard]] bool asks_early(WorkerId worker) const { return instance_.platform.class_of(worker) != ClassId{0}; }

  void submit() {
    if (submitted_ == instance_.graph.task_count()) return;
    const TaskId task = instance_.graph.topological_order()[submitted_++];
    Facts& facts = facts_[task];
    facts.is_internal = chance(10);
    if (chance(8)) facts.only_on = some_workers(able(task));
    if (chance(10)) facts.pinned = able(task).front();
    facts.accesses = accesses(task);
    Core::Job job{.type = type_of(task),
                  .accesses = facts.accesses,
                  .name = std::string(instance_.graph.name(task)),
                  .only_on = facts.only_on,
                  .is_pinned = facts.pinned != kNone<WorkerId>,
                  .is_internal = facts.is_internal};
    facts.job = core_.submit(std::move(job));
    facts.is_submitted = true;
    task_of_[facts.job] = task;
    for (const TaskId before : instance_.graph.predecessors(task)) unmet_[task] += done_.contains(before) ? 0U : 1U;
    if (unmet_[task] == 0) push(task, std::nullopt);
  }
  /// Of each dependency that is shown, the one task writes a datum that the other reads.
  std::vector<Access> accesses(TaskId task) {
    std::vector<Access> accesses;
    for (const TaskId before : instance_.graph.predecessors(task)) {
      const auto shown = shown_.find({before, task});
      if (shown != shown_.end()) accesses.push_back({shown->second, AccessMode::read});
    }
    for (const TaskId after : instance_.graph.successors(task)) {
      if (chance(5)) continue;
      const DataId data = core_.add_datum(8);
      data_.push_back({{task, after}, Table<MemoryId, Copy>(core_.platform().memories().size(), Copy::none), {}, 0});
      shown_[{task, after}] = data;
      accesses.push_back({data, AccessMode::write});
    }
    return accesses;
  }
  /// As a program unregisters data after the last task, an engine can tell only where data is that tasks wait for.
  [[nodiscard]] Copy copy(DataId data, MemoryId memory) {
    const Shown& shown = data_[data];
    const auto waits = [&](TaskId task) { return facts_[task].is_submitted && !facts_[task].is_popped; };
    EXPECT_TRUE(waits(shown.tasks.first) || waits(shown.tasks.second)) << "it is gone";
    return shown.copies[memory];
  }
  /// What the worker needs comes from where it was written, over links that carry one copy at a time. When it is there.
  Time bring(WorkerId worker, TaskId task) {
    const MemoryId memory = core_.platform().memory_of(worker);
    const std::size_t before = copies_.size();
    Time begin = now_;
    for (const Access access : facts_[task].accesses) {
      const Shown& shown = data_[access.data];
      if (access.mode != AccessMode::read || shown.written_in == memory) continue;
      Line& line = lines_[{shown.written_in, memory}];
      const Time end = std::max(shown.written_at, line.free_at) + draw(random_, 1, 3);
      line.last_start = draw(random_, std::max(shown.written_at, line.last_start), end - 1);
      line.free_at = end;
      copies_.push_back({access.data, shown.written_in, memory, line.last_start, end});
      begin = std::max(begin, end);
    }
    for (std::size_t i = before; i < copies_.size(); ++i) copies_[i].seen = draw(random_, copies_[i].seen, begin);
    return begin;
  }
  void fetch(TaskId task, WorkerId worker, Copy state) {
    const MemoryId memory = core_.platform().memory_of(worker);
    for (const Access access : facts_[task].accesses) {
      Copy& copy = data_[access.data].copies[memory];
      if (access.mode == AccessMode::read && copy != Copy::valid) copy = state;
    }
  }
  void prefetch() {
    for (const auto& [number, worker] : core_.take_prefetches()) {
      const TaskId task = task_of_.at(number);
      EXPECT_TRUE(facts_[task].is_submitted && !facts_[task].is_popped);
      fetch(task, worker, Copy::coming);
      ++prefetches_;
    }
  }
  std::vector<WorkerId> able(TaskId task) const {
    std::vector<WorkerId> able;
    for (const WorkerId worker : instance_.platform.workers()) {
      if (instance_.costs.can_run(task, instance_.platform.class_of(worker))) able.push_back(worker);
    }
    return able;
  }
  std::vector<WorkerId> some_workers(std::vector<WorkerId> workers) {
    std::ranges::shuffle(workers, random_);
    workers.resize(static_cast<std::size_t>(draw(random_, 1, static_cast<std::int64_t>(workers.size()))));
    std::ranges::sort(workers);
    return workers;
  }

  void push(TaskId task, std::optional<WorkerId> by) {
    const Facts& facts = facts_[task];
    if (facts.pinned != kNone<WorkerId>) {
      workers_[facts.pinned].pinned.push_back(task);
    } else {
      core_.push(facts.job, by, now_);
    }
  }
  void pop(WorkerId worker) {
    const std::optional<TaskNumber> job = core_.pop(worker, now_);
    prefetch();
    if (!job) return;
    const TaskId task = task_of_.at(*job);
    Facts& facts = facts_[task];
    facts.is_popped = true;
    EXPECT_EQ(unmet_[task], 0U) << "it is not ready";
    EXPECT_TRUE(facts.only_on.empty() || std::ranges::count(facts.only_on, worker) == 1);
    std::vector<WorkerId> others = able(task);
    std::erase(others, worker);
    if (facts.only_on.empty() && !others.empty() && chance(30)) {
      facts.only_on = some_workers(std::move(others));
      core_.put_back(worker, facts.only_on);
      facts.is_popped = false;
      return;
    }
    if (!workers_[worker].has.empty()) ++given_ahead_;
    workers_[worker].has.push_back(task);
    if (workers_[worker].has.size() == 1) begin(worker);
  }
  void begin_pinned(WorkerId worker) {
    Worker& one = workers_[worker];
    one.has.push_back(one.pinned.front());
    one.pinned.pop_front();
    facts_[one.has.front()].is_popped = true;
    one.start = bring(worker, one.has.front());
    core_.began_pinned(facts_[one.has.front()].job, worker, one.start);
    set_end(worker);
  }
  void begin(WorkerId worker) {
    Worker& one = workers_[worker];
    one.start = bring(worker, one.has.front());
    core_.began(worker, facts_[one.has.front()].job, one.start);
    set_end(worker);
  }
  void set_end(WorkerId worker) {
    Worker& one = workers_[worker];
    one.end = one.start + instance_.costs.actual(one.has.front(), instance_.platform.class_of(worker));
  }
  void end(WorkerId worker) {
    Worker& one = workers_[worker];
    const TaskId task = one.has.front();
    one.has.pop_front();
    schedule_.attempts.push_back({task, worker, one.start, now_, Outcome::completed});
    done_.insert(task);
    fetch(task, worker, Copy::valid);
    for (const Access access : facts_[task].accesses) {
      Shown& shown = data_[access.data];
      if (access.mode == AccessMode::write) {
        shown.written_in = core_.platform().memory_of(worker);
        shown.written_at = now_;
        shown.copies[shown.written_in] = Copy::valid;
      }
      for (Copy& other : shown.copies) other = other == Copy::coming || chance(10) ? Copy::none : other;  // evicted
    }
    const bool is_told = !facts_[task].is_internal || asks_early(worker);
    const bool is_told_first = chance(2);
    if (is_told && is_told_first) core_.ended(worker, facts_[task].job, now_);
    for (const TaskId successor : instance_.graph.successors(task)) {
      if (facts_[successor].is_submitted && unmet_[successor] > 0 && --unmet_[successor] == 0) push(successor, worker);
    }
    if (chance(4)) submit();  // in a callback
    if (is_told && !is_told_first) core_.ended(worker, facts_[task].job, now_);
    if (!one.has.empty()) begin(worker);
  }

  /// A datum that shows a dependency, and where copies of it are.
  struct Shown {
    std::pair<TaskId, TaskId> tasks;
    Table<MemoryId, Copy> copies;
    MemoryId written_in;
    Time written_at;
  };
  /// Of copies from one memory to another.
  struct Line {
    Time last_start = 0;  ///< as it is told: it may wait for others
    Time free_at = 0;
  };

  const Instance& instance_;
  Random& random_;
  Core core_;
  Table<TaskId, Facts> facts_;
  Table<TaskId, std::uint32_t> unmet_;
  Table<WorkerId, Worker> workers_;
  std::map<TaskNumber, TaskId> task_of_;
  std::map<std::pair<TaskId, TaskId>, DataId> shown_;
  Table<DataId, Shown> data_;
  std::map<std::pair<MemoryId, MemoryId>, Line> lines_;
  std::vector<starpu::Copied> copies_;
  std::size_t prefetches_ = 0;
  std::size_t given_ahead_ = 0;
  std::set<TaskId> done_;
  std::size_t submitted_ = 0;
  Time now_ = 0;
  Schedule schedule_;
};

TEST(StarpuCore, ARoundKnowsWhatFollowsFromTheData) {
  constexpr WorkerId kWorker{0};
  const Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}});
  Core core({.platform = platform,
             .make_policy = [](const Instance& left) { return make_policy("heft", left).value(); },
             .asks_early = devices_of(platform)});
  const TypeId type = core.add_type("work", Table<ClassId, bool>(2, true));
  const DataId data = core.add_datum(8);
  std::vector<TaskNumber> chain;
  for (int i = 0; i < 10; ++i)
    chain.push_back(core.submit({.type = type, .accesses = {{data, AccessMode::read_write}}}));
  for (const TaskNumber job : chain) {
    // The worker ends a job, which releases the next, before it says so.
    core.push(job, kWorker, 0);
    EXPECT_EQ(core.pop(kWorker, 0), job);
  }
  EXPECT_EQ(core.round_count(), 1U);
}

class InsideStarpu : public testing::TestWithParam<std::string> {};

TEST_P(InsideStarpu, NothingIsLostAndNothingStops) {
  Random random(7);
  const policy::Spec spec(GetParam());
  std::size_t prefetches = 0;
  std::size_t given_ahead = 0;
  std::size_t transfers = 0;
  for (int round = 0; round < rounds(150); ++round) {
    SCOPED_TRACE(round);
    const Instance instance = unlinked(random_instance(random, {.wrong_estimates = true}));
    const Platform platform = round % 3 == 0 ? with_memories(instance.platform, random) : instance.platform;
    if (!spec.objection({"", instance.graph, platform, instance.costs}).empty()) continue;
    const host::Aborts aborts = round % 2 == 0 ? host::Aborts::hold_back : host::Aborts::none;
    StandIn starpu(
        instance, platform, [&](const Instance& left) { return make_policy(GetParam(), left).value(); }, aborts,
        random);
    ASSERT_TRUE(starpu.run()) << starpu.schedule().attempts.size() << " of " << instance.graph.task_count();
    const std::vector<std::string> violations = validate(instance, starpu.schedule(), Durations::free);
    ASSERT_TRUE(violations.empty()) << violations.front();
    ASSERT_EQ(starpu.left_in_core(), 0U);
    const starpu::Recorder::Record record = starpu.core().record(GetParam(), starpu.copies());
    const std::vector<std::string> recorded = validate(record.instance, record.schedule);
    ASSERT_TRUE(recorded.empty()) << recorded.front();
    ASSERT_EQ(record.gap, "");
    ASSERT_EQ(record.instance.platform.links().size(), platform.links().size());
    ASSERT_EQ(record.schedule.transfers.size(), starpu.copies().size());
    transfers += record.schedule.transfers.size();
    prefetches += starpu.prefetches();
    if (platform.memories().size() == 1) {
      ASSERT_EQ(starpu.given_ahead(), 0U) << "the data is at hand";
    }
    given_ahead += starpu.given_ahead();
  }
  // Of other policies, in few rounds, by chance.
  if (GetParam() == "dmdas") {
    EXPECT_GT(prefetches, 0U);
    EXPECT_GT(given_ahead, 0U);
    EXPECT_GT(transfers, 0U);
  }
}

/// Moves workers whenever it is asked, wherever it may.
policy::ResizeRule at_random(Random& random) {
  return {.name = "random", .milestones = 1000, .moves = [&random](const policy::Situation& now) {
            std::vector<policy::Move> moves;
            for (const WorkerId worker : now.movable.ids()) {
              const auto last = static_cast<std::int64_t>(now.contexts.size()) - 1;
              const auto to = make_id<ContextId>(static_cast<std::size_t>(draw(random, 0, last)));
              const policy::Move move{worker, now.movable[worker], to};
              if (move.from != kNone<ContextId> && move.from != to) moves.push_back(move);
            }
            return moves;
          }};
}

TEST(StarpuCore, ContextsThatChangeHaveTheirWorkersAtAnyTime) {
  Random random(9);
  std::map<std::string, std::size_t> moves;
  for (int round = 0; round < rounds(2000); ++round) {
    SCOPED_TRACE(round);
    const Instance instance =
        with_random_contexts(random, unlinked(random_instance(random, {.wrong_estimates = true})));
    const Platform platform = round % 3 == 0 ? with_memories(instance.platform, random) : instance.platform;
    const host::Aborts aborts = round % 2 == 0 ? host::Aborts::hold_back : host::Aborts::none;
    const std::array rules{policy::idle_rule(), policy::speed_rule(), policy::lp_rule(), at_random(random)};
    const auto rule = std::make_shared<const policy::ResizeRule>(rules[static_cast<std::size_t>(round) % rules.size()]);
    StandIn starpu(
        instance, platform, [&](const Instance& left) { return make_policy("contexts", left).value(); }, aborts, random,
        {}, rule);
    ASSERT_TRUE(starpu.run()) << starpu.schedule().attempts.size() << " of " << instance.graph.task_count();
    ASSERT_EQ(starpu.left_in_core(), 0U);
    ASSERT_TRUE(starpu.respects_contexts()) << rule->name;
    const starpu::Recorder::Record record = starpu.core().record("contexts", starpu.copies());
    const std::vector<std::string> recorded = validate(record.instance, record.schedule);
    ASSERT_TRUE(recorded.empty()) << recorded.front();
    EXPECT_EQ(record.schedule.transfers.size(), starpu.copies().size());
    EXPECT_EQ(record.schedule.moves.size(), starpu.core().moves().size());
    moves[rule->name] += record.schedule.moves.size();
  }
  EXPECT_EQ(moves.size(), 4U);
  for (const auto& [rule, count] : moves) EXPECT_GT(count, 0U) << rule;
}

/// Runs two jobs of independent tasks side by side, each with half of the machine, and records that.
starpu::Recorder::Record run_two_jobs(const std::array<std::int64_t, 2>& tasks,
                                      const std::array<std::array<Time, 2>, 2>& durations,
                                      const std::shared_ptr<const policy::ResizeRule>& rule) {
  const Platform platform({{.name = "cpu", .workers = 8}, {.name = "gpu", .workers = 2}});
  Table<ContextId, Context> contexts;
  contexts.push_back({"a", {WorkerId{0}, WorkerId{1}, WorkerId{2}, WorkerId{3}, WorkerId{8}}, "dmda"});
  contexts.push_back({"b", {WorkerId{4}, WorkerId{5}, WorkerId{6}, WorkerId{7}, WorkerId{9}}, "dmda"});
  Core core({.platform = platform,
             .make_policy = [](const Instance& left) { return make_policy("contexts", left).value(); },
             .asks_early = Table<WorkerId, bool>(platform.worker_count(), false),
             .records = true,
             .contexts = contexts,
             .resize = rule});
  std::map<TaskNumber, std::size_t> job_of;
  for (std::size_t job = 0; job < 2; ++job) {
    const TypeId type = core.add_type("job", Table<ClassId, bool>(2, true), make_id<ContextId>(job));
    for (const ClassId c : platform.classes()) core.estimates().tell(type, c, durations[job][index(c)]);
    for (std::int64_t i = 0; i < tasks[job]; ++i) {
      const TaskNumber task = core.submit({.type = type, .name = "task"});
      job_of[task] = job;
      core.push(task, std::nullopt, 0);
    }
  }
  struct Run {
    TaskNumber task;
    Time end;
  };
  Table<WorkerId, std::optional<Run>> runs(platform.worker_count());
  for (Time now = 0;;) {
    for (const WorkerId worker : platform.workers()) {
      if (runs[worker] && runs[worker]->end == now) {
        core.ended(worker, runs[worker]->task, now);
        runs[worker].reset();
      }
    }
    // A worker may have got a task when another one asked.
    for (int again = 0; again < 2; ++again) {
      for (const WorkerId worker : platform.workers()) {
        if (runs[worker]) continue;
        const std::optional<TaskNumber> task = core.pop(worker, now);
        if (!task) continue;
        core.began(worker, *task, now);
        runs[worker] = Run{*task, now + durations[job_of.at(*task)][index(platform.class_of(worker))]};
      }
    }
    Time next = kMaxTime;
    for (const std::optional<Run>& one : runs) next = one ? std::min(next, one->end) : next;
    if (next == kMaxTime) break;
    now = next;
  }
  EXPECT_EQ(core.unfinished(), 0U);
  starpu::Recorder::Record record = core.record("contexts");
  EXPECT_TRUE(validate(record.instance, record.schedule).empty());
  EXPECT_EQ(record.instance.contexts.all.size(), 2U) << "nothing ran elsewhere";
  return record;
}

/// With `lp` both end within 5 % of each other, unless the short one keeps a worker that does more than is needed: then
/// all ends within 5 % of the lower bound of the whole machine.
TEST(StarpuCore, JobsEndTogetherByARule) {
  Random random(10);
  const auto ratio = [](const starpu::Recorder::Record& record) {
    const Time bound = bounds::compute(record.instance, bounds::default_kinds(record.instance)).best();
    return static_cast<double>(record.schedule.makespan()) / static_cast<double>(bound);
  };
  const auto end_together = [](const starpu::Recorder::Record& record) {
    std::array<Time, 2> ends{0, 0};
    for (const Attempt& attempt : record.schedule.attempts) {
      Time& end = ends[index(record.schedule.contexts.of[attempt.task])];
      end = std::max(end, attempt.end);
    }
    return 20 * (std::ranges::max(ends) - std::ranges::min(ends)) < std::ranges::max(ends);
  };
  EXPECT_FALSE(end_together(run_two_jobs({300, 1200}, {{{200, 50}, {200, 50}}}, nullptr)));
  for (int pair = 0; pair < rounds(20); ++pair) {
    SCOPED_TRACE(pair);
    std::array<std::array<Time, 2>, 2> durations{};
    for (auto& [cpu, gpu] : durations) {
      gpu = draw(random, 50, 100);
      cpu = gpu * draw(random, 2, 12);
    }
    const std::int64_t few = draw(random, 300, 500);
    const std::array<std::int64_t, 2> tasks{few, few * draw(random, 3, 5)};
    const double fixed = ratio(run_two_jobs(tasks, durations, nullptr));
    for (const policy::ResizeRule& rule : {policy::idle_rule(), policy::speed_rule(), policy::lp_rule()}) {
      const starpu::Recorder::Record record =
          run_two_jobs(tasks, durations, std::make_shared<const policy::ResizeRule>(rule));
      const double resized = ratio(record);
      EXPECT_LT(resized, fixed) << rule.name;
      if (rule.name == "lp" && !end_together(record)) {
        EXPECT_LT(resized, 1.05);
      }
    }
  }
}

TEST(StarpuCore, ContextsKeepToTheirWorkers) {
  Random random(8);
  std::size_t several = 0;
  std::size_t elsewhere = 0;
  for (int round = 0; round < rounds(2000); ++round) {
    SCOPED_TRACE(round);
    const Instance instance =
        with_random_contexts(random, unlinked(random_instance(random, {.wrong_estimates = true})));
    const Platform platform = round % 3 == 0 ? with_memories(instance.platform, random) : instance.platform;
    const host::Aborts aborts = round % 2 == 0 ? host::Aborts::hold_back : host::Aborts::none;
    StandIn starpu(
        instance, platform, [&](const Instance& left) { return make_policy("contexts", left).value(); }, aborts,
        random);
    ASSERT_TRUE(starpu.run()) << starpu.schedule().attempts.size() << " of " << instance.graph.task_count();
    ASSERT_TRUE(starpu.respects_contexts());
    ASSERT_EQ(starpu.left_in_core(), 0U);
    const starpu::Recorder::Record record = starpu.core().record("contexts");
    const std::vector<std::string> recorded = validate(record.instance, record.schedule);
    ASSERT_TRUE(recorded.empty()) << recorded.front();
    several += instance.contexts.all.size() > 1 ? 1 : 0;
    elsewhere += record.instance.contexts.all.size() - instance.contexts.all.size();
  }
  EXPECT_GT(several, static_cast<std::size_t>(rounds(2000)) / 2);
  EXPECT_GT(elsewhere, 0U);
}

/// A plan of another run of the program, which has one task in eight less.
starpu::Plan planned(const Scratch& scratch, const Instance& instance, Random& random) {
  Schedule schedule = plan_for(instance);
  std::erase_if(schedule.attempts, [&](const Attempt&) { return draw(random, 1, 8) == 1; });
  // As records name the tasks, which the stand-in submits in this order.
  TaskGraphBuilder builder;
  builder.add_type("work");
  starpu::TaskNames names;
  Table<TaskId, TaskId> number(instance.graph.task_count(), kNone<TaskId>);
  for (const TaskId task : instance.graph.topological_order())
    number[task] = builder.add_task(names(std::string(instance.graph.name(task))), TypeId{0});
  for (Attempt& attempt : schedule.attempts) attempt.task = number[attempt.task];
  Instance named;
  named.graph = builder.build();
  named.platform = instance.platform;
  return {scratch.write("plan.json", io::write_schedule(schedule, named)), instance.platform};
}

TEST(StarpuCore, FollowsAPlan) {
  Random random(9);
  const Scratch scratch;
  const policy::Spec spec("static");
  std::size_t unplanned = 0;
  for (int round = 0; round < rounds(300); ++round) {
    SCOPED_TRACE(round);
    const Instance instance = unlinked(random_instance(random, {.wrong_estimates = true}));
    const Platform platform = round % 3 == 0 ? with_memories(instance.platform, random) : instance.platform;
    const starpu::Plan plan = planned(scratch, instance, random);
    const auto make = [&](const Instance& left) {
      const Schedule schedule = plan(left);
      EXPECT_EQ(schedule.attempts.size(), left.graph.task_count());
      return spec.make(1, &schedule);
    };
    StandIn starpu(instance, platform, make, host::Aborts::none, random, plan);
    ASSERT_TRUE(starpu.run()) << starpu.schedule().attempts.size() << " of " << instance.graph.task_count();
    const std::vector<std::string> violations = validate(instance, starpu.schedule(), Durations::free);
    ASSERT_TRUE(violations.empty()) << violations.front();
    unplanned += starpu.core().unplanned();
  }
  EXPECT_GT(unplanned, 0U);
}

Core following(const starpu::Plan& plan, const Platform& platform) {
  return Core({.platform = platform,
               .make_policy =
                   [plan](const Instance& left) {
                     const Schedule schedule = plan(left);
                     return policy::Spec("static").make(1, &schedule);
                   },
               .asks_early = Table<WorkerId, bool>(platform.worker_count(), false),
               .plan = plan});
}

/// Where nothing but the plan is to be decided, too.
TEST(StarpuCore, PutsTasksWhereThePlanDoes) {
  const Scratch scratch;
  const std::string file = scratch.write("plan.json", R"({"format": "heddle-schedule", "version": 1, "attempts": [
    {"task": "b#0", "worker": "cpu1", "start": 0, "end": 1, "outcome": "completed"},
    {"task": "a#1", "worker": "cpu0", "start": 0, "end": 1, "outcome": "completed"},
    {"task": "a#0", "worker": "cpu1", "start": 1, "end": 2, "outcome": "completed"}]})");
  const Platform platform({{.name = "cpu", .workers = 2}});
  Core core = following(starpu::Plan(file, platform), platform);
  const TypeId type = core.add_type("work", Table<ClassId, bool>(1, true));
  std::vector<TaskNumber> tasks;
  for (const char* name : {"a", "a", "b", "c"}) tasks.push_back(core.submit({.type = type, .name = name}));
  for (const TaskNumber task : tasks) core.push(task, std::nullopt, 0);
  EXPECT_EQ(core.pop(WorkerId{0}, 0), tasks[3]) << "no plan has it, and less is planned here";
  EXPECT_EQ(core.pop(WorkerId{1}, 0), tasks[2]);
  EXPECT_EQ(core.pop(WorkerId{1}, 1), tasks[0]);
  EXPECT_EQ(core.pop(WorkerId{0}, 1), tasks[1]);
  EXPECT_EQ(core.unplanned(), 1U);
}

/// In the plan, b runs before a; now b waits for what the plan does not know, and that waits for a. And c cannot run
/// where it was planned.
TEST(StarpuCore, APlanGivesWayToWhatTheProgramWaitsFor) {
  const Scratch scratch;
  const std::string file = scratch.write("plan.json", R"({"format": "heddle-schedule", "version": 1, "attempts": [
    {"task": "b#0", "worker": "cpu0", "start": 0, "end": 5, "outcome": "completed"},
    {"task": "a#0", "worker": "cpu0", "start": 5, "end": 10, "outcome": "completed"},
    {"task": "c#0", "worker": "gpu0", "start": 0, "end": 1, "outcome": "completed"}]})");
  const Platform platform({{.name = "cpu", .workers = 1}, {.name = "gpu", .workers = 1}});
  Core core = following(starpu::Plan(file, platform), platform);
  Table<ClassId, bool> on_cores(2, false);
  on_cores[ClassId{0}] = true;
  const TypeId type = core.add_type("work", on_cores);
  const DataId one = core.add_datum(8);
  const DataId other = core.add_datum(8);
  const TaskNumber a = core.submit({.type = type, .accesses = {{one, AccessMode::write}}, .name = "a"});
  const TaskNumber unknown =
      core.submit({.type = type, .accesses = {{one, AccessMode::read}, {other, AccessMode::write}}, .name = "unknown"});
  const TaskNumber internal = core.submit({.type = type, .name = "b", .is_internal = true});
  const TaskNumber b = core.submit({.type = type, .accesses = {{other, AccessMode::read}}, .name = "b"});
  const TaskNumber c = core.submit({.type = type, .name = "c"});
  std::vector<TaskNumber> ran;
  for (const TaskNumber task : {a, internal, c}) core.push(task, std::nullopt, 0);
  for (Time now = 0; now < 5; ++now) {
    const std::optional<TaskNumber> task = core.pop(WorkerId{0}, now);
    ASSERT_TRUE(task.has_value());
    ran.push_back(*task);
    if (*task == a) core.push(unknown, WorkerId{0}, now);
    if (*task == unknown) core.push(b, WorkerId{0}, now);
  }
  EXPECT_TRUE(std::ranges::is_permutation(ran, std::vector<TaskNumber>{a, unknown, internal, b, c}));
  EXPECT_EQ(core.unplanned(), 1U) << "the engine's own is not counted";
}

/// A worker that is idle in another context is no reason for a round.
TEST(StarpuCore, ARoundBeginsForAContextWithAnIdleWorker) {
  const Platform platform({{.name = "cpu", .workers = 2}});
  Table<ContextId, Context> contexts;
  contexts.push_back({"one", {WorkerId{0}}});
  contexts.push_back({"two", {WorkerId{1}}});
  Core core({.platform = platform,
             .make_policy = [](const Instance& left) { return make_policy("contexts", left).value(); },
             .asks_early = Table<WorkerId, bool>(2, false),
             .contexts = contexts});
  const TypeId type = core.add_type("work", Table<ClassId, bool>(1, true), ContextId{0});
  for (int i = 0; i < 10; ++i) {
    const TaskNumber task = core.submit({.type = type});
    core.push(task, std::nullopt, i);
    EXPECT_EQ(core.pop(WorkerId{1}, i), std::nullopt);
    if (i == 0) {
      EXPECT_EQ(core.pop(WorkerId{0}, i), task);
    }
  }
  EXPECT_EQ(core.round_count(), 1U);
  EXPECT_TRUE(core.pop(WorkerId{0}, 20).has_value());
  EXPECT_EQ(core.round_count(), 2U);
}

/// Under sanitizers without options, which the tests of policies try.
std::vector<std::string> specs_inside_starpu() {
  std::vector<std::string> specs = registered_specs();
  if constexpr (kSanitized) drop_variants(specs);
  return specs;
}

INSTANTIATE_TEST_SUITE_P(All, InsideStarpu, testing::ValuesIn(specs_inside_starpu()), test_name);

}  // namespace
}  // namespace heddle::test
