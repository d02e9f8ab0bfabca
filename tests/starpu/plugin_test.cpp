// The plug-in in StarPU itself: what the programs of starpu-examples, which scripts/starpu-examples runs, do not do.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <starpu.h>
#include <starpu_scheduler.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/facts/replay.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/model/validate.hpp"

namespace {
std::atomic<int> yields = 0;
}

/// In place of the C library's: counts how often threads let others have their core.
extern "C" __attribute__((visibility("default"))) int sched_yield() noexcept {
  ++yields;
  return static_cast<int>(syscall(SYS_sched_yield));
}

namespace heddle::test {
namespace {

constexpr unsigned kWorkers = 3;

#ifdef STARPU_SIMGRID
constexpr bool kSimulated = true;
constexpr starpu_worker_archtype kDevice = STARPU_CUDA_WORKER;
#else
constexpr bool kSimulated = false;
constexpr starpu_worker_archtype kDevice = STARPU_OPENCL_WORKER;
#endif

starpu_sched_policy* plugin() {
  void* const library = dlopen(HEDDLE_STARPU_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  using Get = starpu_sched_policy*(const char*);
  return reinterpret_cast<Get*>(dlsym(library, "starpu_get_sched_lib_policy"))("heddle");
}

/// What a task did.
struct Seen {
  std::atomic<int> runs{0};
  std::atomic<int> worker{-1};
};

void work(void** /*buffers*/, void* argument) {
  auto* const seen = static_cast<Seen*>(argument);
  starpu_sleep(1e-4F);  // in simulated time, too
  seen->worker = starpu_worker_get_id();
  ++seen->runs;
}

starpu_codelet codelet() {
  starpu_codelet made{};
  made.cpu_funcs[0] = work;
  made.name = "work";
  made.flags = STARPU_CODELET_SIMGRID_EXECUTE;  // where StarPU simulates
  return made;
}

/// As they do nothing with data, any device can run them.
void run_on_devices(starpu_codelet& codelet) {
  (kDevice == STARPU_CUDA_WORKER ? codelet.cuda_funcs : codelet.opencl_funcs)[0] = work;
}

class InStarpu : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("heddle-starpu-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
    setenv("STARPU_HOME", folder_.c_str(), 1);
    setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
    setenv("STARPU_SILENT", "1", 1);
    setenv("STARPU_WORKERS_NOBIND", "1", 1);
    setenv("HEDDLE_RECORD", (folder_ / "run.json").c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"HEDDLE_FACTS", "HEDDLE_PLUGINS", "HEDDLE_SUMMARY"}) unsetenv(name);
    std::filesystem::remove_all(folder_);
  }

