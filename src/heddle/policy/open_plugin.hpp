#pragma once

#include <string>

namespace heddle::policy {

/// Opens a plug-in (plugin.hpp), which stays open until the process ends, and adds its policy to the registry. Nothing
/// is looked for: `file` is a path. Throws InputError, in one sentence that begins with the file, when it cannot be
/// opened, is no plug-in, was built for another interface, compiler or standard library, or when the registry does not
/// take its policy. A program that opens plug-ins exports its symbols (CMake: ENABLE_EXPORTS) and has all of
/// heddle::policy in it.
void open_plugin(const std::string& file);

}  // namespace heddle::policy
