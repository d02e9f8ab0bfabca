#include "tests/runtime/data_flow.hpp"

#include <thread>

#include "heddle/model/random.hpp"

namespace heddle::runtime {
namespace {

using Value = DataFlow::Value;

/// Commuting and reducing tasks add, so that their order does not matter; all others mix.
Value apply(AccessMode mode, Value constant, Value a, Value b, Value old) {
  const Value inputs = a * 31 + b * 17 + constant;
  switch (mode) {
    case AccessMode::write:
      return inputs;
    case AccessMode::commute:
    case AccessMode::reduce:
      return old + inputs;
    default:
      return old * 1'000'003 + inputs;
  }
}

void mix(std::chrono::microseconds pause, AccessMode mode, Value constant, const Value& a, const Value& b,
         Value& target) {
  if (pause.count() > 0) std::this_thread::sleep_for(pause);
  target = apply(mode, constant, a, b, mode == AccessMode::write ? 0 : target);
}

const Kernel kMix("mix", on_cpu(mix), on_opencl_native(mix));

}  // namespace

DataFlow::DataFlow(std::uint64_t seed, std::size_t tasks, std::chrono::microseconds pause) : pause_(pause) {
  Random random(seed);
  const std::size_t count = 3 + random.below(20);
  for (std::size_t i = 0; i < count; ++i) initial_.push_back(random.bits());
  constexpr std::array kModes{AccessMode::write, AccessMode::read_write, AccessMode::commute, AccessMode::reduce};
  while (steps_.size() < tasks) {
    // Often as the one before, so that there are groups.
    const bool again = !steps_.empty() && random.below(2) == 0;
    const Step step{again ? steps_.back().mode : kModes[random.below(kModes.size())],
                    {random.below(count), random.below(count)},
                    again ? steps_.back().target : random.below(count),
                    random.bits()};
    if (step.target == step.reads[0] || step.target == step.reads[1]) continue;
    steps_.push_back(step);
  }
}

std::vector<Value> DataFlow::expected(int times) const {
  std::vector<Value> values = initial_;
  for (int time = 0; time < times; ++time) {
    for (const Step& step : steps_) {
      Value& target = values[step.target];
      target = apply(step.mode, step.constant, values[step.reads[0]], values[step.reads[1]], target);
    }
  }
  return values;
}

std::vector<std::size_t> DataFlow::share(std::size_t contexts) const {
  std::vector<std::size_t> tasks(contexts, 0);
  for (const Step& step : steps_) ++tasks[step.constant % contexts];
  return tasks;
}

void DataFlow::submit(Runtime& runtime, const std::vector<Data<Value&>>& data, const ManyContexts& contexts) const {
  for (const Step& step : steps_) {
    const In where = contexts.empty() ? In() : in(contexts[step.constant % contexts.size()]);
    const auto with = [&](auto use) {
      runtime.submit(where, kMix, pause_, step.mode, step.constant, read(data[step.reads[0]]),
                     read(data[step.reads[1]]), use);
    };
    const auto& target = data[step.target];
    if (step.mode == AccessMode::write) with(write(target));
    if (step.mode == AccessMode::read_write) with(rw(target));
    if (step.mode == AccessMode::commute) with(commute(target));
    if (step.mode == AccessMode::reduce) with(reduce(target));
  }
}

std::vector<Value> DataFlow::run(Runtime& runtime, const ManyContexts& contexts) const {
  std::vector<Value> values = initial_;
  std::vector<Data<Value&>> data;
  for (Value& value : values) data.push_back(runtime.data(value));
  submit(runtime, data, contexts);
  runtime.wait();
  return values;
}

std::vector<Value> DataFlow::run_recorded(Runtime& runtime, int times, const ManyContexts& contexts,
                                          const std::function<void(const Graph&)>& look) const {
  std::vector<Value> values = initial_;
  std::vector<Data<Value&>> data;
  for (Value& value : values) data.push_back(runtime.data(value));
  const Graph graph = runtime.record([&] { submit(runtime, data, contexts); });
  for (int time = 0; time < times; ++time) {
    if (look) runtime.wait(), look(graph);
    runtime.run(graph);
  }
  runtime.wait();
  return values;
}

}  // namespace heddle::runtime
