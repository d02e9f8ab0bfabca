#include "heddle/runtime/devices/module.hpp"

#include <array>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "heddle/cuda/cuda_device.hpp"
#include "heddle/cuda/errors.hpp"
#include "heddle/model/error.hpp"

namespace heddle::cuda {
namespace {

/// "13.0", of 13000.
std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

/// Why there are no devices.
std::string reason(cudaError_t error) {
  if (error == cudaErrorInsufficientDriver) {
    int driver = 0;  // stays so without a driver
    static_cast<void>(cudaDriverGetVersion(&driver));
    if (driver == 0) return "no CUDA driver is installed";
    return "the CUDA driver that is installed is for CUDA " + version(driver) + ", and Heddle was built with CUDA " +
           version(CUDART_VERSION);
  }
  if (error == cudaSuccess || error == cudaErrorNoDevice) return "the CUDA driver that is installed has no device";
  return "CUDA cannot be used: " + describe("cudaGetDeviceCount", error);
}

/// Of devices, at least 1.
int device_count() {
  int count = 0;  // stays so on failure
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());
    throw InputError(reason(error));
  }
  return count;
}

/// As the system writes it: a GPU is function 0 of its device.
std::string pci_address(const cudaDeviceProp& properties) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
  return text.data();
}

runtime::DeviceInfo info(int number) {
  cudaDeviceProp properties{};
  check("cudaGetDeviceProperties", cudaGetDeviceProperties(&properties, number));
  return {.name = std::string(properties.name),
          .cores = static_cast<std::size_t>(properties.multiProcessorCount),
          .memory_bytes = properties.totalGlobalMem,
          .pci_address = pci_address(properties)};
}

/// What `call` returns; a failure of CUDA becomes one of what the user asked for.
template <class Call>
auto readable(Call&& call) {
  try {
    return call();
  } catch (const std::runtime_error& error) {
    throw InputError(error.what());
  }
}

class CudaBackend final : public runtime::Backend {
 public:
  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] runtime::Processor processor() const override { return runtime::Processor::cuda; }
  [[nodiscard]] std::vector<runtime::DeviceInfo> devices() const override {
    return readable([] {
      std::vector<runtime::DeviceInfo> infos;
      const int count = device_count();
      for (int number = 0; number < count; ++number) infos.push_back(info(number));
      return infos;
    });
  }
  [[nodiscard]] std::unique_ptr<runtime::Device> open(std::size_t number) override {
    const auto count = static_cast<std::size_t>(device_count());
    if (number >= count) {
      throw InputError("there is no CUDA device " + std::to_string(number) + ", they are numbered from 0 to " +
                       std::to_string(count - 1));
    }
    return readable([&] { return std::make_unique<CudaDevice>(static_cast<int>(number)); });
  }
};

}  // namespace
}  // namespace heddle::cuda

extern "C" [[gnu::visibility("default")]] heddle::runtime::Backend* heddle_backend(std::uint32_t module_interface) {
  if (module_interface != heddle::runtime::kModuleInterface) return nullptr;
  return new heddle::cuda::CudaBackend;
}
