#include "heddle/io/starpu/sampling.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "heddle/io/file.hpp"
#include "heddle/io/starpu/bus.hpp"
#include "heddle/io/starpu/footprint.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

/// Whether a copy between two devices was staged in main memory by the driver, because they are no peers: it is then
/// much slower than either of its two hops. Runtimes copy twice themselves.
bool is_staged(const BusMatrix& bandwidth, std::size_t from, std::size_t to) {
  const auto direct = bandwidth.at(from, to);
  const auto up = bandwidth.at(from, 0);
  const auto down = bandwidth.at(0, to);
  return direct && up && down && 3 * *direct < 2 * std::min(*up, *down);
}

namespace fs = std::filesystem;

/// A codelet of StarPU's examples that is a kernel of a tiled algorithm.
struct KnownCodelet {
  std::string_view codelet;
  std::string_view kernel;
  std::int64_t tiles;         ///< how many it touches
  std::int64_t element_size;  ///< bytes
};

constexpr std::array kKnownCodelets = {
    KnownCodelet{"chol_model_potrf", "POTRF", 1, 4},
    KnownCodelet{"chol_model_trsm", "TRSM", 2, 4},
    KnownCodelet{"chol_model_syrk", "SYRK", 2, 4},
    KnownCodelet{"chol_model_gemm", "GEMM", 3, 4},
    KnownCodelet{"starpu_dlu_lu_model_getrf", "GETRF", 1, 8},
    KnownCodelet{"starpu_dlu_lu_model_trsm_ll", "TRSM_L", 2, 8},
    KnownCodelet{"starpu_dlu_lu_model_trsm_ru", "TRSM_U", 2, 8},
    KnownCodelet{"starpu_dlu_lu_model_gemm", "GEMM", 3, 8},
    KnownCodelet{"starpu_slu_lu_model_getrf", "GETRF", 1, 4},
    KnownCodelet{"starpu_slu_lu_model_trsm_ll", "TRSM_L", 2, 4},
    KnownCodelet{"starpu_slu_lu_model_trsm_ru", "TRSM_U", 2, 4},
    KnownCodelet{"starpu_slu_lu_model_gemm", "GEMM", 3, 4},
    KnownCodelet{"starpu_sgemm_gemm", "GEMM", 3, 4},
    KnownCodelet{"starpu_dgemm_gemm", "GEMM", 3, 8},
};

/// The order of the square tiles that a task touches, when sizes and hash agree that it is square tiles.
std::optional<std::int64_t> square_tile(const KnownCodelet& known, const ModelTiming& timing) {
  constexpr std::int64_t kLargestTile = 1 << 20;
  const std::int64_t bytes_of_one = known.tiles * known.element_size;
  std::int64_t low = 1;
  for (std::int64_t high = kLargestTile; low < high;) {
    const std::int64_t middle = (low + high) / 2;
    if (middle * middle * bytes_of_one < timing.bytes) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool square = low * low * bytes_of_one == timing.bytes;
  const auto hash = tiles_footprint(static_cast<std::uint32_t>(low), static_cast<std::size_t>(known.tiles));
  if (!square || format_footprint(hash) != timing.footprint) return std::nullopt;
  return low;
}

KernelTiming kernel_of(const std::string& codelet, const ModelTiming& timing) {
  KernelTiming kernel;
  kernel.codelet = codelet;
  kernel.footprint = timing.footprint;
  const auto* const known = std::ranges::find(kKnownCodelets, codelet, &KnownCodelet::codelet);
  if (known == kKnownCodelets.end()) return kernel;
  if (const std::optional<std::int64_t> tile = square_tile(*known, timing)) {
    kernel.kernel = known->kernel;
    kernel.tile = *tile;
    kernel.precision = known->element_size == 4 ? "single" : "double";
  }
  return kernel;
}

/// The files of a folder, by name; none when there is no such folder.
std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
  }
  const bool is_missing = error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
  if (error && !is_missing) throw InputError("cannot read the folder '" + folder.string() + "': " + error.message());
  std::ranges::sort(files);
  return files;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Reads one host's files from a sampling folder.
class SamplingReader {
 public:
  SamplingReader(const std::string& folder, const std::string& host, Devices devices)
      : folder_(folder), host_(host), devices_(devices) {
    sampled_.machine.name = host;
  }

  SampledMachine read() {
    const BusConfig config = read_bus_config(read_file(bus_file("config")), bus_file("config"));
    add_classes(config);
    add_links(config.cuda_devices);
    add_kernels();
    return std::move(sampled_);
  }

 private:
  [[nodiscard]] std::string bus_file(std::string_view what) const {
    return (folder_ / "bus" / (host_ + "." + std::string(what))).string();
  }

  void warn(const std::string& file, std::string_view sentence) {
    sampled_.warnings.push_back(file + ": " + std::string(sentence));
  }

  void add_classes(const BusConfig& config) {
    const std::uint32_t drivers = std::min(config.cpu_cores, config.cuda_devices);
    sampled_.machine.classes.push_back({"cpu", config.cpu_cores - drivers, "ram", std::nullopt});
    if (config.cuda_devices == 0) return;
    if (devices_ == Devices::pooled) {
      sampled_.machine.classes.push_back({"gpu", config.cuda_devices, std::string(ResourceClass::kEach), std::nullopt});
      return;
    }
    for (std::uint32_t device = 0; device < config.cuda_devices; ++device) {
      const std::string name = "gpu" + std::to_string(device);
      sampled_.machine.classes.push_back({name, 1, name, std::nullopt});
    }
  }

