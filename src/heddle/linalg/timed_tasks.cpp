#include "heddle/linalg/timed_tasks.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <thread>
#include <utility>

#include "heddle/model/error.hpp"

namespace heddle::linalg {
namespace {

using runtime::Job;
using runtime::on_cpu;
using runtime::on_opencl_native;

constexpr std::size_t kCores = 0;
constexpr std::size_t kDevices = 1;

/// Sleeps for most of it, as a thread that sleeps wakes up late, and ends early when it is asked to stop.
void wait_for(Time duration, const std::stop_token& stop) {
  using namespace std::chrono;
  constexpr auto kAwake = 100us;
  constexpr auto kAtOnce = 1ms;
  const auto end = steady_clock::now() + nanoseconds(duration / (kMicrosecond / 1000));
  for (auto now = steady_clock::now(); now < end && !stop.stop_requested(); now = steady_clock::now()) {
    if (end - now > kAwake) std::this_thread::sleep_for(std::min<nanoseconds>(end - now - kAwake, kAtOnce));
  }
}

}  // namespace

TimedTasks::TimedTasks(runtime::Runtime& runtime, Instance instance)
    : runtime_(runtime), instance_(std::move(instance)) {
  if (instance_.platform.class_count() > 2)
    throw InputError("timed tasks run on cores and OpenCL devices, and the instance '" + instance_.name + "' has " +
                     std::to_string(instance_.platform.class_count()) + " classes");
  constexpr std::size_t kMostData = std::numeric_limits<Word>::digits;
  for (const TaskId task : instance_.graph.tasks()) {
    if (instance_.graph.accesses(task).size() > kMostData)
      throw InputError("timed tasks have at most 64 data, and task '" + std::string(instance_.graph.name(task)) +
                       "' of '" + instance_.name + "' has " + std::to_string(instance_.graph.accesses(task).size()));
  }
  for (const Datum& datum : instance_.graph.data()) {
    const auto words = static_cast<std::size_t>(datum.bytes) / sizeof(Word);
    memory_.emplace_back(std::max<std::size_t>(1, words), 0);
  }
  for (std::vector<Word>& words : memory_) data_.push_back(runtime.data(words));
}

/// What the task makes of a datum: of all that it reads, and, for tasks that commute, whatever their order.
TimedTasks::Word TimedTasks::update(const Order& order, Word sum, Word before, std::size_t datum) {
  constexpr Word kMix = 0x9e3779b97f4a7c15;
  const Word own = (order.number + 1) * kMix + sum;
  if ((order.commutes >> datum & 1) != 0) return before + own;
  return (order.reads >> datum & 1) != 0 ? before * kMix + own : own;
}

void TimedTasks::execute(const Job& job, const Order& order, std::size_t processor) {
  const auto word = [&](std::size_t i) -> Word& { return *static_cast<Word*>(job.argument(i).piece.address); };
  Word sum = 0;
  const std::size_t count = job.arguments().size();
  for (std::size_t i = 0; i < count; ++i) {
    if ((order.writes >> i & 1) == 0) sum += word(i);
  }
  wait_for(order.durations[processor], job.stop_token());
  for (std::size_t i = 0; i < count; ++i) {
    if ((order.writes >> i & 1) != 0) word(i) = update(order, sum, word(i), i);
  }
}

TimedTasks::Order TimedTasks::order_of(TaskId task) const {
  Order order{{0, 0}, index(task), 0, 0, 0};
  for (const ClassId c : instance_.platform.classes()) {
    if (instance_.costs.can_run(task, c)) order.durations[index(c)] = instance_.costs.actual(task, c);
  }
  Word bit = 1;
  for (const Access& access : instance_.graph.accesses(task)) {
    if (access.mode != AccessMode::write) order.reads |= bit;
    if (access.mode != AccessMode::read) order.writes |= bit;
    if (access.mode == AccessMode::commute || access.mode == AccessMode::reduce) order.commutes |= bit;
    bit <<= 1;
  }
  return order;
}

const TimedTasks::TimedKernel& TimedTasks::kernel_of(TaskId task) {
  const auto can_run = [&](std::size_t c) {
    return c < instance_.platform.class_count() && instance_.costs.can_run(task, make_id<ClassId>(c));
  };
  const std::string type(instance_.graph.type_name(instance_.graph.type(task)));
  const bool on_cores = can_run(kCores);
  const bool on_devices = can_run(kDevices);
  const auto known = kernels_.find({type, on_cores, on_devices});
  if (known != kernels_.end()) return known->second;
  const auto cores = on_cpu([](const Job& job, Order order) { execute(job, order, kCores); });
  const auto devices = on_opencl_native([](const Job& job, Order order) { execute(job, order, kDevices); });
  TimedKernel kernel = !on_devices ? TimedKernel(type, cores)
                       : on_cores  ? TimedKernel(type, cores, devices)
                                   : TimedKernel(type, devices);
  return kernels_.emplace(std::tuple(type, on_cores, on_devices), std::move(kernel)).first->second;
}

void TimedTasks::submit() {
  std::vector<runtime::Task> tasks;
  tasks.reserve(instance_.graph.task_count());
  for (const TaskId task : instance_.graph.tasks()) {
    std::vector<runtime::AnyUse> uses;
    for (const Access& access : instance_.graph.accesses(task)) {
      const auto& datum = data_[index(access.data)];
      switch (access.mode) {
        case AccessMode::read:
          uses.emplace_back(read(datum));
          break;
        case AccessMode::write:
          uses.emplace_back(write(datum));
          break;
        case AccessMode::read_write:
          uses.emplace_back(rw(datum));
          break;
        case AccessMode::commute:
        case AccessMode::reduce:
          uses.emplace_back(commute(datum));
      }
    }
    std::vector<runtime::Task> before;
    for (const TaskId other : instance_.graph.predecessors(task)) before.push_back(tasks[index(other)]);
    tasks.push_back(runtime_.submit(
        kernel_of(task), order_of(task), also(std::move(uses)), runtime::after(std::move(before)),
        runtime::priority(instance_.graph.priority(task)), runtime::named(std::string(instance_.graph.name(task)))));
  }
}

std::size_t TimedTasks::wrong_data() const {
  std::vector<Word> expected(memory_.size(), 0);
  for (const TaskId task : instance_.graph.tasks()) {
    const Order order = order_of(task);
    const auto accesses = instance_.graph.accesses(task);
    Word sum = 0;
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      if ((order.writes >> i & 1) == 0) sum += expected[index(accesses[i].data)];
    }
    for (std::size_t i = 0; i < accesses.size(); ++i) {
      Word& word = expected[index(accesses[i].data)];
      if ((order.writes >> i & 1) != 0) word = update(order, sum, word, i);
    }
  }
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += memory_[i][0] != expected[i] ? 1 : 0;
  return wrong;
}

}  // namespace heddle::linalg