  static void start(const char* policy, int devices = 0, unsigned cores = kWorkers) {
    setenv("HEDDLE_POLICY", policy, 1);
    setenv("STARPU_OPENCL_ON_CPUS", "1", 1);
    starpu_conf conf{};
    starpu_conf_init(&conf);
    conf.ncpus = static_cast<int>(cores);
    conf.ncuda = kDevice == STARPU_CUDA_WORKER ? devices : 0;
    conf.nopencl = kDevice == STARPU_OPENCL_WORKER ? devices : 0;
    conf.sched_policy_name = nullptr;
    conf.sched_policy = plugin();
    ASSERT_EQ(starpu_init(&conf), 0);
    ASSERT_EQ(starpu_cpu_worker_get_count(), cores);
  }
  /// How many tasks the record has of a context; it has to be valid.
  [[nodiscard]] std::size_t recorded(const std::string& context = "") const {
    const std::string stem = (folder_ / "run").string() + context;
    const Instance instance = io::read_instance(io::read_file(stem + ".json"), stem);
    const Schedule schedule = io::read_schedule(io::read_file(stem + ".schedule.json"), stem, instance).schedule;
    for (const std::string& violation : validate(instance, schedule)) ADD_FAILURE() << violation;
    return schedule.attempts.size();
  }
  [[nodiscard]] Instance recorded_instance() const {
    return io::read_instance(io::read_file((folder_ / "run.json").string()), "run.json");
  }
  [[nodiscard]] Schedule recorded_schedule() const {
    const std::string stem = (folder_ / "run").string();
    return io::read_schedule(io::read_file(stem + ".schedule.json"), stem, recorded_instance()).schedule;
  }
  [[nodiscard]] std::string recorded_policy() const { return recorded_schedule().policy; }
  /// What went over each link; between those that StarPU numbers like the memories of a machine without NUMA nodes.
  using Traffic = std::map<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::int64_t>>;
  [[nodiscard]] static Traffic counted_by_starpu() {
    Traffic traffic;
    for (int bus = 0; bus < starpu_bus_get_count(); ++bus) {
      starpu_profiling_bus_info info{};
      EXPECT_EQ(starpu_bus_get_profiling_info(bus, &info), 0);
      const auto count = static_cast<std::size_t>(info.transfer_count);
      if (count == 0) continue;
      traffic[{static_cast<std::size_t>(starpu_bus_get_src(bus)), static_cast<std::size_t>(starpu_bus_get_dst(bus))}] =
          {count, static_cast<std::int64_t>(info.transferred_bytes)};
    }
    return traffic;
  }
  [[nodiscard]] Traffic recorded_traffic() const {
    Traffic traffic;
    for (const Transfer& transfer : recorded_schedule().transfers) {
      auto& [count, bytes] = traffic[{index(transfer.from), index(transfer.to)}];
      ++count;
      bytes += transfer.bytes;
    }
    return traffic;
  }
  /// A StarPU that simulates counts in the first run of a process only. scripts/starpu-simulated looks at its traces.
  void expect_recorded(const Traffic& counted) const {
    if (kSimulated && counted.empty()) return;
    EXPECT_EQ(recorded_traffic(), counted);
  }
  starpu_task* make(Seen& seen) {
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet_;
    task->cl_arg = &seen;
    return task;
  }

  std::filesystem::path folder_;
  starpu_codelet codelet_ = codelet();
};

using InStarpuDeath = InStarpu;

/// With a device, under one policy: a StarPU that simulates can start only once in a process with one.
class WithDevice : public InStarpu, public testing::WithParamInterface<const char*> {
 protected:
  /// Whether there is a device.
  bool start_with_device(unsigned cores = kWorkers) {
    start(GetParam(), 1, cores);
    if (starpu_worker_get_count_by_type(kDevice) > 0) return true;
    starpu_shutdown();
    return false;
  }
};

std::string name_of(const testing::TestParamInfo<const char*>& policy) {
  std::string name = policy.param;
  std::replace_if(name.begin(), name.end(), [](char c) { return c == ':' || c == '-'; }, '_');
  return name;
}

TEST_F(InStarpuDeath, AWrongNameEndsTheProgramWithASentence) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(start("dmdaz"), testing::ExitedWithCode(2),
              "heddle: HEDDLE_POLICY: there is no policy 'dmdaz'; did you mean 'dmda'");
  EXPECT_EXIT(start("static"), testing::ExitedWithCode(2), "follows a plan");
  setenv("HEDDLE_RESIZE", "lp", 1);
  EXPECT_EXIT(start("dmda"), testing::ExitedWithCode(2), "HEDDLE_RESIZE says how workers move between contexts");
  unsetenv("HEDDLE_RESIZE");
  EXPECT_EXIT(start("static:file=/nowhere/plan.json"), testing::ExitedWithCode(2), "/nowhere/plan.json");
  EXPECT_EXIT(start("starpu:dmdaz"), testing::ExitedWithCode(2),
              "heddle: HEDDLE_POLICY: StarPU has no scheduler 'dmdaz'; did you mean 'dmda'");
  setenv("HEDDLE_FACTS", (folder_ / "facts.json").c_str(), 1);
  EXPECT_EXIT(start("starpu:dmda"), testing::ExitedWithCode(2),
              "HEDDLE_FACTS: 'starpu:dmda' is not a policy of Heddle");
  unsetenv("HEDDLE_FACTS");
  setenv("HEDDLE_PLUGINS", "/nowhere/policy.so", 1);
  EXPECT_EXIT(start("dmda"), testing::ExitedWithCode(2), "heddle: plug-in '/nowhere/policy.so': cannot be opened");
}