  [[nodiscard]] std::size_t count_memories() {
    if (!is_file(bus_file("affinity"))) return 1;
    const std::size_t memories = count_bus_memories(read_file(bus_file("affinity")));
    if (memories > 1)
      warn(bus_file("affinity"), "the main memory is several NUMA nodes; the first one's links are used");
    return memories;
  }

  void add_links(std::uint32_t gpus) {
    if (gpus == 0) return;
    if (!is_file(bus_file("bandwidth")) || !is_file(bus_file("latency"))) {
      warn(bus_file("bandwidth"), "this file and that of the latencies are not both there, so transfers are free");
      return;
    }
    const BusMatrix bandwidth = read_bus_bandwidth(read_file(bus_file("bandwidth")), bus_file("bandwidth"));
    const BusMatrix latency = read_bus_latency(read_file(bus_file("latency")), bus_file("latency"));
    const std::size_t memories = count_memories();
    const auto name = [](std::size_t node) { return node == 0 ? "ram" : "gpu" + std::to_string(node - 1); };
    const auto cell = [&](std::size_t node) { return node == 0 ? 0 : memories + node - 1; };
    for (std::size_t from = 0; from <= gpus; ++from) {
      for (std::size_t to = 0; to <= gpus; ++to) {
        if (from == to) continue;
        const auto rate = bandwidth.at(cell(from), cell(to));
        const auto delay = latency.at(cell(from), cell(to));
        if (from != 0 && to != 0 && is_staged(bandwidth, cell(from), cell(to))) continue;
        if (rate && delay && *rate > 0) {
          sampled_.machine.links.push_back({name(from), name(to), static_cast<double>(*rate), *delay, {}});
        } else if (from == 0 || to == 0) {
          warn(bus_file("bandwidth"), "no measured link from " + name(from) + " to " + name(to));
        }
      }
    }
  }

  void add_kernels() {
    std::error_code ignored;
    const fs::path versioned = folder_ / "codelets" / "45";
    const std::string suffix = "." + host_;
    for (const fs::path& file : files_of(fs::is_directory(versioned, ignored) ? versioned : folder_)) {
      const std::string name = file.filename().string();
      if (name.size() <= suffix.size() || !name.ends_with(suffix)) continue;
      add_kernels_of(name.substr(0, name.size() - suffix.size()), file.string());
    }
  }

  void add_kernels_of(const std::string& codelet, const std::string& file) {
    const std::string text = read_file(file);
    const PerformanceModel model = read_performance_model(text, file, devices_);
    for (const std::string& warning : model.warnings) warn(file, warning);
    std::vector<KernelTiming>& kernels = sampled_.machine.kernels;
    const std::size_t first = kernels.size();
    for (const ModelTiming& timing : model.timings) {
      const bool same =
          !kernels.empty() && kernels.back().codelet == codelet && kernels.back().footprint == timing.footprint;
      if (!same) kernels.push_back(kernel_of(codelet, timing));
      kernels.back().seconds.push_back({timing.class_name, timing.mean});
    }
    if (devices_ == Devices::pooled) return;
    const PerformanceModel pooled = read_performance_model(text, file);
    for (KernelTiming& kernel : std::span(kernels).subspan(first)) complete(kernel, pooled);
  }

  /// Gives the devices that have no duration of their own the mean of those that have.
  void complete(KernelTiming& kernel, const PerformanceModel& pooled) const {
    const auto mean = std::ranges::find_if(pooled.timings, [&](const ModelTiming& timing) {
      return timing.class_name == "gpu" && timing.footprint == kernel.footprint;
    });
    if (mean == pooled.timings.end()) return;
    for (const ResourceClass& one : sampled_.machine.classes) {
      const bool has_one = one.name == "cpu" || std::ranges::any_of(kernel.seconds, [&](const auto& duration) {
                             return duration.class_name == one.name;
                           });
      if (!has_one) kernel.seconds.push_back({one.name, mean->mean});
    }
  }

  fs::path folder_;
  std::string host_;
  Devices devices_;
  SampledMachine sampled_;
};

}  // namespace

std::vector<std::string> starpu_hosts(const std::string& folder) {
  std::vector<std::string> hosts;
  for (const fs::path& file : files_of(fs::path(folder) / "bus")) {
    if (file.extension() == ".config") hosts.push_back(file.stem().string());
  }
  return hosts;
}

SampledMachine read_starpu_machine(const std::string& folder, const std::string& host, Devices devices) {
  const std::vector<std::string> hosts = starpu_hosts(folder);
  if (std::ranges::find(hosts, host) == hosts.end()) {
    std::string known;
    for (const std::string& name : hosts) known += (known.empty() ? "" : ", ") + name;
    throw InputError(folder + ": found no bus/" + host +
                     ".config; expected a StarPU sampling folder that knows host '" + host + "' (" +
                     (known.empty() ? "it knows none" : "it knows " + known) + ")");
  }
  return SamplingReader(folder, host, devices).read();
}

}  // namespace heddle::io
