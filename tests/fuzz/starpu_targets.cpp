#include "tests/fuzz/starpu_targets.hpp"

#include <optional>
#include <utility>

#include "heddle/io/instance_file.hpp"
#include "heddle/io/platform_file.hpp"
#include "heddle/io/starpu/bus.hpp"
#include "heddle/io/starpu/execution.hpp"
#include "heddle/io/starpu/performance_model.hpp"
#include "heddle/io/starpu/recording.hpp"
#include "heddle/io/starpu/transfers.hpp"
#include "heddle/model/error.hpp"
#include "tests/fuzz/steps.hpp"

namespace heddle::test {
namespace {

/// A machine that has measured what the recording asks for.
Machine machine_for(const io::Recording& recording) {
  Machine machine;
  machine.name = "any";
  machine.classes = {{"cpu", 1, "ram", {}}, {"gpu", 1, "each", {}}};
  for (const io::CostKey& key : recording.cost_keys) {
    machine.kernels.push_back({"", 0, "", key.codelet, key.footprint, {{"cpu", 1}}, false});
  }
  return machine;
}

}  // namespace

void run_tasks_rec(std::string_view bytes) {
  const auto data = accepted([&] { return io::read_data_rec(bytes, "input"); });
  auto recording =
      accepted([&] { return io::read_tasks_rec(bytes, "input", data.value_or(std::vector<io::RecordedDatum>())); });
  if (!recording) return;
  static_cast<void>(accepted([&] { return io::execution_of(*recording, std::nullopt).confined; }));
  const Machine machine = machine_for(*recording);
  const auto instance = accepted([&] { return io::place(std::move(*recording), machine); });
  if (!instance) return;
  const std::string text = io::write_instance(*instance);
  expect_same(text, io::write_instance(io::read_instance(text, "again")));
}

void run_paje(std::string_view bytes) {
  const auto transfers = accepted([&] { return io::read_paje_transfers(bytes, "input"); });
  if (!transfers) return;
  for (const io::RecordedTransfer& transfer : *transfers) {
    if (transfer.start > transfer.end || transfer.bytes < 0) throw InternalError("a transfer that cannot be");
  }
}

void run_perfmodel(std::string_view bytes) {
  const auto model = accepted([&] { return io::read_performance_model(bytes, "input"); });
  if (!model) return;
  Machine machine;
  machine.name = "any";
  machine.classes = {{"cpu", 1, "ram", {}}, {"gpu", 1, "each", {}}};
  for (const io::ModelTiming& timing : model->timings) {
    // A platform has one entry for a codelet and footprint, with all classes.
    const std::string codelet = "codelet on " + timing.class_name;
    machine.kernels.push_back({"", 0, "", codelet, timing.footprint, {{timing.class_name, timing.mean}}, false});
  }
  const std::string text = io::write_platform(machine);
  expect_same(text, io::write_platform(io::read_platform(text, "again")));
}

void run_bus(std::string_view bytes) {
  static_cast<void>(accepted([&] { return io::read_bus_config(bytes, "input").cpu_cores; }));
  static_cast<void>(accepted([&] { return io::read_bus_bandwidth(bytes, "input").at(0, 1); }));
  static_cast<void>(accepted([&] { return io::read_bus_latency(bytes, "input").at(0, 1); }));
  static_cast<void>(io::count_bus_memories(bytes));
}

}  // namespace heddle::test
