#include "heddle/io/starpu/sampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "heddle/io/starpu/footprint.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A sampling folder of two hosts in the test's temporary folder.
class Sampling : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("sampling-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    write("bus/twin.config", "4 # Number of CPUs\n2 # CUDA\n");
    write("bus/twin.bandwidth", "# to 0\t\tto 1\t\tto 2\n0 100 200\n300 0 400\n500 nan 0\n");
    write("bus/twin.latency", "0 1 2\n3 0 4\n5 6 0\n");
    write("bus/other.config", "2\n0\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }

  /// A performance model with one entry, the same for a CPU core and GPU 0.
  static std::string model(const std::string& entry) {
    const std::string regressions = "1\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n";
    return "45\n2\n1 0 0 1 1\n" + regressions + entry + "\n1 1 0 1 1\n" + regressions + entry + "\n";
  }

  [[nodiscard]] SampledMachine read(const std::string& host = "twin", Devices devices = Devices::pooled) const {
    return read_starpu_machine(folder_.string(), host, devices);
  }

  fs::path folder_;
};

TEST_F(Sampling, HostsAreThoseWithABus) {
  EXPECT_THAT(starpu_hosts(folder_.string()), ElementsAre("other", "twin"));
  EXPECT_THAT(starpu_hosts((folder_ / "nothing").string()), IsEmpty());
}

TEST_F(Sampling, ACoreDrivesEachGpu) {
  const Machine machine = read().machine;
  EXPECT_EQ(machine.name, "twin");
  ASSERT_EQ(machine.classes.size(), 2U);
  EXPECT_EQ(machine.classes[0].name, "cpu");
  EXPECT_EQ(machine.classes[0].workers, 2U);
  EXPECT_EQ(machine.classes[1].name, "gpu");
  EXPECT_EQ(machine.classes[1].workers, 2U);
  EXPECT_EQ(machine.classes[1].memory, "each");
}

TEST_F(Sampling, DevicesMayBeClassesOfTheirOwn) {
  const std::string regressions = "1\n0 0 0 0 nan nan 0 0 0\nnan nan nan\n0\n";
  const auto entry = [](const char* footprint, const char* mean) {
    return std::string(footprint) + " 8 0 " + mean + " 0 0 0 1\n";
  };
  const auto device = [&](const char* number, const std::string& entries, const char* count) {
    return std::string("1 1 ") + number + " 1 1\n" + count + regressions.substr(1) + entries;
  };
  write("a.twin", "45\n3\n1 0 0 1 1\n" + regressions + entry("aa", "90") + device("1", entry("aa", "20"), "1") +
                      device("0", entry("aa", "10") + entry("bb", "30"), "2"));
  const Machine machine = read("twin", Devices::apart).machine;
  ASSERT_EQ(machine.classes.size(), 3U);
  EXPECT_EQ(machine.classes[1].name + machine.classes[1].memory, "gpu0gpu0");
  EXPECT_EQ(machine.classes[2].workers, 1U);
  ASSERT_EQ(machine.kernels.size(), 2U);
  const auto seconds = [&](std::size_t kernel) {
    std::string all;
    for (const auto& one : machine.kernels[kernel].seconds) {
      all += one.class_name + " " + std::to_string(one.duration / kMicrosecond) + " ";
    }
    return all;
  };
  EXPECT_EQ(seconds(0), "cpu 90 gpu0 10 gpu1 20 ");
  EXPECT_EQ(seconds(1), "gpu0 30 gpu1 30 ") << "the second device has none of its own";
  EXPECT_EQ(Platform(machine.classes, machine.links).worker_count(), 4U);
}

TEST_F(Sampling, LinksAreThoseMeasured) {
  const SampledMachine sampled = read();
  const std::vector<Link>& links = sampled.machine.links;
  ASSERT_EQ(links.size(), 5U);
  EXPECT_EQ(links[0].from + " " + links[0].to, "ram gpu0");
  EXPECT_EQ(links[0].bandwidth, 1e8);
  EXPECT_EQ(links[1].latency, 2 * kMicrosecond);
  EXPECT_EQ(links[3].from + " " + links[3].to, "gpu0 gpu1");
  EXPECT_THAT(sampled.warnings, IsEmpty());
  EXPECT_EQ(Platform(sampled.machine.classes, links).worker_count(), 4U);
}

TEST_F(Sampling, NumaNodesComeBeforeTheGpus) {
  write("bus/twin.affinity", "# GPU\tNUMA0\tNUMA1\n0\t0\t1\n");
  write("bus/twin.bandwidth", "0 9 100 200\n9 0 8 8\n300 9 0 400\n500 8 70 0\n");
  write("bus/twin.latency", "0 0 1 2\n0 0 0 0\n3 0 0 4\n5 0 6 0\n");
  const SampledMachine sampled = read();
  ASSERT_EQ(sampled.machine.links.size(), 6U);
  EXPECT_EQ(sampled.machine.links[0].bandwidth, 1e8);
  EXPECT_EQ(sampled.machine.links[3].bandwidth, 4e8);
  EXPECT_THAT(sampled.warnings, ElementsAre(HasSubstr("several NUMA nodes")));
}

TEST_F(Sampling, ACopyStagedInMainMemoryIsNoLink) {
  write("bus/twin.affinity", "# GPU\tNUMA0\n0\t0\n");
  // From gpu0 to gpu1 below two thirds of the slower hop, back just there.
  write("bus/twin.bandwidth", "0 90 300\n120 0 79\n90 60 0\n");
  write("bus/twin.latency", "0 1 2\n3 0 4\n5 6 0\n");
  const std::vector<Link> links = read().machine.links;
  ASSERT_EQ(links.size(), 5U);
  EXPECT_TRUE(std::ranges::none_of(links, [](const Link& link) { return link.from == "gpu0" && link.to == "gpu1"; }));
}

TEST_F(Sampling, MissingMeasurementsAreTold) {
  fs::remove(folder_ / "bus/twin.latency");
  EXPECT_THAT(read().warnings, ElementsAre(HasSubstr("transfers are free")));
  write("bus/twin.latency", "0 1 2\n3 0 4\nnan 6 0\n");
  EXPECT_THAT(read().warnings, ElementsAre(HasSubstr("no measured link from gpu1 to ram")));
}

TEST_F(Sampling, AMachineWithoutGpusHasOneClass) {
  const SampledMachine sampled = read("other");
  ASSERT_EQ(sampled.machine.classes.size(), 1U);
  EXPECT_EQ(sampled.machine.classes[0].workers, 2U);
  EXPECT_THAT(sampled.warnings, IsEmpty());
}

TEST_F(Sampling, KernelsOfSquareTilesHaveBothKeys) {
  const std::string footprint = format_footprint(tiles_footprint(64, 2));
  write("chol_model_trsm.twin", model(footprint + " 32768 0 10 0 0 0 3"));
  write("starpu_dlu_lu_model_trsm_ru.twin", model(footprint + " 65536 0 10 0 0 0 3"));
  write("starpu_slu_lu_model_trsm_ll.twin", model("aa 32768 0 10 0 0 0 3"));
  write("mine.twin", model(footprint + " 32768 0 10 0 0 0 3"));
  write("chol_model_trsm.other", model("broken"));
  const std::vector<KernelTiming> kernels = read().machine.kernels;
  ASSERT_EQ(kernels.size(), 4U);
  EXPECT_EQ(kernels[0].kernel, "TRSM");
  EXPECT_EQ(kernels[0].tile, 64);
  EXPECT_EQ(kernels[0].precision, "single");
  EXPECT_EQ(kernels[0].footprint, footprint);
  ASSERT_EQ(kernels[0].seconds.size(), 2U);
  EXPECT_EQ(kernels[0].seconds[1].class_name, "gpu");
  EXPECT_EQ(kernels[0].seconds[1].duration, 10 * kMicrosecond);
  EXPECT_EQ(kernels[1].codelet + kernels[1].kernel, "mine");
  EXPECT_EQ(kernels[2].kernel + kernels[2].precision, "TRSM_Udouble");
  EXPECT_EQ(kernels[3].kernel, "");
}

TEST_F(Sampling, TheVersionedLayoutIsPreferred) {
  write("a.twin", model("aa 8 0 10 0 0 0 3"));
  write("codelets/45/b.twin", model("aa 8 0 10 0 0 0 3"));
  const std::vector<KernelTiming> kernels = read().machine.kernels;
  ASSERT_EQ(kernels.size(), 1U);
  EXPECT_EQ(kernels[0].codelet, "b");
}

TEST_F(Sampling, AnUnknownHostIsToldWithTheKnownOnes) {
  try {
    static_cast<void>(read("nobody"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("found no bus/nobody.config"));
    EXPECT_THAT(error.what(), HasSubstr("(it knows other, twin)"));
  }
}

}  // namespace
}  // namespace heddle::io
