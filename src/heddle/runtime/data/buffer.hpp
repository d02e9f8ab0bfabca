#pragma once

#include <cstddef>
#include <cstdint>

#include "heddle/model/ids.hpp"
#include "heddle/runtime/views.hpp"

namespace heddle::runtime {

/// The memory of the program, in which all data have their home, as the runtime numbers memories (MemoryPlaces).
inline constexpr MemoryId kHost{};

/// Memory that holds a copy of a datum, or what will become one.
struct Buffer {
  Argument argument;  ///< what a kernel that works on it is told; the shape is that of the last datum in it
  MemoryId memory = kHost;
  bool is_home = false;     ///< where the program has the datum
  bool is_current = false;  ///< holds a valid copy, or a part of what was reduced
  /// Transfers, and aborted executions whose kernels run on, that use it, or what the datum tells them of how to
  /// reduce: no task may write to it.
  std::uint32_t pins = 0;
  std::uint32_t holds = 0;  ///< executions that rely on it

  /// Is to hold, without gaps, a datum of that shape, which has as many bytes as the last one.
  void hold(const Shape& shape) {
    argument.shape = shape;
    argument.piece.leading = shape.rows;
  }
  [[nodiscard]] std::size_t bytes() const { return argument.shape.bytes(); }
  [[nodiscard]] bool is_used() const { return pins > 0 || holds > 0; }
  /// Whether a task may write into it although the present value has to be kept.
  [[nodiscard]] bool is_free() const { return !is_current && !is_used(); }
};

/// Copies a datum, column by column where the columns do not follow each other.
void copy(const Shape& shape, const Piece& from, const Piece& to);

}  // namespace heddle::runtime