TEST_F(InStarpu, TasksForSomeWorkersRunThere) {
  for (const char* policy : {"prio", "heft", "dual-hp"}) {
    SCOPED_TRACE(policy);
    start(policy);
    std::array<Seen, 300> seen;
    std::array<std::uint32_t, 1> second_only{1U << 1U};
    for (std::size_t i = 0; i < seen.size(); ++i) {
      starpu_task* const task = make(seen[i]);
      if (i % 3 == 1) {
        task->execute_on_a_specific_worker = 1;
        task->workerid = 2;
      } else if (i % 3 == 2) {
        task->workerids = second_only.data();
        task->workerids_len = 1;
      }
      ASSERT_EQ(starpu_task_submit(task), 0);
    }
    starpu_task_wait_for_all();
    for (std::size_t i = 0; i < seen.size(); ++i) {
      EXPECT_EQ(seen[i].runs, 1);
      if (i % 3 != 0) {
        EXPECT_EQ(seen[i].worker, i % 3 == 1 ? 2 : 1);
      }
    }
    starpu_shutdown();
    EXPECT_EQ(recorded(), seen.size());
  }
}

/// They only order others. Policies plan for what some worker can run.
TEST_F(InStarpu, TasksForNoWorkerAreNotPlanned) {
  for (const char* policy : {"heft", "prio", "starpu:lws"}) {
    SCOPED_TRACE(policy);
    start(policy);
    double value = 0;
    starpu_data_handle_t handle = nullptr;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&value), sizeof(value));
    starpu_codelet on_data = codelet_;
    on_data.nbuffers = 1;
    on_data.modes[0] = STARPU_RW;
    starpu_codelet nowhere = on_data;
    nowhere.cpu_funcs[0] = nullptr;
    nowhere.where = STARPU_NOWHERE;
    std::array<Seen, 60> seen;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      starpu_task* const task = make(seen[i]);
      task->cl = i % 3 == 1 ? &nowhere : &on_data;
      task->handles[0] = handle;
      ASSERT_EQ(starpu_task_submit(task), 0);
    }
    starpu_task_wait_for_all();
    starpu_data_unregister(handle);
    starpu_shutdown();
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].runs, i % 3 == 1 ? 0 : 1);
    EXPECT_EQ(recorded(), 40U);
  }
}

/// A chain, each link of which is submitted by the callback of the one before.
struct Chain {
  starpu_codelet* codelet;
  std::array<Seen, 50> seen{};
  std::size_t next = 0;

  static void go_on(void* self) {
    auto* const chain = static_cast<Chain*>(self);
    if (chain->next == chain->seen.size()) return;
    starpu_task* const task = starpu_task_create();
    task->cl = chain->codelet;
    task->cl_arg = &chain->seen[chain->next++];
    task->callback_func = go_on;
    task->callback_arg = chain;
    EXPECT_EQ(starpu_task_submit(task), 0);
  }
};

