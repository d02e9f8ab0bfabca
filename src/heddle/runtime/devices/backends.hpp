#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/runtime/device.hpp"

namespace heddle::runtime {

/// The kinds of devices for which there may be modules.
[[nodiscard]] const std::vector<std::string>& backend_names();

/// Opens the module of that name (ModuleFile), once, and keeps its backend until the process ends. Any thread may call
/// this.
///
/// Throws InputError, in one sentence, when there is no such kind, module or device.
[[nodiscard]] std::shared_ptr<Backend> find_backend(std::string_view name);

}  // namespace heddle::runtime
