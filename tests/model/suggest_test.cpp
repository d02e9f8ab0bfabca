#include "heddle/model/suggest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle {
namespace {

const std::vector<std::string> kNames{"heft", "heteroprio", "heteroprio-dep", "spoliation-orders"};

TEST(DidYouMean, FindsTheNameSpelledMostAlike) {
  EXPECT_EQ(did_you_mean("hetf", kNames), "; did you mean 'heft'?");
  EXPECT_EQ(did_you_mean("heteropio-dep", kNames), "; did you mean 'heteroprio-dep'?");
}

TEST(DidYouMean, FindsTheOnlyNameWithThisBeginning) {
  EXPECT_EQ(did_you_mean("spoliation", kNames), "; did you mean 'spoliation-orders'?");
  EXPECT_EQ(did_you_mean("heter", kNames), "") << "two begin like this";
  EXPECT_EQ(did_you_mean("sp", kNames), "") << "too short to tell";
}

TEST(DidYouMean, IsSilentWhenNothingIsNear) {
  EXPECT_EQ(did_you_mean("random", kNames), "");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean("heft", {}), "");
}

TEST(Suggest, EndsASentenceWithThePossibleNames) {
  EXPECT_EQ(suggest("hetf", kNames),
            "; did you mean 'heft'? (possible: heft, heteroprio, heteroprio-dep, spoliation-orders)");
  EXPECT_EQ(suggest("random", kNames), "; possible: heft, heteroprio, heteroprio-dep, spoliation-orders");
  EXPECT_EQ(suggest("random", {}), "; there is none");
  const std::vector<std::string> many(14, "x1234");
  EXPECT_TRUE(suggest("random", many).ends_with("x1234, ... 2 more"));
}

}  // namespace
}  // namespace heddle
