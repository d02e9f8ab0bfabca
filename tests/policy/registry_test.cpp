#include "heddle/policy/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "heddle/model/error.hpp"

namespace heddle::test {
namespace {

std::string error_of(const std::string& spec) {
  try {
    policy::Spec parsed(spec);
    (void)parsed;
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Registry, ListsThePoliciesOfThisProjectByName) {
  std::vector<std::string> names;
  for (const policy::Entry& entry : policy::entries()) names.push_back(entry.name);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const char* name : {"dmdas", "eager", "ect", "heft", "heteroprio-dep", "random", "static"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
}

TEST(Registry, ReadsOptions) {
  const policy::Spec spec("heteroprio-dep:order=priority,priority=hint");
  EXPECT_EQ(spec.entry().name, "heteroprio-dep");
  EXPECT_EQ(spec.options().text("order"), "priority");
  EXPECT_EQ(spec.options().text("priority"), "hint");
  EXPECT_EQ(policy::Spec("heft").options().text("rank"), "min");
}

TEST(Registry, TakesEveryDefaultAsAValue) {
  for (const policy::Entry& entry : policy::entries()) {
    for (const Option& option : entry.options) {
      if (option.fallback.empty()) continue;
      EXPECT_EQ(error_of(entry.name + ":" + option.name + "=" + option.fallback), "");
    }
  }
}

TEST(Registry, NamesWhatIsPossible) {
  EXPECT_NE(error_of("hefft").find("did you mean 'heft'?"), std::string::npos) << error_of("hefft");
  EXPECT_NE(error_of("heft:ranks=min").find("did you mean 'rank'?"), std::string::npos);
  EXPECT_NE(error_of("heft:rank=max").find("expected min|avg"), std::string::npos);
  EXPECT_NE(error_of("heft:rank").find("expected key=value"), std::string::npos);
  EXPECT_NE(error_of("").find("there is no policy ''"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