/// StarPU's workers ask again and again. On as many cores as there are workers, the thread that submits tasks would get
/// its share only now and then.
TEST_F(InStarpu, WorkersWithoutTasksLetOthersHaveTheirCores) {
#if !defined(STARPU_NON_BLOCKING_DRIVERS) || defined(STARPU_SIMGRID)
  GTEST_SKIP() << "this StarPU lets them sleep";
#endif
  start("eager");
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const int before = yields;
  constexpr int kPatience = 1000;  // where the machine is busy
  for (int i = 0; i < kPatience && yields <= before + 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(yields, before + 10);
  starpu_shutdown();
}

TEST_F(InStarpu, CallbacksSubmitAndTheProgramWaitsInBetween) {
  start("heft");
  for (int round = 0; round < 5; ++round) {
    Chain chain{.codelet = &codelet_};
    Chain::go_on(&chain);
    starpu_task_wait_for_all();
    for (const Seen& seen : chain.seen) EXPECT_EQ(seen.runs, 1);
  }
  starpu_shutdown();
  EXPECT_EQ(recorded(), 250U);
}

using MemoriesInStarpu = WithDevice;
INSTANTIATE_TEST_SUITE_P(, MemoriesInStarpu,
                         testing::Values("dmdas", "heft", "eager", "heteroprio-dep", "starpu:dmdas"), name_of);

// The tasks do nothing with the data, so that any device can run them, but StarPU moves it; its copies are tasks that
// it does not tell the end of.
TEST_P(MemoriesInStarpu, AreEachDevicesOwn) {
  if (!start_with_device()) GTEST_SKIP() << "there is no device";
  starpu_codelet either = codelet_;
  run_on_devices(either);
  either.nbuffers = 2;
  either.modes[0] = STARPU_R;
  either.modes[1] = STARPU_RW;
  std::array<std::array<double, 1000>, 8> memory{};
  std::array<starpu_data_handle_t, 8> handles{};
  for (std::size_t i = 0; i < handles.size(); ++i) {
    starpu_vector_data_register(&handles[i], STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(memory[i].data()),
                                static_cast<std::uint32_t>(memory[i].size()), sizeof(double));
  }
  int on_devices = 0;
  std::array<Seen, 300> seen;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    starpu_task* const task = make(seen[i]);
    task->cl = &either;
    task->handles[0] = handles[i % 8];
    task->handles[1] = handles[(3 * i + 1) % 8 == i % 8 ? (i + 1) % 8 : (3 * i + 1) % 8];
    ASSERT_EQ(starpu_task_submit(task), 0);
    if (i % 10 == 0) {
      ASSERT_EQ(starpu_data_cpy(handles[(i + 2) % 8], handles[i % 8], 1, nullptr, nullptr), 0);
    }
  }
  starpu_task_wait_for_all();
  for (const Seen& one : seen) {
    EXPECT_EQ(one.runs, 1);
    on_devices += starpu_worker_get_type(one.worker) == STARPU_CPU_WORKER ? 0 : 1;
  }
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  const Traffic counted = counted_by_starpu();
  starpu_shutdown();
  EXPECT_GE(recorded(), seen.size());
  EXPECT_EQ(recorded_instance().platform.links().size(), 2U);
  expect_recorded(counted);
  if (kSimulated || std::string_view(GetParam()) == "eager") {
    EXPECT_GT(on_devices, 0) << "which others may find slower";
  }
}

using DataInStarpu = WithDevice;
INSTANTIATE_TEST_SUITE_P(, DataInStarpu, testing::Values("eager", "starpu:eager"), name_of);

// StarPU copies data before a task tells of it, and has another handle at the address of one that it has freed.
TEST_P(DataInStarpu, IsToldApartWhereItComesAndGoes) {
  if (!start_with_device()) GTEST_SKIP() << "there is no device";
  const unsigned node = starpu_worker_get_memory_node(static_cast<unsigned>(starpu_worker_get_by_type(kDevice, 0)));
  starpu_codelet on_device = codelet_;
  on_device.cpu_funcs[0] = nullptr;
  run_on_devices(on_device);
  on_device.nbuffers = 1;
  on_device.modes[0] = STARPU_RW;
  std::array<Seen, 20> seen;
  double value = 0;
  for (Seen& one : seen) {
    starpu_data_handle_t handle = nullptr;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&value), sizeof(value));
    ASSERT_EQ(starpu_data_prefetch_on_node(handle, node, 0), 0);
    starpu_task* const task = make(one);
    task->cl = &on_device;
    task->handles[0] = handle;
    ASSERT_EQ(starpu_task_submit(task), 0);
    starpu_task_wait_for_all();
    starpu_data_unregister(handle);
  }
  const Traffic counted = counted_by_starpu();
  starpu_shutdown();
  EXPECT_EQ(recorded(), seen.size());
  EXPECT_EQ(recorded_instance().graph.data_count(), seen.size());
  expect_recorded(counted);
  EXPECT_EQ(recorded_traffic().size(), 2U);
}

