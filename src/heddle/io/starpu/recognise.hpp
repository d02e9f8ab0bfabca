#pragma once

#include <string_view>

namespace heddle::io {

/// Whether a file looks like one of StarPU's, by its first 4000 characters (unpacked, as read_file returns them). No
/// when in doubt; they never throw.

[[nodiscard]] bool looks_like_tasks_rec(std::string_view text);
[[nodiscard]] bool looks_like_data_rec(std::string_view text);
/// A performance model of one codelet, version 45.
[[nodiscard]] bool looks_like_perfmodel(std::string_view text);
/// `bus/<host>.config`.
[[nodiscard]] bool looks_like_bus_config(std::string_view text);
/// `bus/<host>.bandwidth` or `.latency`, which have the same form.
[[nodiscard]] bool looks_like_bus_matrix(std::string_view text);

}  // namespace heddle::io
