#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/runtime/device.hpp"

namespace heddle::runtime {

/// The kinds of devices for which there may be modules.
[[nodiscard]] const std::vector<std::string>& backend_names();

/// Opens the module heddle_NAME.so, once, and keeps it until the process ends. It is looked for in the folder that the
/// environment variable HEDDLE_MODULES names, and nowhere else; unless that is set, beside the program (as it is
/// installed), where the build puts it, and where `cmake --install` does. Any thread may call this.
///
/// Throws InputError, in one sentence, when there is no such kind, module or device.
[[nodiscard]] std::shared_ptr<Backend> find_backend(std::string_view name);

}  // namespace heddle::runtime
