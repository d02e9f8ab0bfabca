#pragma once

#include <string>
#include <string_view>

#include "heddle/model/platform.hpp"

namespace heddle::io {

/// Reads a platform file in Heddle's own format, version 1: a machine whose parts fit together (Platform accepts them).
/// `source` names the text in errors; the name of the machine, when absent, is the file's without folder and suffix.
/// A kernel entry has `kernel`, `tile` and `precision` ("single" or "double"), or `codelet` and `footprint`, or all.
/// Throws InputError: file, JSON path, what was found, what was expected.
[[nodiscard]] Machine read_platform(std::string_view text, std::string_view source);

/// The machine in that format, one class, link, bus and kernel per line; deterministic to the byte.
[[nodiscard]] std::string write_platform(const Machine& machine);

}  // namespace heddle::io
