#include "heddle/runtime/trace/energy_counters.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

namespace heddle::runtime {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::optional<std::uint64_t> number_in(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (stream >> number) return number;
  return std::nullopt;
}

}  // namespace

/// Through NVML, whose functions are looked up: it is there only where the driver is.
class EnergyCounters::Cards {
 public:
  explicit Cards(const std::string& library) : library_(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    const auto init = find<int()>("nvmlInit_v2");
    const auto count = find<int(unsigned*)>("nvmlDeviceGetCount_v2");
    const auto card = find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
    energy_ = find<int(void*, unsigned long long*)>("nvmlDeviceGetTotalEnergyConsumption");
    if (init == nullptr || count == nullptr || card == nullptr || energy_ == nullptr || init() != 0) return;
    is_open_ = true;
    unsigned cards = 0;
    if (count(&cards) != 0) return;
    for (unsigned i = 0; i < cards; ++i) {
      Card one{.name = "gpu-" + std::to_string(i)};
      // Cards before Volta do not count.
      if (card(i, &one.handle) == 0 && energy_(one.handle, &one.before) == 0) cards_.push_back(std::move(one));
    }
  }
  ~Cards() {
    if (const auto shutdown = is_open_ ? find<int()>("nvmlShutdown") : nullptr) shutdown();
    if (library_ != nullptr) dlclose(library_);
  }
  Cards(const Cards&) = delete;
  Cards& operator=(const Cards&) = delete;

  [[nodiscard]] bool empty() const { return cards_.empty(); }
  void read(std::vector<Energy::Counter>& counters) const {
    for (const Card& card : cards_) {
      unsigned long long now = card.before;
      if (energy_(card.handle, &now) != 0) continue;
      counters.push_back({card.name, static_cast<double>(now - card.before) * 1e-3});
    }
  }

 private:
  struct Card {
    std::string name;
    void* handle = nullptr;
    unsigned long long before = 0;  ///< millijoules since the driver was loaded
  };
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }

  void* library_;
  int (*energy_)(void*, unsigned long long*) = nullptr;
  bool is_open_ = false;
  std::vector<Card> cards_;
};

double Energy::joules() const {
  double sum = 0;
  for (const Counter& counter : counters) sum += counter.joules;
  return sum;
}

EnergyCounters::EnergyCounters() : EnergyCounters(Places()) {}

EnergyCounters::EnergyCounters(const Places& places) : cards_(std::make_unique<Cards>(places.nvml)) {
  find_zones(places.powercap);
}

EnergyCounters::~EnergyCounters() = default;

/// Zones are folders: "intel-rapl:0" of a processor ("package-0"), also one of AMD's, "intel-rapl:0:2" of a part of it.
/// Its memory ("dram") counts apart, other parts are in it.
void EnergyCounters::find_zones(const std::string& powercap) {
  bool is_forbidden = false;
  std::error_code error;
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(powercap, error)) folders.push_back(entry.path());
  std::ranges::sort(folders);
  for (const std::filesystem::path& folder : folders) {
    const std::string zone = folder.filename().string();
    if (!zone.starts_with("intel-rapl:")) continue;
    std::string name = first_line(folder / "name");
    if (!name.starts_with("package") && name != "dram") continue;
    if (name == "dram") name += "-" + zone.substr(zone.find(':') + 1, zone.rfind(':') - zone.find(':') - 1);
    const std::string file = (folder / "energy_uj").string();
    const std::optional<std::uint64_t> now = number_in(file);
    is_forbidden = is_forbidden || !now;
    if (!now) continue;
    zones_.push_back({.name = std::move(name),
                      .file = file,
                      .range = number_in(folder / "max_energy_range_uj").value_or(0),
                      .last = *now});
  }
  if (is_forbidden) {
    missing_ = "the processors' counters in " + powercap + " may not be read by this user";
  } else if (zones_.empty() && cards_->empty()) {
    missing_ = "this machine has no counters of energy that are known (powercap, NVML)";
  }
}

Energy EnergyCounters::read() {
  Energy energy{.missing = missing_};
  for (Zone& zone : zones_) {
    const std::uint64_t now = number_in(zone.file).value_or(zone.last);
    const std::uint64_t rest = zone.range > zone.last ? zone.range - zone.last : 0;
    zone.counted += now >= zone.last ? now - zone.last : rest + now;
    zone.last = now;
    energy.counters.push_back({zone.name, static_cast<double>(zone.counted) * 1e-6});
  }
  cards_->read(energy.counters);
  return energy;
}

}  // namespace heddle::runtime
