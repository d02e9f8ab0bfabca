#include "heddle/platforms/platforms.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "heddle/model/error.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/workload/workload.hpp"

namespace heddle::platforms {
namespace {

/// What the InputError says that resolving the text throws; "" when it throws none.
std::string error_of(std::string_view text) {
  try {
    (void)resolve(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// "cpu=9 gpu=3"
std::string workers(const Machine& machine) {
  std::string text;
  for (const ResourceClass& c : machine.classes) {
    text += (text.empty() ? "" : " ") + c.name + "=" + std::to_string(c.workers);
  }
  return text;
}

TEST(Builtin, HasTheWorkersOfTheRules) {
  const std::map<std::string, std::string> expected{
      {"kumar-2017", "cpu=20 gpu=4"}, {"mirage", "cpu=9 gpu=3"}, {"mirage-relative", "cpu=9 gpu=3"},
      {"sirocco", "cpu=20 gpu=4"},    {"idgraf", "cpu=4 gpu=8"}, {"attila", "cpu=9 gpu=3"},
      {"hannibal", "gpu=3"},
  };
  std::map<std::string, std::string> found;
  for (const Entry& entry : entries()) found[std::string(entry.name)] = workers(resolve(entry.name));
  EXPECT_EQ(found, expected);
}

TEST(Builtin, IsAPlatformWithItsMeasuredLinks) {
  for (const Entry& entry : entries()) {
    const Machine machine = builtin(entry.name);
    const Platform platform(machine.classes, machine.links, machine.buses);
    EXPECT_EQ(machine.name, entry.name);
    EXPECT_TRUE(platform.find_memory("ram"));
  }
  const Machine mirage = builtin("mirage");
  EXPECT_EQ(mirage.links.size(), 8U);  // gpu0 is no peer of the others
  EXPECT_EQ(mirage.classes[1].memory_bytes, 5'636'554'752);
  EXPECT_EQ(builtin("kumar-2017").links.size(), 0U);
}

std::string sizes(const std::string& platform, const std::string& workload) {
  const Instance instance = heddle::workload::generate(workload + ":tiles=1", resolve(platform));
  return std::to_string(instance.graph.datum(DataId{0}).bytes);
}

TEST(Builtin, ServesTheWorkloadsOfTheRules) {
  const std::string single = std::to_string(960 * 960 * 4);
  const std::string twice = std::to_string(960 * 960 * 8);
  for (const std::string machine : {"mirage", "sirocco", "attila", "idgraf"}) {
    EXPECT_EQ(sizes(machine, "cholesky"), single);
    EXPECT_EQ(sizes(machine, "lu"), twice);
    EXPECT_EQ(sizes(machine, "gemm"), twice);
  }
  EXPECT_EQ(sizes("hannibal", "cholesky"), single);
  EXPECT_EQ(sizes("hannibal", "lu"), single);
  for (const std::string workload : {"cholesky", "lu", "qr"}) EXPECT_EQ(sizes("kumar-2017", workload), twice);
  EXPECT_EQ(sizes("mirage-relative", "cholesky"), twice);
}

Time gpu_time(const std::string& workload, const std::string& platform) {
  const Instance instance = heddle::workload::generate(workload, resolve(platform));
  const TaskId last = make_id<TaskId>(instance.graph.task_count() - 1);
  EXPECT_EQ(instance.graph.type_name(instance.graph.type(last)), "GEMM");
  return instance.costs.actual(last, make_id<ClassId>(instance.platform.class_count() - 1));
}

// sgemm and dgemm have measured few square tiles: where they have not, LU's GEMM stands in.
TEST(Builtin, GemmTakesItsOwnMeasurementsWhereTilesAreSquare) {
  EXPECT_EQ(gpu_time("gemm:tiles=1,precision=single", "mirage"), 2'874'620'600);
  EXPECT_EQ(gpu_time("gemm:tiles=1,precision=single,tile=640", "attila"), 893'670'000);
  EXPECT_EQ(gpu_time("gemm:tiles=1", "sirocco"), 1'737'537'500);
}

TEST(Resolve, SetsWorkersInTheOrderOfThePlatform) {
  EXPECT_EQ(workers(resolve("mirage:gpu=2,cpu=5")), "cpu=5 gpu=2");
  EXPECT_EQ(workers(resolve("kumar-2017:cpu=0,cpu10=2")), "cpu10=2 gpu=4");
  EXPECT_EQ(workers(resolve("kumar-2017:cpu5=1")), "cpu=20 cpu5=1 gpu=4");
  EXPECT_EQ(workers(resolve("mirage:")), "cpu=9 gpu=3");
}

TEST(Resolve, DropsTheTimesOfClassesWithoutWorkers) {
  for (const KernelTiming& timing : resolve("mirage:gpu=0").kernels) {
    ASSERT_EQ(timing.seconds.size(), 1U);
    EXPECT_EQ(timing.seconds[0].class_name, "cpu");
  }
}

TEST(Resolve, HasLinksOnlyOnDemand) {
  EXPECT_TRUE(resolve("mirage").links.empty());
  EXPECT_TRUE(resolve("mirage:links=off").buses.empty());
  EXPECT_EQ(resolve("mirage:links=measured").links.size(), 8U);
}

TEST(Resolve, KeepsTheLinksOfTheWorkersThatRemain) {
  const Machine machine = resolve("mirage:gpu=1,links=measured");
  ASSERT_EQ(machine.links.size(), 2U);
  EXPECT_EQ(machine.links[0].from, "gpu0");
  EXPECT_EQ(machine.links[0].to, "ram");
  for (const Bus& bus : machine.buses) {
    EXPECT_TRUE(std::ranges::any_of(machine.links, [&](const Link& link) {
      return std::ranges::find(link.via, bus.name) != link.via.end();
    })) << bus.name;
  }
  EXPECT_NO_THROW(Platform(machine.classes, machine.links, machine.buses));
}

TEST(Resolve, HasNoLinksWhereNoneWereMeasured) {
  EXPECT_EQ(error_of("kumar-2017:links=measured"), "platform 'kumar-2017' has no measured links");
  EXPECT_EQ(workers(resolve("mirage:gpu=5")), "cpu=9 gpu=5");
}

TEST(Resolve, ErrorsNameTheNearestAndThePossible) {
  EXPECT_EQ(error_of("mirge"),
            "there is no platform 'mirge'; did you mean 'mirage'? (possible: kumar-2017, mirage, mirage-relative, "
            "sirocco, idgraf, attila, hannibal, counts)");
  EXPECT_EQ(error_of("mirage:cuda=3"), "platform 'mirage': there is no class 'cuda'; did you mean 'gpu'?");
  EXPECT_EQ(error_of("mirage:link=off"),
            "platform 'mirage' has no class or option 'link'; did you mean 'links'? (possible: cpu, gpu, links)");
  EXPECT_EQ(error_of("hannibal:cpu=4"),
            "platform 'hannibal' has no class or option 'cpu'; did you mean 'gpu'? "
            "(possible: gpu, links)");
  EXPECT_EQ(error_of("mirage:links=true"), "platform 'mirage': option 'links' is 'true'; expected off|measured");
  EXPECT_EQ(error_of("mirage:links=mesured"),
            "platform 'mirage': option 'links' is 'mesured'; expected off|measured; did you mean 'measured'?");
  EXPECT_EQ(error_of("mirage:cpu"), "platform 'mirage': 'cpu' is not an option; expected key=value");
  EXPECT_EQ(error_of("mirage:cpu=1,cpu=2"), "platform 'mirage': option 'cpu' is given twice");
}

TEST(Resolve, RefusesNumbersOfWorkersThatCannotBe) {
  for (const std::string bad : {"-1", "", "two", "1.5", "1000001", "99999999999999999999"}) {
    EXPECT_EQ(error_of("mirage:cpu=" + bad), "platform 'mirage': the number of workers of class 'cpu' is '" + bad +
                                                 "'; expected a whole number in 0..1000000");
  }
  EXPECT_EQ(error_of("mirage:cpu=0,gpu=0"), "platform 'mirage' has no worker left");
}

TEST(Counts, GiveOnlyTheWorkers) {
  const Machine machine = resolve("counts:cpu=16,gpu=4");
  EXPECT_EQ(workers(machine), "cpu=16 gpu=4");
  EXPECT_EQ(machine.classes[0].memory, "ram");
  EXPECT_EQ(machine.classes[1].memory, "each");
  EXPECT_TRUE(machine.kernels.empty());
  EXPECT_EQ(workers(resolve("counts:cpu=2,cpu5=0,fpga=1")), "cpu=2 fpga=1");
}

TEST(Counts, RefuseWhatTheyCannotBe) {
  EXPECT_EQ(error_of("counts"),
            "platform 'counts' needs the number of workers of each class, e.g. counts:cpu=16,gpu=4");
  EXPECT_EQ(error_of("counts:cuda=1"), "platform 'counts': there is no class 'cuda'; did you mean 'gpu'?");
  EXPECT_EQ(error_of("counts:cpu=2,links=measured"), "platform 'counts' has no links; a platform file can have some");
  EXPECT_NE(error_of("counts:cpu=0"), "");
}

TEST(Configure, KeepsTheLinksOfAFileUnlessToldOtherwise) {
  EXPECT_EQ(configure(builtin("attila"), "", Links::measured).links.size(), 12U);
  EXPECT_EQ(configure(builtin("attila"), "links=off", Links::measured).links.size(), 0U);
}

TEST(IsKnown, TellsAPlatformFromAFile) {
  EXPECT_TRUE(is_known("mirage"));
  EXPECT_TRUE(is_known("mirage:cpu=3"));
  EXPECT_TRUE(is_known("counts:cpu=3"));
  EXPECT_FALSE(is_known("mirage.json"));
  EXPECT_FALSE(is_known(""));
}

}  // namespace
}  // namespace heddle::platforms
