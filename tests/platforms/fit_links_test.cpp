// Links of machines whose numbers of workers are not those that were measured.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/platform.hpp"
#include "heddle/model/routes.hpp"
#include "heddle/platforms/platforms.hpp"

namespace heddle::platforms {
namespace {

/// Everything of a link but its ends; "" when there is no such link.
std::string speed(const Machine& machine, const std::string& from, const std::string& to) {
  const auto found =
      std::ranges::find_if(machine.links, [&](const Link& link) { return link.from == from && link.to == to; });
  if (found == machine.links.end()) return "";
  std::string text = std::to_string(found->bandwidth) + " " + std::to_string(found->latency);
  for (const std::string& bus : found->via) text += " " + bus;
  return text;
}

/// "gpu0>ram ram>gpu0"
std::string ends(const Machine& machine) {
  std::string text;
  for (const Link& link : machine.links) text += (text.empty() ? "" : " ") + link.from + ">" + link.to;
  return text;
}

/// Some data can go from everywhere to everywhere; throws otherwise.
void expect_routes(const Machine& machine) {
  EXPECT_NO_THROW(Routes(Platform(machine.classes, machine.links, machine.buses)));
}

Machine toy(std::uint32_t gpus, std::vector<Link> links) {
  Machine machine;
  machine.name = "toy";
  machine.classes = {
      {"cpu", 2, "ram", std::nullopt}, {"fpga", 0, "each", std::nullopt}, {"gpu", gpus, "each", std::nullopt}};
  machine.links = std::move(links);
  return machine;
}

std::string error_of(const Machine& machine, std::string_view settings) {
  try {
    (void)configure(machine, settings, Links::measured);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(NewWorkers, CopyTheLinksOfThoseThatWereMeasuredInTurn) {
  const Machine measured = builtin("mirage");
  const Machine machine = resolve("mirage:gpu=5,links=measured");
  const std::vector<std::string> original{"gpu0", "gpu1", "gpu2", "gpu0", "gpu1"};
  for (std::size_t gpu = 0; gpu < original.size(); ++gpu) {
    const std::string name = "gpu" + std::to_string(gpu);
    EXPECT_EQ(speed(machine, name, "ram"), speed(measured, original[gpu], "ram")) << name;
    EXPECT_EQ(speed(machine, "ram", name), speed(measured, "ram", original[gpu])) << name;
    for (std::size_t other = 0; other < original.size(); ++other) {
      if (original[gpu] == original[other]) continue;
      EXPECT_EQ(speed(machine, name, "gpu" + std::to_string(other)), speed(measured, original[gpu], original[other]))
          << name << " to gpu" << other;
    }
  }
  EXPECT_NE(speed(machine, "gpu4", "gpu2"), "");
  EXPECT_EQ(speed(machine, "gpu3", "gpu2"), "") << "gpu0 is no peer of the others";
  expect_routes(machine);
}

TEST(NewWorkers, AreJoinedWithTheirOriginalAsItIsWithItsFirstPeer) {
  const Machine measured = builtin("mirage");
  const Machine machine = resolve("mirage:gpu=8,links=measured");
  for (const auto& [one, other] : {std::pair("gpu1", "gpu4"), std::pair("gpu1", "gpu7"), std::pair("gpu4", "gpu7")}) {
    EXPECT_EQ(speed(machine, one, other), speed(measured, "gpu1", "gpu2"));
    EXPECT_EQ(speed(machine, other, one), speed(measured, "gpu2", "gpu1"));
  }
  EXPECT_EQ(speed(machine, "gpu2", "gpu5"), speed(measured, "gpu2", "gpu1"));
  EXPECT_EQ(speed(machine, "gpu0", "gpu3"), "") << "gpu0 has no peer, so both go by way of ram";
  EXPECT_EQ(machine.links.size(), 2U * 8 + 5 * 4);
  expect_routes(machine);
}

TEST(NewWorkers, BringNoBusesOfTheirOwn) {
  const auto names = [](const Machine& machine) {
    std::vector<std::string> result;
    for (const Bus& bus : machine.buses) result.push_back(bus.name);
    return result;
  };
  EXPECT_EQ(names(resolve("mirage:gpu=7,links=measured")), names(builtin("mirage")));
}

TEST(NewWorkers, ChangeNothingForThoseThatWereMeasured) {
  for (const std::string name : {"mirage", "sirocco", "idgraf", "attila", "hannibal"}) {
    const Machine measured = builtin(name);
    const Machine more = resolve(name + ":gpu=9,links=measured");
    for (const Link& link : measured.links) {
      EXPECT_EQ(speed(more, link.from, link.to), speed(measured, link.from, link.to)) << name;
    }
    expect_routes(more);
  }
}

TEST(NewWorkers, OfASingleDeviceMeetByWayOfRam) {
  const Machine one = toy(1, {{"ram", "gpu0", 2e9, 5, {}}, {"gpu0", "ram", 1e9, 7, {}}});
  const Machine two = configure(one, "gpu=2", Links::measured);
  EXPECT_EQ(ends(two), "ram>gpu0 ram>gpu1 gpu0>ram gpu1>ram");
  EXPECT_EQ(speed(two, "gpu1", "ram"), speed(one, "gpu0", "ram"));
  expect_routes(two);
}

TEST(NewWorkers, OnSharedMemoryNeedNoLinks) {
  EXPECT_EQ(ends(resolve("mirage:cpu=100,links=measured")), ends(builtin("mirage")));
}

TEST(NewWorkers, AreRefusedWhereThereAreNoLinksToCopy) {
  const Machine machine = toy(1, {{"ram", "gpu0", 2e9, 5, {}}, {"gpu0", "ram", 1e9, 7, {}}});
  EXPECT_EQ(error_of(machine, "fpga=1"),
            "platform 'toy' has no measured links for any worker of class 'fpga', so new ones have none to copy; ask "
            "for fpga=0 or for links=off");
  EXPECT_EQ(configure(machine, "fpga=1,links=off", Links::measured).links.size(), 0U);
}

TEST(NewWorkers, AreRefusedBeforeTheirLinksFillTheMemory) {
  EXPECT_NO_THROW((void)resolve("mirage:gpu=255,links=measured"));
  EXPECT_EQ(error_of(builtin("mirage"), "gpu=256"),
            "platform 'mirage' would have 257 memories with links; expected at most 256, or links=off");
  EXPECT_THROW((void)resolve("mirage:gpu=1000000,links=measured"), InputError);
  EXPECT_EQ(resolve("mirage:gpu=1000").classes.back().workers, 1000U);
}

TEST(FewerWorkers, KeepTheirLinksInTheirOrder) {
  EXPECT_EQ(ends(resolve("mirage:gpu=2,links=measured")), "gpu0>ram ram>gpu0 gpu1>ram ram>gpu1");
}

// With 21 cores, "cpu20" would name two workers, so that the one with a memory of its own is called otherwise.
TEST(Links, FollowAWorkerThatGetsAnotherName) {
  Machine machine;
  machine.name = "toy";
  machine.classes = {{"cpu", 20, "ram", std::nullopt}, {"cpu2", 1, "each", std::nullopt}};
  machine.links = {{"ram", "cpu20", 2e9, 5, {}}, {"cpu20", "ram", 1e9, 7, {}}};
  EXPECT_EQ(ends(configure(machine, "cpu=21", Links::measured)), "ram>cpu2.0 cpu2.0>ram");
}

TEST(IdleClasses, RemainUntilTheyAreTakenOut) {
  const Machine machine = configure(builtin("kumar-2017"), "", Links::off);
  EXPECT_EQ(machine.classes.size(), builtin("kumar-2017").classes.size());
  EXPECT_EQ(without_idle_classes(machine).classes.size(), 2U);
}

}  // namespace
}  // namespace heddle::platforms
