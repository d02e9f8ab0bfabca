#pragma once

#include <utility>
#include <vector>

#include "heddle/model/schedule.hpp"
#include "heddle/sim/simulation.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::search {

/// A graph whose tasks commute on data and sometimes take no time, on up to three classes; transfers are free.
inline Instance random_sample(test::Random& random) {
  Instance instance = test::random_instance(random, {.data = true});
  std::vector<ResourceClass> classes;
  for (const ClassId c : instance.platform.classes()) classes.push_back(instance.platform.resource_class(c));
  instance.platform = Platform(std::move(classes));
  return instance;
}

/// Some schedule of it, seldom a good one.
inline Schedule some_schedule(const Instance& instance, std::uint64_t seed = 1) {
  sim::Config config;
  config.seed = seed;
  return sim::simulate(instance, policy::Spec("random"), config);
}

}  // namespace heddle::search
