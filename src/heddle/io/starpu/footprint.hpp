#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle::io {

/// StarPU's hash of the sizes of a task's data, by which its performance models tell sizes apart. The element size is
/// not part of it: single and double precision tiles have the same footprint.

/// The hash of one matrix of nx by ny elements.
[[nodiscard]] std::uint32_t matrix_footprint(std::uint32_t nx, std::uint32_t ny);
/// The hash of a task from those of its data, in the order of its parameters.
[[nodiscard]] std::uint32_t task_footprint(std::span<const std::uint32_t> data);
/// The hash of a task on `count` square tiles.
[[nodiscard]] std::uint32_t tiles_footprint(std::uint32_t tile, std::size_t count);

/// 8 lower-case hex digits.
[[nodiscard]] std::string format_footprint(std::uint32_t footprint);
/// Reads 1 to 8 hex digits; nothing when the text is something else.
[[nodiscard]] std::optional<std::uint32_t> parse_footprint(std::string_view text);

}  // namespace heddle::io