using CopiesInStarpu = WithDevice;
INSTANTIATE_TEST_SUITE_P(, CopiesInStarpu, testing::Values("dmdas", "heteroprio-dep"), name_of);

// Nothing else makes the device known to have ended one of them: no task waits for a copy, and no other worker asks.
TEST_P(CopiesInStarpu, AreAskedAfterByADevice) {
  if (!start_with_device(0)) GTEST_SKIP() << "there is no device";
  std::array<std::array<double, 1000>, 8> memory{};
  std::array<starpu_data_handle_t, 8> handles{};
  memory[0].fill(3);
  for (std::size_t i = 0; i < handles.size(); ++i) {
    starpu_vector_data_register(&handles[i], STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(memory[i].data()),
                                static_cast<std::uint32_t>(memory[i].size()), sizeof(double));
  }
  for (std::size_t i = 1; i < handles.size(); ++i)
    ASSERT_EQ(starpu_data_cpy(handles[i], handles[0], 1, nullptr, nullptr), 0);
  starpu_task_wait_for_all();
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  starpu_shutdown();
  for (const auto& values : memory) {
    EXPECT_TRUE(kSimulated || values.back() == 3);
  }
  EXPECT_EQ(recorded(), handles.size() - 1);
}

/// A task that StarPU repeats by itself.
struct Repeated {
  static constexpr int kTimes = 3;
  Seen seen{};
  starpu_task task{};

  static void stop_in_time(void* self) {
    auto* const repeated = static_cast<Repeated*>(self);
    if (repeated->seen.runs == kTimes) repeated->task.regenerate = 0;
  }
};

using SchedulersOfStarpu = WithDevice;
INSTANTIATE_TEST_SUITE_P(, SchedulersOfStarpu, testing::Values("starpu:lws", "starpu:dmdas", "starpu:modular-eager"),
                         name_of);

// A chain on each of two data, and a task that repeats: each run is one task of the record.
TEST_P(SchedulersOfStarpu, AreWatched) {
  setenv("HEDDLE_SUMMARY", "1", 1);
  start(GetParam(), 1);
  starpu_codelet on_data = codelet_;
  on_data.nbuffers = 1;
  on_data.modes[0] = STARPU_RW;
  if (starpu_worker_get_count_by_type(kDevice) > 0) run_on_devices(on_data);
  std::array<double, 2> memory{};
  std::array<starpu_data_handle_t, 2> handles{};
  for (std::size_t i = 0; i < handles.size(); ++i) {
    starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&memory[i]),
                                  sizeof(double));
  }
  std::array<Seen, 100> seen;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    starpu_task* const task = make(seen[i]);
    task->cl = &on_data;
    task->handles[0] = handles[i % 2];
    ASSERT_EQ(starpu_task_submit(task), 0);
  }
  Repeated repeated;
  starpu_task_init(&repeated.task);
  repeated.task.cl = &codelet_;
  repeated.task.cl_arg = &repeated.seen;
  repeated.task.regenerate = 1;
  repeated.task.callback_func = Repeated::stop_in_time;
  repeated.task.callback_arg = &repeated;
  repeated.task.destroy = 0;
  ASSERT_EQ(starpu_task_submit(&repeated.task), 0);
  starpu_task_wait_for_all();
  starpu_task_clean(&repeated.task);
  for (const Seen& one : seen) EXPECT_EQ(one.runs, 1);
  for (starpu_data_handle_t handle : handles) starpu_data_unregister(handle);
  testing::internal::CaptureStderr();
  starpu_shutdown();
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::ContainsRegex(std::string("heddle: 103 tasks under ") + GetParam() +
                                     " in [0-9.]+ s, [0-9.]+ times the lower bound\n"));
  EXPECT_EQ(recorded(), seen.size() + Repeated::kTimes);
  EXPECT_EQ(recorded_policy(), GetParam());
  const Instance instance = recorded_instance();
  EXPECT_EQ(instance.graph.edge_count(), 98U) << "two chains of 50";
}

