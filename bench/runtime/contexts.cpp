#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "contender.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"
#include "heddle/report/format.hpp"
#include "heddle/report/text_table.hpp"
#include "heddle/runtime/runtime.hpp"
#include "heddle/runtime/threads/lock_times.hpp"
#include "parts.hpp"

namespace heddle::bench {
namespace {

using namespace runtime;

double seconds_on(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Seconds of processor time that this thread has used.
double own_time() {
  return seconds_on(CLOCK_THREAD_CPUTIME_ID);
}

/// Works for so many seconds: time in which the thread does not run does not count.
void work_for(double seconds) {
  const double end = own_time() + seconds;
  while (own_time() < end) continue;
}

double seconds_of(const std::function<void()>& function) {
  const auto begin = std::chrono::steady_clock::now();
  function();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

const Kernel kEmpty("empty", on_cpu([] {}));
const Kernel kWork("work", on_cpu([](double seconds) { work_for(seconds); }));
const Kernel kStep("step", on_cpu([](double seconds, int& x) { work_for(seconds), ++x; }));

// Throughput.

/// So many workers, evenly divided among so many contexts (none: one policy alone); tasks take turns among contexts.
struct Division {
  unsigned workers;
  unsigned contexts;

  [[nodiscard]] std::string name() const {
    return fmt::format("{} of {}", report::format_count(contexts, "context"),
                       report::format_count(workers / contexts, "worker"));
  }
  [[nodiscard]] std::vector<SchedulingContext> make(Runtime& system) const {
    std::vector<SchedulingContext> all;
    for (unsigned i = 0; i < contexts; ++i)
      all.push_back(
          system.context({.name = fmt::format("job{}", i), .workers = fmt::format("cpu={}", workers / contexts)}));
    return all;
  }
};

struct Load {
  const char* name;
  std::size_t tasks;
  double seconds;  ///< each; 0: empty
};
// A tenth of a second and more on two workers. What is shorter measures how long the operating system leaves the thread
// of one context without a core while the other has ended; that is some milliseconds, once a run.
constexpr Load kLoads[] = {{"empty tasks", 400'000, 0}, {"tasks of 10 us", 20'000, 10e-6}};

void submit_all(Runtime& system, const Load& load, const std::vector<SchedulingContext>& contexts) {
  for (std::size_t i = 0; i < load.tasks; ++i) {
    const SchedulingContext& context = contexts[i % contexts.size()];
    load.seconds == 0 ? system.submit(in(context), kEmpty) : system.submit(in(context), kWork, load.seconds);
  }
}

/// How the tasks come: `submitted`: while workers execute them, by a thread that takes a core from these where there
/// are as many workers as cores; `submitted_before`: while all workers are kept from them.
enum class Arrival : std::uint8_t { recorded, submitted_before, submitted };

constexpr std::string_view name_of(Arrival arrival) {
  switch (arrival) {
    case Arrival::recorded:
      return "recorded";
    case Arrival::submitted_before:
      return "submitted before";
    case Arrival::submitted:
      return "submitted";
  }
  return {};
}

/// Keeps all workers busy until it ends.
class Hold {
 public:
  Hold(Runtime& system, const Division& division, const std::vector<SchedulingContext>& contexts)
      : kernel_("held", on_cpu([this] {
                  ++held_;
                  ends_.wait(false);
                })) {
    for (unsigned worker = 0; worker < division.workers; ++worker)
      system.submit(in(contexts[worker % contexts.size()]), kernel_);
    while (held_ < division.workers) std::this_thread::yield();
  }
  void end() {
    ends_ = true;
    ends_.notify_all();
  }

 private:
  std::atomic<unsigned> held_{0};
  std::atomic<bool> ends_{false};
  Kernel<> kernel_;
};

struct Throughput {
  double per_second;
  double per_core_second;  ///< of the processor time of all threads, in which waiting for a core takes none
};

/// In a runtime of its own, after a run that warms up.
Throughput throughput(const Division& division, const Load& load, Arrival arrival) {
  Runtime system({.workers = fmt::format("cpu={}", division.workers), .history = ""});
  const std::vector<SchedulingContext> contexts = division.make(system);
  std::function<void()> run = [&] { submit_all(system, load, contexts); };
  Graph graph = system.record([&] {
    if (arrival == Arrival::recorded) submit_all(system, load, contexts);
  });
  if (arrival == Arrival::recorded) run = [&] { system.run(graph); };
  const auto once = [&] { run(), system.wait(); };
  const auto measured = [&](const std::function<void()>& function) -> Throughput {
    const double begin = seconds_on(CLOCK_PROCESS_CPUTIME_ID);
    const double seconds = seconds_of(function);
    const double core_seconds = seconds_on(CLOCK_PROCESS_CPUTIME_ID) - begin;
    return {static_cast<double>(load.tasks) / seconds, static_cast<double>(load.tasks) / core_seconds};
  };
  once();
  if (arrival != Arrival::submitted_before) return measured(once);
  Hold hold(system, division, contexts);
  run();
  return measured([&] { hold.end(), system.wait(); });
}

void compare_throughput(std::size_t rounds) {
  using report::Align;
  std::cout << fmt::format("\nThroughput on 2 workers: tasks per ms, medians of {}\n",
                           report::format_count(rounds, "alternating round"));
  const Division one{2, 1};
  const Division two{2, 2};
  report::TextTable table({{"tasks"},
                           {one.name(), Align::right},
                           {two.name(), Align::right},
                           {"ratio", Align::right},
                           {"per processor time", Align::right}});
  for (const Arrival arrival : {Arrival::recorded, Arrival::submitted_before, Arrival::submitted}) {
    for (const Load& load : kLoads) {
      Samples together;
      Samples apart;
      Samples together_per_core;
      Samples apart_per_core;
      for (std::size_t round = 0; round < rounds; ++round) {
        const Throughput of_one = throughput(one, load, arrival);
        const Throughput of_two = throughput(two, load, arrival);
        together.add(of_one.per_second * 1e-3);
        apart.add(of_two.per_second * 1e-3);
        together_per_core.add(of_one.per_core_second);
        apart_per_core.add(of_two.per_core_second);
      }
      table.add_row({fmt::format("{}, {}", load.name, name_of(arrival)), fmt::format("{:.0f}", together.median()),
                     fmt::format("{:.0f}", apart.median()), fmt::format("{:.2f}", apart.median() / together.median()),
                     fmt::format("{:.2f}", apart_per_core.median() / together_per_core.median())});
    }
  }
  std::cout << table.text() << std::flush;
}

// The scheduling lock.

#ifdef HEDDLE_MEASURE_LOCKS
void measure_locks() {
  using report::Align;
  std::cout << "\nHow long the scheduling lock is held, us\n";
  report::TextTable table({{"contexts"},
                           {"tasks"},
                           {"locks", Align::right},
                           {"tasks per lock", Align::right},
                           {"median", Align::right},
                           {"99.9 %", Align::right},
                           {"longest", Align::right}});
  for (const Division& division : {Division{2, 1}, Division{2, 2}, Division{8, 1}, Division{8, 8}}) {
    for (const Arrival arrival : {Arrival::recorded, Arrival::submitted}) {
      for (const Load& load : kLoads) {
        scheduling_lock_times = {};
        static_cast<void>(throughput(division, load, arrival));
        const LockTimes& times = scheduling_lock_times;
        const auto us = [](double seconds) { return fmt::format("{:.1f}", seconds * 1e6); };
        // What warms up counts, too.
        table.add_row({division.name(), fmt::format("{}, {}", load.name, name_of(arrival)),
                       fmt::format("{}", times.count()),
                       fmt::format("{:.1f}", 2 * static_cast<double>(load.tasks) / static_cast<double>(times.count())),
                       us(times.quantile(0.5)), us(times.quantile(0.999)), us(times.longest())});
      }
    }
  }
  std::cout << table.text() << std::flush;
}
#else
void measure_locks() {
  std::cout << "\nskipped: how long locks are held: configure with -DHEDDLE_MEASURE_LOCKS=ON\n";
}
#endif

// Resizing.

/// Two jobs of which one has two to four times as much to do.
struct Pair {
  std::size_t chains;
  std::size_t steps[2];
  double seconds[2];  ///< of a task

  explicit Pair(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto draw = [&](std::size_t low, std::size_t high) { return low + random() % (high - low + 1); };
    chains = draw(4, 12);
    for (double& one : seconds) one = 1e-6 * static_cast<double>(draw(100, 400));
    const double work = 0.02 + 0.001 * static_cast<double>(draw(0, 20));  // seconds, of the shorter one
    const auto times = static_cast<double>(draw(2, 4));
    steps[0] = static_cast<std::size_t>(work / seconds[0] / static_cast<double>(chains)) + 1;
    steps[1] = static_cast<std::size_t>(times * work / seconds[1] / static_cast<double>(chains)) + 1;
  }
};

struct Resized {
  double seconds;
  std::size_t moves;
};

/// One context of one core for each job.
Resized run_pair(const Pair& pair, const std::string& rule) {
  std::vector<int> values[2] = {std::vector<int>(pair.chains, 0), std::vector<int>(pair.chains, 0)};
  Runtime system({.workers = "cpu=2", .resize = rule, .trace = true, .history = ""});
  const std::vector<SchedulingContext> contexts = Division{2, 2}.make(system);
  double seconds = 0;
  std::size_t moves_before = 0;
  {
    std::vector<Data<int&>> data[2];
    for (std::size_t job = 0; job < 2; ++job) {
      for (int& value : values[job]) data[job].push_back(system.data(value));
    }
    const Graph graph = system.record([&] {
      for (std::size_t job = 0; job < 2; ++job) {
        for (std::size_t step = 0; step < pair.steps[job]; ++step) {
          for (const auto& one : data[job]) system.submit(in(contexts[job]), kStep, pair.seconds[job], rw(one));
        }
      }
    });
    const auto once = [&] { system.run(graph), system.wait(); };
    once();  // durations are known then
    moves_before = system.trace().schedule.moves.size();
    seconds = seconds_of(once);
  }
  return {seconds, system.trace().schedule.moves.size() - moves_before};
}

void compare_resizing() {
  constexpr std::uint64_t kPairs = 10;
  using report::Align;
  std::cout << "\nTwo jobs, one two to four times as long, in contexts of one core each: resized and fixed, " << kPairs
            << " pairs\n";
  report::TextTable table({{"rule"},
                           {"shorter in", Align::right},
                           {"median of resized / fixed", Align::right},
                           {"most", Align::right},
                           {"moves, median", Align::right}});
  for (const std::string& rule : policy::resize_rule_names()) {
    std::size_t shorter = 0;
    Samples ratios;
    Samples moves;
    for (std::uint64_t seed = 1; seed <= kPairs; ++seed) {
      const Pair pair(seed);
      const double fixed = run_pair(pair, "").seconds;
      const Resized resized = run_pair(pair, rule);
      if (resized.seconds < fixed) ++shorter;
      ratios.add(resized.seconds / fixed);
      moves.add(static_cast<double>(resized.moves));
    }
    table.add_row({rule, fmt::format("{} of {}", shorter, kPairs), fmt::format("{:.2f}", ratios.median()),
                   fmt::format("{:.2f}", ratios.max()), fmt::format("{:.0f}", moves.median())});
  }
  std::cout << table.text() << std::flush;
}

}  // namespace

void measure_contexts(const Settings& settings) {
  compare_throughput(settings.repetitions);
  compare_resizing();
  measure_locks();
}

}  // namespace heddle::bench
