#include "heddle/runtime/devices/module.hpp"

#include <CL/cl_ext.h>

#include <CL/opencl.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/opencl/errors.hpp"
#include "heddle/opencl/opencl_device.hpp"
#include "heddle/runtime/threads/mutex.hpp"

namespace heddle::opencl {
namespace {

std::vector<cl::Platform> platforms() {
  std::vector<cl::Platform> found;
  try {
    cl::Platform::get(&found);
  } catch (const cl::Error& error) {
    if (error.err() != CL_PLATFORM_NOT_FOUND_KHR) throw;
  }
  if (found.empty()) throw InputError("no OpenCL driver is installed");
  return found;
}

/// The devices of all drivers that work.
std::vector<cl::Device> all_devices() {
  std::vector<cl::Device> all;
  std::string failure;
  for (const cl::Platform& platform : platforms()) {
    try {
      std::vector<cl::Device> some;
      platform.getDevices(CL_DEVICE_TYPE_ALL, &some);
      all.insert(all.end(), some.begin(), some.end());
    } catch (const cl::Error& error) {
      failure = ": " + describe(error);
    }
  }
  if (all.empty()) throw InputError("the OpenCL drivers that are installed have no device" + failure);
  return all;
}

runtime::DeviceInfo info(const cl::Device& device) {
  return {.name = device.getInfo<CL_DEVICE_NAME>(),
          .cores = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>(),
          .memory_bytes = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>(),
          .is_accelerator = (device.getInfo<CL_DEVICE_TYPE>() & CL_DEVICE_TYPE_CPU) == 0};
}

/// Whether a device works in the memory of the host. Others are in contexts of their own: in one that they shared, a
/// copy between them would leave a copy of the source in the target's memory, of which only the driver knows.
bool shares_memory(const cl::Device& device) {
  return device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() != CL_FALSE;
}

/// Contexts that devices of one driver share.
class Contexts {
 public:
  [[nodiscard]] std::shared_ptr<const cl::Context> of(const cl::Device& device) {
    if (!shares_memory(device)) return std::make_shared<const cl::Context>(device);
    const cl::Platform platform(device.getInfo<CL_DEVICE_PLATFORM>());
    const runtime::Lock lock(mutex_);
    std::weak_ptr<const cl::Context>& known = shared_[platform()];
    if (std::shared_ptr<const cl::Context> context = known.lock()) return context;
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    std::erase_if(devices, [](const cl::Device& one) { return !shares_memory(one); });
    auto context = std::make_shared<const cl::Context>(devices);
    known = context;
    return context;
  }

 private:
  runtime::Mutex mutex_;
  /// While devices are open.
  std::map<cl_platform_id, std::weak_ptr<const cl::Context>> shared_ HEDDLE_GUARDED_BY(mutex_);
};

/// What `call` returns; an error of OpenCL becomes one that a person can read.
template <class Call>
auto readable(Call&& call) {
  try {
    return call();
  } catch (const cl::Error& error) {
    throw InputError("OpenCL cannot be used: " + describe(error));
  }
}

class OpenClBackend final : public runtime::Backend {
 public:
  [[nodiscard]] std::string name() const override { return "opencl"; }
  [[nodiscard]] runtime::Processor processor() const override { return runtime::Processor::opencl; }
  [[nodiscard]] std::vector<runtime::DeviceInfo> devices() const override {
    return readable([] {
      std::vector<runtime::DeviceInfo> infos;
      for (const cl::Device& device : all_devices()) infos.push_back(info(device));
      return infos;
    });
  }
  [[nodiscard]] std::unique_ptr<runtime::Device> open(std::size_t number) override {
    const std::vector<cl::Device> all = all_devices();
    if (number >= all.size()) {
      throw InputError("there is no OpenCL device " + std::to_string(number) + ", they are numbered from 0 to " +
                       std::to_string(all.size() - 1));
    }
    return readable([&] { return std::make_unique<OpenClDevice>(all[number], contexts_.of(all[number])); });
  }

 private:
  Contexts contexts_;
};

}  // namespace
}  // namespace heddle::opencl

extern "C" [[gnu::visibility("default")]] heddle::runtime::Backend* heddle_backend(std::uint32_t module_interface) {
  if (module_interface != heddle::runtime::kModuleInterface) return nullptr;
  return new heddle::opencl::OpenClBackend;
}
