// How modules are found, and what is said when they are not.

#include "heddle/runtime/devices/backends.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "heddle/model/error.hpp"
#include "heddle/runtime/device.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime {
namespace {

using test::Scratch;
using ::testing::HasSubstr;
using ::testing::Not;

/// The environment variable for as long as this lives.
class ModulesIn {
 public:
  explicit ModulesIn(const std::string& folder) { setenv("HEDDLE_MODULES", folder.c_str(), 1); }
  ~ModulesIn() { unsetenv("HEDDLE_MODULES"); }
  ModulesIn(const ModulesIn&) = delete;
  ModulesIn& operator=(const ModulesIn&) = delete;
};

/// Why there is no such backend.
std::string reason(std::string_view name) {
  try {
    static_cast<void>(find_backend(name));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Backends, OfUnknownNameGetASuggestion) {
  EXPECT_THAT(reason("opencll"), HasSubstr("no devices of the kind 'opencll'; did you mean 'opencl'?"));
  EXPECT_THAT(reason("../x"), HasSubstr("possible: opencl, cuda"));
}

TEST(Backends, NeedAModule) {
  const Scratch scratch;
  const ModulesIn modules(scratch.path(""));
  EXPECT_EQ(reason("cuda"), "this installation of Heddle has no module for cuda devices (heddle_cuda.so)");
}

TEST(Backends, NeedAModuleThatCanBeLoaded) {
  const Scratch scratch;
  const std::string file = scratch.write("heddle_cuda.so", "not a library");
  const ModulesIn modules(scratch.path(""));
  EXPECT_THAT(reason("cuda"), HasSubstr("the module '" + file + "' cannot be loaded: "));
  EXPECT_THAT(reason("cuda"), Not(HasSubstr("loaded: " + file))) << "the file is named once";
}

TEST(Backends, NeedAModuleOfThisVersion) {
  const ModulesIn modules(OTHER_MODULES);
  EXPECT_THAT(reason("cuda"), HasSubstr("/heddle_cuda.so' was built for another version of Heddle"));
}

TEST(Backends, AreLoadedOnce) {
  std::shared_ptr<Backend> first;
  try {
    first = find_backend("opencl");
  } catch (const InputError& error) {
    GTEST_SKIP() << error.what();
  }
  const Scratch scratch;
  const ModulesIn modules(scratch.path(""));
  EXPECT_EQ(find_backend("opencl"), first) << "nothing is looked for any more";
}

TEST(Devices, OfEachKindAreThereOrMissing) {
  const std::vector<DeviceKind> kinds = devices();
  ASSERT_EQ(kinds.size(), 1 + backend_names().size());
  EXPECT_EQ(kinds[0].name, "cpu");
  EXPECT_EQ(kinds[0].devices.front().cores, cpu().cores);
  EXPECT_FALSE(kinds[0].devices.front().is_accelerator);
  for (std::size_t i = 0; i < kinds.size(); ++i) EXPECT_NE(kinds[i].devices.empty(), kinds[i].missing.empty());
  for (std::size_t i = 1; i < kinds.size(); ++i) EXPECT_EQ(kinds[i].missing, reason(kinds[i].name));
}

}  // namespace
}  // namespace heddle::runtime