TEST_F(InStarpu, SaysWhatTheRunWasWorthAndWritesWhatThePolicyWasTold) {
  const std::string facts = (folder_ / "facts.json").string();
  setenv("HEDDLE_FACTS", facts.c_str(), 1);
  setenv("HEDDLE_SUMMARY", "1", 1);
  start("heft");
  std::array<Seen, 200> seen;
  for (Seen& one : seen) ASSERT_EQ(starpu_task_submit(make(one)), 0);
  starpu_task_wait_for_all();
  testing::internal::CaptureStderr();
  starpu_shutdown();
  const std::string line = testing::internal::GetCapturedStderr();
  EXPECT_THAT(line,
              testing::ContainsRegex("heddle: 200 tasks under heft in 0[.][0-9]+ s, [1-9][.][0-9]+ times the lower "
                                     "bound; decisions took 0[.][0-9]+ s\n"));
  const facts::Replayed replayed = facts::replay(io::read_file(facts), facts);
  EXPECT_EQ(replayed.difference, std::nullopt);
  EXPECT_GE(replayed.decisions, 100U) << "a round of one task may need none";
}

TEST_F(InStarpu, PoliciesFromOutsideDecide) {
  const std::string folder = HEDDLE_TEST_PLUGINS;
  setenv("HEDDLE_PLUGINS", (folder + "/newest_first.so:" + folder + "/from_kit.so").c_str(), 1);
  for (const char* policy : {"newest-first", "from-kit", "from-kit:offline=true"}) {
    SCOPED_TRACE(policy);
    start(policy);
    std::array<Seen, 100> seen;
    for (Seen& one : seen) ASSERT_EQ(starpu_task_submit(make(one)), 0);
    starpu_task_wait_for_all();
    starpu_shutdown();
    EXPECT_EQ(recorded(), seen.size());
    EXPECT_EQ(recorded_policy(), policy);
  }
}

/// A record of one run is the plan of another.
TEST_F(InStarpu, ARecordedRunIsFollowed) {
  const auto run = [&](const std::string& policy) {
    start(policy.c_str());
    std::array<Seen, 100> seen;
    for (Seen& one : seen) EXPECT_EQ(starpu_task_submit(make(one)), 0);
    starpu_task_wait_for_all();
    starpu_shutdown();
    std::vector<int> workers;
    for (const Seen& one : seen) workers.push_back(one.worker);
    return workers;
  };
  const std::vector<int> workers = run("random");
  const std::string plan = (folder_ / "plan.json").string();
  std::filesystem::copy_file(folder_ / "run.schedule.json", plan);
  EXPECT_EQ(run("static:file=" + plan), workers);
  EXPECT_EQ(recorded(), workers.size());
}

/// Several policies of ours in one of StarPU's contexts.
TEST_F(InStarpu, ContextsKeepToTheirWorkers) {
  const std::string facts = (folder_ / "facts.json").string();
  setenv("HEDDLE_FACTS", facts.c_str(), 1);
  setenv("HEDDLE_CONTEXTS", "one:cpu0:heft; two:cpu1,cpu2:lws", 1);
  setenv("HEDDLE_ASSIGN", "work@one+elsewhere@two", 1);
  start("");
  unsetenv("HEDDLE_CONTEXTS");
  unsetenv("HEDDLE_ASSIGN");
  starpu_codelet other = codelet();
  other.name = "other";
  std::array<Seen, 200> seen;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    starpu_task* const task = make(seen[i]);
    if (i % 2 == 1) task->cl = &other;
    ASSERT_EQ(starpu_task_submit(task), 0);
  }
  starpu_task_wait_for_all();
  testing::internal::CaptureStderr();
  starpu_shutdown();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "heddle: HEDDLE_ASSIGN: no task had the codelet 'elsewhere'\n");
  EXPECT_EQ(recorded(), seen.size());
  EXPECT_EQ(recorded_policy(), "contexts");
  EXPECT_EQ(recorded_instance().contexts.all.size(), 2U);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].worker == 0, i % 2 == 0) << i;
  const facts::Replayed replayed = facts::replay(io::read_file(facts), facts);
  EXPECT_EQ(replayed.difference, std::nullopt);
}

