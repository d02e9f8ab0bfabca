// What a run learns, and what from those before it.
#include "heddle/runtime/models/performance_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "heddle/runtime/history.hpp"
#include "heddle/runtime/runtime.hpp"
#include "tests/runtime/on_first_class.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime {
namespace {

using test::Scratch;
using Vector = std::span<double>;

const Kernel kTouch("touch", on_cpu([](Vector x) { x[0] += 1; }));

/// Runs all on the first class, and notes what it is told to expect of the first task on another one.
class Eyewitness : public OnFirstClass {
 public:
  explicit Eyewitness(std::shared_ptr<std::vector<Time>> told) : told_(std::move(told)) {}

  void start(const policy::View& view) { told_->push_back(view.estimate(TaskId{0}, ClassId{1})); }

 private:
  std::shared_ptr<std::vector<Time>> told_;
};

/// What a policy is told at first of `kernel` on `size` elements on cpu2, with such a history.
template <class T>
Time told(const Kernel<std::span<T>>& kernel, const std::string& history, std::size_t size) {
  const auto told = std::make_shared<std::vector<Time>>();
  std::vector<T> x(size);
  Runtime runtime({.workers = "cpu=1,cpu2=1", .decider = policy::Policy(Eyewitness(told)), .history = history});
  const auto a = runtime.data(x);
  runtime.submit(kernel, rw(a));
  runtime.wait();
  return told->front();
}

Measured measured(std::size_t size, const std::vector<Time>& durations, const std::string& class_name = "cpu2") {
  return {"touch", {{size, 1, sizeof(double)}}, class_name, Estimate(durations.size(), durations)};
}
Measured measured(std::size_t size, Time duration) {
  return measured(size, {duration, duration});
}

void run_touch(const Config& config, int times) {
  std::vector<double> x(100);
  Runtime runtime(config);
  const auto a = runtime.data(x);
  for (int i = 0; i < times; ++i) runtime.submit(kTouch, rw(a));
  runtime.wait();
}

TEST(PerformanceModel, GoesOnFromFormerRuns) {
  const Scratch scratch;
  const std::string path = scratch.path("h");
  for (std::uint64_t run = 1; run <= 3; ++run) {
    run_touch({.workers = "cpu=1", .history = path}, 50);
    const auto entries = History(path, this_machine()).read();
    ASSERT_EQ(entries.size(), 1U);
    EXPECT_EQ(entries[0].kernel, "touch");
    EXPECT_EQ(entries[0].class_name, "cpu");
    EXPECT_EQ(entries[0].duration.count(), 50 * run);
  }
}

TEST(PerformanceModel, RuntimesThatRunAtOnceAddUp) {
  const Scratch scratch;
  const std::string path = scratch.path("h");
  {
    std::vector<double> x(100);
    Runtime runtime({.workers = "cpu=1", .history = path});
    const auto a = runtime.data(x);
    for (int i = 0; i < 30; ++i) runtime.submit(kTouch, rw(a));
    run_touch({.workers = "cpu=1", .history = path}, 20);
    runtime.wait();
  }
  EXPECT_EQ(History(path, this_machine()).read().at(0).duration.count(), 50U);
}

TEST(PerformanceModel, ReportsAHistoryThatCannotBeReadOnce) {
  const Scratch scratch;
  const std::string path = scratch.write("thesis", "Chapter 1");
  std::vector<std::string> warnings;
  run_touch(
      {.workers = "cpu=1", .history = path, .warn = [&](const std::string& sentence) { warnings.push_back(sentence); }},
      3);
  EXPECT_THAT(warnings, testing::ElementsAre("'" + path + "' is not a history of durations; it is unchanged"));
}

TEST(PerformanceModel, KeepsNothingWhenToldSo) {
  const Scratch scratch;
  run_touch({.workers = "cpu=1", .history = ""}, 3);
  EXPECT_TRUE(scratch.files().empty());
}

TEST(PerformanceModel, TellsWhatWasMeasuredBefore) {
  const Scratch scratch;
  const History history(scratch.path("h"), this_machine());
  history.add(std::vector{measured(700, 123 * kMicrosecond)});
  EXPECT_EQ(told(kTouch, history.path(), 700), 123 * kMicrosecond);
}

TEST(PerformanceModel, TellsTheTimeOfTheQuickestImplementation) {
  const Scratch scratch;
  const History history(scratch.path("h"), this_machine());
  const Kernel two("touch", on_cpu([](Vector x) { x[0] += 1; }), on_cpu([](Vector x) { x[0] += 1; }).named("other"));
  for (const std::size_t size : {700U, 1400U}) {
    for (const Time factor : {9, 3}) {
      Measured entry = measured(size, static_cast<Time>(size) * factor * kMicrosecond);
      entry.variant = factor == 3 ? "other" : "";
      history.add(std::vector{entry});
    }
  }
  EXPECT_EQ(told(two, history.path(), 700), 2100 * kMicrosecond);
  EXPECT_NEAR(static_cast<double>(told(two, history.path(), 2800)), 8400e6, 1e6) << "the law of the quickest";
  EXPECT_EQ(told(kTouch, history.path(), 700), 6300 * kMicrosecond) << "of a kernel that has no other";
}

TEST(PerformanceModel, FollowsThePowerLawOfOtherSizes) {
  const Scratch scratch;
  const History history(scratch.path("h"), this_machine());
  for (const std::size_t size : {1000U, 2000U, 4000U, 8000U}) {
    history.add(std::vector{measured(size, static_cast<Time>(size * size) * 1000)});
  }
  EXPECT_NEAR(static_cast<double>(told(kTouch, history.path(), 3000)), 9e9, 1e7);
  EXPECT_NEAR(static_cast<double>(told(kTouch, history.path(), 16'000)), 256e9, 1e8);
}

TEST(PerformanceModel, BelievesOfAnUnknownClassHalfOfWhatTheOthersFollow) {
  const Scratch scratch;
  const History history(scratch.path("h"), this_machine());
  for (const std::size_t size : {1000U, 2000U}) {
    Measured one = measured(size, static_cast<Time>(size) * kMicrosecond);
    one.class_name = "cpu";
    history.add(std::vector{one});
  }
  EXPECT_NEAR(static_cast<double>(told(kTouch, history.path(), 4000)), 2000e6, 1e6);
}

TEST(PerformanceModel, BelievesThatTimeIsProportionalToTheBytesWhereOneOtherSizeIsKnown) {
  const Measured own = measured(1000, 300 * kMicrosecond);
  const Measured other = measured(1000, {100 * kMicrosecond, 100 * kMicrosecond}, "cpu");
  const Measured here = measured(4000, {800 * kMicrosecond, 800 * kMicrosecond}, "cpu");
  const auto told_with = [](const std::vector<Measured>& known) {
    const Scratch scratch;
    const History history(scratch.path("h"), this_machine());
    history.add(known);
    return static_cast<double>(told(kTouch, history.path(), 4000));
  };
  EXPECT_NEAR(told_with({own}), 1200e6, 1e4);
  EXPECT_NEAR(told_with({own, other}), 1200e6, 1e4) << "of the class itself";
  EXPECT_NEAR(told_with({other}), 200e6, 1e4) << "half of what the others take";
  EXPECT_NEAR(told_with({own, here}), 400e6, 1e4) << "what is known of this size tells more";
  EXPECT_NEAR(told_with({measured(1000, 10 * kMicrosecond), here}), 40e6, 1e4) << "unless it is less";
}

/// One measurement, a thousand times too long, keeps no class from being given tasks.
TEST(PerformanceModel, AnAccidentIsNotBelievedHoweverFewMeasurementsThereAre) {
  const Time usual = 100 * kMicrosecond;
  for (const std::size_t count : {1U, 2U, 3U, 4U, 5U, 16U}) {
    for (std::size_t accident = 0; accident < count; ++accident) {
      const Scratch scratch;
      const History history(scratch.path("h"), this_machine());
      std::vector<Time> durations(count, usual);
      durations[accident] *= 1000;
      history.add(std::vector{measured(700, durations), measured(700, {3 * usual, 3 * usual}, "cpu")});
      EXPECT_LE(told(kTouch, history.path(), 700), 3 * usual / 2) << accident << " of " << count;
    }
  }
}

TEST(PerformanceModel, AClassThatIsSlowIsBelievedToBeWhenItWasMeasuredTwice) {
  const Scratch scratch;
  const History history(scratch.path("h"), this_machine());
  const Time slow = 50 * kMillisecond;
  history.add(std::vector{measured(700, std::vector<Time>{slow}), measured(700, {kMillisecond, kMillisecond}, "cpu")});
  EXPECT_LE(told(kTouch, history.path(), 700), kMillisecond);
  history.add(std::vector{measured(700, std::vector<Time>{slow})});
  EXPECT_EQ(told(kTouch, history.path(), 700), slow);
}

/// A model of a kernel on one class that takes `picoseconds` per byte at each of `count` sizes.
KernelModel proportional(std::size_t count, Time picoseconds) {
  KernelModel model;
  for (std::size_t i = 1; i <= count; ++i) {
    const std::vector<Shape> shapes{{i, 1, 1}};
    model.signatures[shapes].resize(1);
    const Time duration = static_cast<Time>(i) * picoseconds;
    model.signatures[shapes][0][""].measured = Estimate(2, std::vector{duration, duration});
    model.note_measured(shapes, 0);
  }
  return model;
}

void measure_again(KernelModel& model, Time picoseconds) {
  for (auto& [shapes, signature] : model.signatures) {
    const auto duration = static_cast<Time>(size_of(shapes)) * picoseconds;
    signature[0][""].measured = Estimate(2, std::vector{duration, duration});
  }
}

TEST(KernelModel, OfFewShapesTheLawFollowsEachMeasurement) {
  KernelModel model = proportional(7, 1000);
  EXPECT_FALSE(model.law(1)) << "nothing was measured there";
  EXPECT_NEAR(static_cast<double>((*model.law(0))(100)), 100e3, 10);
  measure_again(model, 2000);
  EXPECT_NEAR(static_cast<double>((*model.law(0))(100)), 200e3, 10);
}

TEST(KernelModel, OfManyShapesTheLawIsFittedOnceForAsManyQuestionsAsAnEighthOfThem) {
  KernelModel model = proportional(8000, 1000);
  EXPECT_NEAR(static_cast<double>((*model.law(0))(100)), 100e3, 10);
  measure_again(model, 2000);
  for (int question = 0; question < 1000; ++question) {
    ASSERT_NEAR(static_cast<double>((*model.law(0))(100)), 100e3, 10) << question;
  }
  EXPECT_NEAR(static_cast<double>((*model.law(0))(100)), 200e3, 10);
}

TEST(KernelModel, AShapeCountsOnceHoweverManyImplementationsWereMeasured) {
  KernelModel model = proportional(7, 1000);
  for (auto& [shapes, signature] : model.signatures) {
    for (int variant = 0; variant < 10; ++variant) {
      signature[0]["other" + std::to_string(variant)].measured = Estimate(1, std::vector{kSecond});
      model.note_measured(shapes, 0);
    }
  }
  EXPECT_NEAR(static_cast<double>((*model.law(0))(100)), 100e3, 10) << "of the quickest";
  measure_again(model, 2000);
  EXPECT_NEAR(static_cast<double>((*model.law(0))(100)), 200e3, 10) << "which was fitted anew";
}

TEST(PerformanceModel, FollowsNoLawOfAnotherPrecision) {
  const Scratch scratch;
  const History history(scratch.path("h"), this_machine());
  for (const std::size_t size : {1000U, 2000U}) history.add(std::vector{measured(size, kMicrosecond)});
  const Kernel single("touch", on_cpu([](std::span<float> x) { x[0] += 1; }));
  EXPECT_EQ(told(single, history.path(), 3000), kMillisecond) << "what is believed of the unknown";
  EXPECT_NEAR(static_cast<double>(told(kTouch, history.path(), 3000)), kMicrosecond, 1000);
}

TEST(PerformanceModel, AHistoryThatCannotBeUsedIsReportedAndDoneWithout) {
  const Scratch scratch;
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& sentence) { warnings.push_back(sentence); };
  run_touch({.workers = "cpu=1", .history = scratch.write("file", "") + "/h", .warn = warn}, 3);
  EXPECT_EQ(warnings.size(), 1U);
  warnings.clear();
  History(scratch.path("damaged"), "toy").prepare();
  std::filesystem::resize_file(scratch.path("damaged"), 100);
  run_touch({.workers = "cpu=1", .history = scratch.path("damaged"), .warn = warn}, 3);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("set aside"), std::string::npos);
  EXPECT_EQ(History(scratch.path("damaged"), this_machine()).read().size(), 1U);
}

}  // namespace
}  // namespace heddle::runtime
