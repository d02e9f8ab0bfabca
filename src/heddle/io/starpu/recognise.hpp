#pragma once

#include <string_view>

namespace heddle::io {

/// Whether the beginning of a file looks like one of StarPU's. They look at the first lines only, never throw, and say
/// no when in doubt; `bytes` may be cut anywhere after some 4000 characters.

/// `tasks.rec`, plain or gzip.
[[nodiscard]] bool looks_like_tasks_rec(std::string_view bytes);
/// `data.rec`, plain or gzip.
[[nodiscard]] bool looks_like_data_rec(std::string_view bytes);
/// A performance model of one codelet, version 45.
[[nodiscard]] bool looks_like_performance_model(std::string_view bytes);
/// `bus/<host>.config`, `.bandwidth`, `.latency` or `.affinity`.
[[nodiscard]] bool looks_like_bus_file(std::string_view bytes);

}  // namespace heddle::io