/// The job of the first context ends early; its worker goes to the other one.
TEST_F(InStarpu, ARuleMovesWorkersBetweenContexts) {
  const std::string facts = (folder_ / "facts.json").string();
  starpu_codelet other = codelet();
  other.name = "other";
  for (const char* rule : {"idle", "speed", "lp"}) {
    SCOPED_TRACE(rule);
    setenv("HEDDLE_FACTS", facts.c_str(), 1);
    setenv("HEDDLE_CONTEXTS", "one:cpu0:dmdas; two:cpu1,cpu2:lws", 1);
    setenv("HEDDLE_ASSIGN", "work@one", 1);
    setenv("HEDDLE_RESIZE", rule, 1);
    start("");
    for (const char* name : {"HEDDLE_CONTEXTS", "HEDDLE_ASSIGN", "HEDDLE_RESIZE"}) unsetenv(name);
    std::array<Seen, 420> seen;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      starpu_task* const task = make(seen[i]);
      if (i % 21 != 0) task->cl = &other;
      ASSERT_EQ(starpu_task_submit(task), 0);
    }
    starpu_task_wait_for_all();
    starpu_shutdown();
    for (const Seen& one : seen) EXPECT_EQ(one.runs, 1);
    EXPECT_EQ(recorded(), seen.size());
    EXPECT_EQ(recorded_instance().contexts.all.size(), 2U) << "no task ran elsewhere";
    const std::string stem = (folder_ / "run").string();
    const auto moves =
        io::read_schedule(io::read_file(stem + ".schedule.json"), stem, recorded_instance()).schedule.moves;
    EXPECT_FALSE(moves.empty());
    const auto was_helped = [&](std::size_t i) { return i % 21 != 0 && seen[i].worker == 0; };
    std::size_t helped = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) helped += was_helped(i) ? 1 : 0;
    EXPECT_GT(helped, 40U);
    const facts::Replayed replayed = facts::replay(io::read_file(facts), facts);
    EXPECT_EQ(replayed.difference, std::nullopt);
  }
}

TEST_F(InStarpu, WorkersMoveBetweenContextsWhileTasksRun) {
  start("dmdas");
  std::array<int, 2> some{0, 1};
  std::array<int, 1> moved{1};
  const unsigned context =
      starpu_sched_ctx_create(some.data(), 2, "second", STARPU_SCHED_CTX_POLICY_STRUCT, plugin(), 0);
  std::array<Seen, 400> seen;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    ASSERT_EQ(starpu_task_submit_to_ctx(make(seen[i]), i % 2 == 0 ? context : 0), 0);
    if (i % 80 == 20) starpu_sched_ctx_remove_workers(moved.data(), 1, context);
    if (i % 80 == 60) starpu_sched_ctx_add_workers(moved.data(), 1, context);
  }
  starpu_task_wait_for_all();
  for (const Seen& one : seen) EXPECT_EQ(one.runs, 1);
  starpu_sched_ctx_delete(context);
  starpu_shutdown();
  EXPECT_EQ(recorded() + recorded("." + std::to_string(context)), seen.size());
}

}  // namespace
}  // namespace heddle::test

#ifdef STARPU_SIMGRID
/// What StarPU's own main runs in its simulation.
extern "C" __attribute__((visibility("default"))) int starpu_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

#undef main
/// GoogleTest's would be taken otherwise, not StarPU's.
int main(int argc, char** argv) {
  setenv("STARPU_HOSTNAME", "mirage", 1);  // a machine that StarPU comes with
  return reinterpret_cast<int (*)(int, char**)>(dlsym(RTLD_NEXT, "main"))(argc, argv);
}
#endif
