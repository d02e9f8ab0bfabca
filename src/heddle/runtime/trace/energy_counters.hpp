#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "heddle/runtime/runtime.hpp"

namespace heddle::runtime {

/// The machine's own counters of energy: those of the processors and their memory, by Linux' powercap (RAPL), and those
/// of NVIDIA's cards, by NVML. They count from the moment on in which this is made.
class EnergyCounters {
 public:
  /// Where they are; others are for tests. The library is opened if it is there.
  struct Places {
    std::string powercap = "/sys/class/powercap";
    std::string nvml = "libnvidia-ml.so.1";
  };

  EnergyCounters();
  explicit EnergyCounters(const Places& places);
  ~EnergyCounters();
  EnergyCounters(const EnergyCounters&) = delete;
  EnergyCounters& operator=(const EnergyCounters&) = delete;

  /// What they have counted. A counter that has begun at zero again since the last call, which takes a processor at
  /// full load some minutes, is understood once.
  [[nodiscard]] Energy read();

 private:
  /// Of a processor, or of its memory.
  struct Zone {
    std::string name;
    std::string file;         ///< in which it counts microjoules
    std::uint64_t range = 0;  ///< the largest number in it; 0: unknown
    std::uint64_t last = 0;
    std::uint64_t counted = 0;  ///< microjoules
  };
  class Cards;

  void find_zones(const std::string& powercap);

  std::vector<Zone> zones_;
  std::unique_ptr<Cards> cards_;
  std::string missing_;
};

}  // namespace heddle::runtime
