#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/linalg/testing.hpp"
#include "heddle/model/options.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::cli {

/// A computation for `heddle run`: its data, made and registered, and what can be done with it, in this order.
class RealWorkload {
 public:
  virtual ~RealWorkload() = default;
  /// Submits the tasks.
  virtual void submit() = 0;
  /// What the tasks compute, in floating-point operations (integer ones for `synthetic`).
  [[nodiscard]] virtual double operations() const = 0;
  /// How wrong the result is (linalg/residual.hpp); may submit more tasks. Called after Runtime::wait().
  [[nodiscard]] virtual double residual(const linalg::Watch& watch) = 0;
};

/// Throws InputError when this machine has not so much memory, which would end the program without a word.
void check_memory(const std::string& what, double bytes);

/// Throws InputError when there is not the memory that BLAS wants for each thread of such workers, and that their tasks
/// take.
void check_workspace(const std::string& workers, std::size_t tasks);

/// A kind of them.
struct RealWorkloadEntry {
  std::string name;
  std::string summary;  ///< one sentence
  std::vector<Option> options;
  std::unique_ptr<RealWorkload> (*make)(runtime::Runtime& runtime, const Options& options, std::uint64_t seed,
                                        const linalg::Watch& watch) = nullptr;
  bool is_of_machine = true;  ///< how long its tasks take depends on the machine, and on a device's first ones more
};

[[nodiscard]] std::span<const RealWorkloadEntry> real_workloads();

/// A kind and its options as "name:key=value,..." says.
struct ChosenWorkload {
  const RealWorkloadEntry* entry;
  Options options;
};
/// Throws InputError that lists the nearest and the possible names, keys and values.
[[nodiscard]] ChosenWorkload parse_real_workload(std::string_view text);

/// The same with tiles as large, but at most four of them along each side; of `synthetic`, a few hundred tasks.
[[nodiscard]] ChosenWorkload small_version(const ChosenWorkload& chosen);

}  // namespace heddle::cli
