// A scheduling context per socket, on machines that hwloc is told of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/runtime/runtime.hpp"
#include "heddle/runtime/submission/socket_contexts.hpp"
#include "heddle/runtime/threads/cores.hpp"
#include "tests/runtime/fake_device.hpp"
#include "tests/runtime/valid_trace.hpp"
#include "tests/support/scratch.hpp"

namespace heddle::runtime {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

/// hwloc sees this machine instead of the real one, as long as this lives.
class Machine {
 public:
  explicit Machine(const std::string& synthetic) : Machine("HWLOC_SYNTHETIC", synthetic) {}
  [[nodiscard]] static Machine of_file(const std::string& path) { return {"HWLOC_XMLFILE", path}; }
  ~Machine() { unsetenv(variable_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

 private:
  Machine(const char* variable, const std::string& value) : variable_(variable) { setenv(variable, value.c_str(), 1); }

  const char* variable_;
};

/// A machine with a socket for each of these numbers of cores, as hwloc writes it, and at each a GPU: 0000:01:00.0 at
/// the first one, 0000:02:00.0 at the second one.
std::string machine_with(const std::vector<int>& sockets) {
  unsigned next = 1;  // a number that hwloc wants each object to have
  const auto object = [&](const std::string& type, const std::string& rest) {
    return "<object type=\"" + type + "\" gp_index=\"" + std::to_string(next++) + "\" " + rest;
  };
  const auto mask = [](unsigned bits) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%x", bits);
    return std::string(text);
  };
  const auto place = [&](unsigned number, unsigned cores, unsigned nodes) {
    return "os_index=\"" + std::to_string(number) + "\" cpuset=\"" + mask(cores) + "\" complete_cpuset=\"" +
           mask(cores) + "\" nodeset=\"" + mask(nodes) + "\" complete_nodeset=\"" + mask(nodes) + "\"";
  };
  std::string inside;
  unsigned core = 0;
  for (unsigned socket = 0; socket < sockets.size(); ++socket) {
    const unsigned node = 1U << socket;
    const unsigned cores = ((1U << sockets[socket]) - 1) << core;
    inside += object("Package", place(socket, cores, node) + ">");
    inside += object("NUMANode", place(socket, cores, node) + "/>");
    for (const unsigned end = core + static_cast<unsigned>(sockets[socket]); core < end; ++core) {
      inside += object("Core", place(core, 1U << core, node) + ">") +
                object("PU", place(core, 1U << core, node) + "/>") + "</object>";
    }
    const std::string bus = "0" + std::to_string(socket + 1);
    inside += object("Bridge", "bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[" + bus + "-" + bus + "]\">") +
              object("PCIDev", "pci_busid=\"0000:" + bus +
                                   ":00.0\" pci_type=\"0302 [10de:1db4] [0000:0000] a1\" pci_link_speed=\"0.0\"/>") +
              "</object></object>";
  }
  const unsigned all = (1U << core) - 1;
  const unsigned nodes = (1U << sockets.size()) - 1;
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<topology version=\"2.0\">" +
         object("Machine", place(0, all, nodes) + " allowed_cpuset=\"" + mask(all) + "\" allowed_nodeset=\"" +
                               mask(nodes) + "\">") +
         inside + "</object></topology>\n";
}

using Shares = std::vector<std::pair<std::string, std::vector<std::string>>>;

Shares shares(const Platform& platform, const Table<ContextId, Context>& contexts) {
  Shares shares;
  for (const Context& context : contexts) {
    auto& workers = shares.emplace_back(context.name, std::vector<std::string>()).second;
    for (const WorkerId worker : context.workers) workers.push_back(platform.worker_name(worker));
  }
  return shares;
}

/// The contexts of a runtime by socket, each of which runs a task.
Shares run_by_socket(const Config& config) {
  std::vector<int> numbers(8, 0);
  Runtime runtime(config);
  const std::vector<SchedulingContext> contexts = runtime.contexts_by_socket("dmdas");
  const Kernel count("count", on_cpu([](int& x) { ++x; }));
  {
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    for (std::size_t i = 0; i < data.size(); ++i) runtime.submit(in(contexts[i % contexts.size()]), count, rw(data[i]));
    runtime.wait();
  }
  EXPECT_THAT(numbers, testing::Each(1));
  expect_valid(runtime);
  const Table<ContextId, Context> all = runtime.trace().schedule.contexts.all;
  EXPECT_EQ(all.size(), contexts.size());
  for (const ContextId id : all.ids()) {
    EXPECT_EQ(all[id].policy, "dmdas");
    EXPECT_EQ(all[id].name, contexts[index(id)].name());
  }
  return shares(runtime.platform(), all);
}

Config config_of(const std::string& workers) {
  return {.workers = workers, .trace = true, .history = ""};
}

TEST(Sockets, AreContextsOfTheirCores) {
  const Machine machine("package:2 core:2 pu:2");
  EXPECT_THAT(run_by_socket(config_of("cpu=4")),
              ElementsAre(Pair("socket0", ElementsAre("cpu0", "cpu1")), Pair("socket1", ElementsAre("cpu2", "cpu3"))));
}

TEST(Sockets, CanBeFour) {
  const Machine machine("package:4 core:1 pu:1");
  EXPECT_THAT(run_by_socket(config_of("cpu=4")),
              ElementsAre(Pair("socket0", ElementsAre("cpu0")), Pair("socket1", ElementsAre("cpu1")),
                          Pair("socket2", ElementsAre("cpu2")), Pair("socket3", ElementsAre("cpu3"))));
}

TEST(Sockets, CanHaveDifferentNumbersOfCores) {
  const test::Scratch scratch;
  const Machine machine = Machine::of_file(scratch.write("machine.xml", machine_with({1, 3})));
  EXPECT_THAT(run_by_socket(config_of("cpu=4")),
              ElementsAre(Pair("socket0", ElementsAre("cpu0")), Pair("socket1", ElementsAre("cpu1", "cpu2", "cpu3"))));
}

TEST(Sockets, WithoutWorkersHaveNoContext) {
  const Machine machine("package:3 core:2 pu:1");
  EXPECT_THAT(run_by_socket(config_of("cpu=3")),
              ElementsAre(Pair("socket0", ElementsAre("cpu0", "cpu1")), Pair("socket1", ElementsAre("cpu2"))));
}

TEST(Sockets, OfOtherRuntimesAreTheirs) {
  const Machine machine("package:2 core:2 pu:1");
  Runtime other(config_of("cpu=1"));
  EXPECT_THAT(run_by_socket(config_of("cpu=3")),
              ElementsAre(Pair("socket0", ElementsAre("cpu0")), Pair("socket1", ElementsAre("cpu1", "cpu2"))));
}

TEST(Sockets, HaveTheWorkersThatBeginOnThem) {
  const Machine machine("package:2 core:3 pu:1");
  EXPECT_THAT(run_by_socket(config_of("cpu2=3")),
              ElementsAre(Pair("socket0", ElementsAre("cpu20", "cpu21")), Pair("socket1", ElementsAre("cpu22"))));
}

TEST(Sockets, AreOneContextWhereThereIsOneOrWorkersAreNotBound) {
  const auto one = ElementsAre(Pair("socket0", ElementsAre("cpu0", "cpu1")));
  for (const char* text : {"package:1 core:2 pu:1", "core:2 pu:1"}) {
    const Machine machine(text);
    EXPECT_THAT(run_by_socket(config_of("cpu=2")), one) << text;
  }
  const Machine machine("package:2 core:1 pu:1");
  Config config = config_of("cpu=2");
  config.bind = false;
  EXPECT_THAT(run_by_socket(config), one);
}

TEST(Sockets, AreRefusedWithOneSentence) {
  const auto reason = [](Runtime& runtime, const std::string& policy) -> std::string {
    try {
      static_cast<void>(runtime.contexts_by_socket(policy));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  Runtime runtime(config_of("cpu=1"));
  EXPECT_THAT(reason(runtime, "dmads"), HasSubstr("there is no policy 'dmads'"));
  EXPECT_EQ(reason(runtime, "dmdas"), "");
  EXPECT_EQ(reason(runtime, "dmdas"), "contexts by socket are the first of a runtime, and it has contexts");
  EXPECT_THROW(static_cast<void>(SchedulingContext().name()), InputError);
}

TEST(Sockets, OfPciDevicesAreFound) {
  const test::Scratch scratch;
  const Machine machine = Machine::of_file(scratch.write("machine.xml", machine_with({1, 1})));
  const std::vector<std::string> addresses{"0000:02:00.0", "", "0000:01:00.0", "0000:03:00.0", "nonsense"};
  EXPECT_THAT(Cores::sockets_of_devices(addresses), ElementsAre(1U, std::nullopt, 0U, std::nullopt, std::nullopt));
}

TEST(Sockets, HaveTheDevicesThatAreCloseAndOthersInTurn) {
  const test::Scratch scratch;
  const Machine machine = Machine::of_file(scratch.write("machine.xml", machine_with({1, 1})));
  const auto shares = [](const std::vector<std::string>& addresses) {
    const auto backend =
        std::make_shared<FakeBackend>(FakeBackend::Options{.devices = addresses.size(), .pci_addresses = addresses});
    return run_by_socket(with(backend, "cpu=2,fake=" + std::to_string(addresses.size()), "eager"));
  };
  EXPECT_THAT(shares({"0000:02:00.0", "0000:01:00.0", "0000:02:00.0"}),
              ElementsAre(Pair("socket0", ElementsAre("cpu0", "fake1")),
                          Pair("socket1", ElementsAre("cpu1", "fake0", "fake2"))));
  EXPECT_THAT(shares({"", "0000:09:00.0", "0000:02:00.0", ""}),
              ElementsAre(Pair("socket0", ElementsAre("cpu0", "fake0", "fake3")),
                          Pair("socket1", ElementsAre("cpu1", "fake1", "fake2"))));
}

TEST(Sockets, WithoutWorkersGiveTheirDevicesToOthers) {
  const Platform platform({{"cpu", 2}, {"gpu", 2}});
  Table<WorkerId, Place> places;
  for (const Place place : {Place{3, false}, Place{2, false}, Place{7, true}, Place{3, true}}) places.push_back(place);
  const std::vector<ContextRequest> requests = socket_contexts(platform, places, "ws");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].name, "socket2");
  EXPECT_EQ(requests[1].name, "socket3");
  EXPECT_THAT(requests[0].named, ElementsAre("cpu1", "gpu0"));
  EXPECT_THAT(requests[1].named, ElementsAre("cpu0", "gpu1"));
  EXPECT_EQ(requests[1].policy, "ws");
}

TEST(Sockets, KeepATaskWithTheDataThatItWrites) {
  const Machine machine("package:2 core:1 pu:1");
  std::vector<int> numbers(6, 0);
  Runtime runtime(config_of("cpu=2"));
  static_cast<void>(runtime.contexts_by_socket());
  const Kernel add("add", on_cpu([](const int& x, int& y) { y += x + 1; }));
  {
    std::vector<Data<int&>> data;
    for (int& number : numbers) data.push_back(runtime.data(number));
    const auto submit_tasks = [&] {
      for (int round = 0; round < 3; ++round) {
        for (std::size_t i = 1; i < data.size(); ++i) runtime.submit(add, read(data[i - 1]), rw(data[i]));
      }
    };
    const Graph graph = runtime.record(
        submit_tasks, [](const TaskGraph& tasks, Contexts& contexts) { assign_by_data(tasks, contexts); });
    runtime.run(graph);
    runtime.wait();
  }
  expect_valid(runtime);
  std::vector<int> expected(6, 0);
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 1; i < expected.size(); ++i) expected[i] += expected[i - 1] + 1;
  }
  EXPECT_EQ(numbers, expected);
  const Table<TaskId, ContextId> of = runtime.trace().schedule.contexts.of;
  ASSERT_EQ(of.size(), 15U);
  for (const TaskId task : of.ids()) EXPECT_EQ(index(of[task]), (index(task) % 5 + 1) % 2) << index(task);
}

}  // namespace
}  // namespace heddle::runtime
