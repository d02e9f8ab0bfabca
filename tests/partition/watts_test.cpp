#include "heddle/partition/watts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "heddle/model/error.hpp"

namespace heddle::partition {
namespace {

Table<ClassId, double> seconds(std::initializer_list<double> values) {
  Table<ClassId, double> table;
  for (const double value : values) table.push_back(value);
  return table;
}

TEST(CountedWatts, DivideWhatIsCountedOverTheWorkers) {
  const Platform platform({{"cpu", 2}, {"cpu2", 1}, {"cuda", 1, "each"}},
                          {{"ram", "cuda0", 1e9, 0, {}}, {"cuda0", "ram", 1e9, 0, {}}});
  // 4 cores: 20 W idle, and 10 J for each second in which a core is busy. The card: 30 W idle, 250 W busy.
  const CountedEnergy counted{.idle = {2, {{"package-0", 30}, {"dram-0", 10}, {"gpu-0", 60}}},
                              .run = {10, {{"package-0", 250}, {"dram-0", 50}, {"gpu-0", 300 + 220 * 4}}},
                              .busy_seconds = seconds({4, 3, 4})};
  const Platform found = with_counted_watts(platform, counted);
  EXPECT_EQ(found.resource_class(ClassId{0}).watts, (Watts{15, 5}));
  EXPECT_EQ(found.resource_class(ClassId{1}).watts, (Watts{30, 10}));
  EXPECT_EQ(found.resource_class(ClassId{2}).watts, (Watts{250, 30}));
  EXPECT_EQ(found.links().size(), 2U);
  EXPECT_EQ(found.worker_name(WorkerId{2}), platform.worker_name(WorkerId{2}));
}

TEST(CountedWatts, NoiseDoesNotMakeWorkCheaperThanNone) {
  const Platform found = with_counted_watts(
      Platform({{"cpu", 2}}),
      {.idle = {1, {{"package-0", 20}}}, .run = {1, {{"package-0", 18}}}, .busy_seconds = seconds({1})});
  EXPECT_EQ(found.resource_class(ClassId{0}).watts, (Watts{10, 10}));
}

TEST(CountedWatts, RefuseWhatNoCounterTells) {
  const auto sentence = [](const Platform& platform, const CountedEnergy& counted) {
    try {
      static_cast<void>(with_counted_watts(platform, counted));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const CountedEnergy cores{
      .idle = {1, {{"package-0", 20}}}, .run = {1, {{"package-0", 30}}}, .busy_seconds = seconds({1, 1})};
  EXPECT_NE(sentence(Platform({{"cpu", 2}, {"opencl", 1}}), cores).find("'opencl'"), std::string::npos);
  EXPECT_NE(sentence(Platform({{"cpu", 2}, {"cuda", 1}}), cores).find("'cuda'"), std::string::npos);
  EXPECT_EQ(sentence(Platform({{"cpu", 2}, {"cuda", 0}}), cores), "");
  EXPECT_NE(sentence(Platform({{"cpu", 2}}), {.idle = {1, {{"gpu-0", 20}}}, .run = {}, .busy_seconds = seconds({1})})
                .find("'cpu'"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle::partition
