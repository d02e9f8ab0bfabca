#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/time.hpp"

namespace heddle::io {

/// A copy of a datum between two memory nodes, on the clock of the tasks.
struct RecordedTransfer {
  std::string handle;  ///< of the datum, as in `tasks.rec`
  std::uint32_t from;  ///< memory nodes: 0 is the main memory
  std::uint32_t to;
  Time start;
  Time end;
  std::int64_t bytes;
};

/// Reads the transfers of StarPU's `paje.trace`: the links between its memory managers that name a handle, in the order
/// in which they ended. Other events are skipped; so are links that never end. Events are read by what the file's own
/// header says of their fields. Throws InputError (file, line, what was found, what was expected).
[[nodiscard]] std::vector<RecordedTransfer> read_paje_transfers(std::string_view text, std::string_view source);

/// Those of the `<prefix>paje.trace` that lies beside a `<prefix>tasks.rec`; nothing where there is none.
[[nodiscard]] std::optional<std::vector<RecordedTransfer>> load_transfers(const std::string& tasks);

}  // namespace heddle::io
