// Same instance, policy, options and seed: the same instance and schedule files to the byte, whatever the compiler.
//
// checksums.txt holds what they were when last looked at. When a change is meant to alter schedules, replace the file
// by what the failing test prints.

#include <gtest/gtest.h>

#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "heddle/io/instance_file.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/model/validate.hpp"
#include "heddle/platforms/platforms.hpp"
#include "heddle/sim/simulation.hpp"
#include "heddle/workload/workload.hpp"
#include "tests/policy/registered.hpp"
#include "tests/support/checksum.hpp"
#include "tests/support/rounds.hpp"

namespace heddle::test {
namespace {

std::string checksum(const std::string& text) {
  Checksum checksum;
  checksum.add(text);
  return checksum.text();
}

struct Case {
  const char* workload;
  const char* platform;
};
constexpr Case kCases[] = {{"cholesky:tiles=8", "kumar-2017"},
                           {"lu:tiles=6", "mirage"},
                           {"qr:tiles=5", "kumar-2017:cpu=6,cpu5=2,gpu=3"},
                           {"gemm:tiles=4", "sirocco"},
                           {"fork-join:width=30,phases=3,seed=7", "counts:cpu=5,gpu=2"},
                           {"independent:tasks=60,seed=3", "attila"},
                           {"layered:seed=5", "counts:cpu=4,gpu=2"},
                           {"cholesky:tiles=6", "mirage:links=measured"},
                           {"lu:tiles=5,precision=single", "sirocco:cpu=3,gpu=2,links=measured"},
                           {"predecessor-matrix:tasks=200,seed=4", "counts:cpu=4,gpu=2"}};
constexpr const char* kNoises[] = {"none", "lognormal:0.3,per=execution", "uniform:0.2,normalized=true"};

/// The schedules of a policy on an instance under all noises, as files one after the other.
std::string schedules(const Instance& instance, const policy::Spec& spec, const Schedule& plan) {
  std::string files;
  for (const char* noise : kNoises) {
    const Schedule schedule = sim::simulate(instance, spec, {.noise = sim::Noise(noise), .seed = 9}, &plan);
    const Durations durations = schedule.noise.empty() ? Durations::exact : Durations::free;
    EXPECT_EQ(validate(instance, schedule, durations), std::vector<std::string>()) << spec.text();
    files += io::write_schedule(schedule, instance);
  }
  return files;
}

/// A line for the instance, then one for each policy, all its variants together.
std::string describe(const Case& one) {
  std::ostringstream lines;
  const Instance instance = workload::generate(one.workload, platforms::resolve(one.platform));
  lines << one.workload << ' ' << one.platform << ' ' << checksum(io::write_instance(instance)) << '\n';
  const Schedule plan = plan_for(instance);
  std::map<std::string, std::string> files;
  for (const std::string& text : registered_specs()) {
    const policy::Spec spec(text);
    if (spec.objection(instance).empty()) files[spec.entry().name] += schedules(instance, spec, plan);
  }
  for (const auto& [name, text] : files) lines << "  " << name << ' ' << checksum(text) << '\n';
  return lines.str();
}

/// What checksums.txt holds of each case.
std::vector<std::string> expected() {
  std::vector<std::string> cases;
  std::ifstream file(HEDDLE_CHECKSUMS);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(' ')) cases.emplace_back();
    cases.back() += line + '\n';
  }
  return cases;
}

/// Of the cases: sanitizers take 40 times as long.
constexpr std::size_t kStep = kSanitized ? 9 : 1;

TEST(Determinism, FilesAreTheSameToTheByte) {
  const std::vector<std::string> all = expected();
  ASSERT_EQ(all.size(), std::size(kCases));
  std::string described;
  for (std::size_t i = 1 % kStep; i < all.size(); i += kStep) {
    const std::string found = describe(kCases[i]);
    EXPECT_TRUE(found == all[i]) << kCases[i].workload << ": what is printed below is not what checksums.txt holds";
    described += found;
  }
  if (HasFailure()) std::cout << described;
}

}  // namespace
}  // namespace heddle::test
