// Random data-flow graphs of integer kernels give what a sequential interpreter computes, under every policy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {
namespace {

using Value = std::uint64_t;

/// What a task does to the one datum that it writes.
struct Step {
  AccessMode mode;
  std::array<std::size_t, 2> reads;
  std::size_t target;
  Value constant;
};

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

std::vector<Step> random_steps(std::mt19937_64& random, std::size_t data, std::size_t count) {
  std::vector<Step> steps;
  constexpr std::array kModes{AccessMode::write, AccessMode::read_write, AccessMode::commute, AccessMode::reduce};
  while (steps.size() < count) {
    const Step step{kModes[random() % kModes.size()], {random() % data, random() % data}, random() % data, random()};
    // Data that only few tasks write, so that there is something to do in parallel.
    if (step.target != step.reads[0] && step.target != step.reads[1]) steps.push_back(step);
  }
  return steps;
}

std::vector<Value> interpret(const std::vector<Step>& steps, std::vector<Value> data) {
  for (const Step& step : steps) {
    Value& target = data[step.target];
    target = apply(step.mode, step.constant, data[step.reads[0]], data[step.reads[1]], target);
  }
  return data;
}

const Kernel kMix("mix", on_cpu([](AccessMode mode, Value constant, const Value& a, const Value& b, Value& target) {
                    target = apply(mode, constant, a, b, mode == AccessMode::write ? 0 : target);
                  }));

void submit(Runtime& runtime, const std::vector<Data<Value&>>& data, const Step& step) {
  const auto& a = data[step.reads[0]];
  const auto& b = data[step.reads[1]];
  const auto& target = data[step.target];
  const auto with = [&](auto use) { runtime.submit(kMix, step.mode, step.constant, read(a), read(b), use); };
  switch (step.mode) {
    case AccessMode::write:
      return with(write(target));
    case AccessMode::commute:
      return with(commute(target));
    case AccessMode::reduce:
      return with(reduce(target));
    default:
      return with(rw(target));
  }
}

void run_random_graphs(const std::string& policy, const std::string& workers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (int round = 0; round < 8; ++round) {
    const std::size_t count = 3 + random() % 20;
    std::vector<Value> values(count);
    for (Value& value : values) value = random();
    const std::vector<Step> steps = random_steps(random, count, 1 + random() % 600);
    const std::vector<Value> expected = interpret(steps, values);
    Runtime runtime({.workers = workers, .policy = policy, .seed = seed});
    {
      std::vector<Data<Value&>> data;
      for (Value& value : values) data.push_back(runtime.data(value));
      for (const Step& step : steps) submit(runtime, data, step);
      runtime.wait();
    }
    ASSERT_EQ(values, expected) << policy << ", " << workers << ", round " << round;
  }
}

class DataFlow : public testing::TestWithParam<std::string> {};

TEST_P(DataFlow, EqualsASequentialInterpreter) {
  run_random_graphs(GetParam(), "cpu=1", 1);
  run_random_graphs(GetParam(), "cpu=2", 2);
  run_random_graphs(GetParam(), "cpu=4", 3);
}

/// Those that can decide here; the others are refused with a sentence.
std::vector<std::string> policies() {
  std::vector<std::string> names;
  for (const policy::Entry& entry : policy::entries()) {
    const policy::Spec spec(entry.name);
    const policy::Needs needs = entry.needs(spec.options());
    if (!needs.plan && !needs.lookahead) names.push_back(entry.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Policies, DataFlow, testing::ValuesIn(policies()), [](const auto& tested) {
  std::string name = tested.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace heddle::runtime
