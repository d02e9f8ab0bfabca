#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "heddle/model/contexts.hpp"
#include "heddle/model/platform.hpp"

namespace heddle::runtime {

/// Where a worker is.
struct Place {
  std::optional<std::size_t> socket{};  ///< nothing: not known
  bool is_device = false;
};

/// A context for each socket that has a core among the workers: "socket0", ..., by the numbers of the sockets. A worker
/// whose socket is not known, or none of these, goes to one of them in turn. Where no core is on a known socket, there
/// is one context, "socket0".
[[nodiscard]] std::vector<ContextRequest> socket_contexts(const Platform& platform,
                                                          const Table<WorkerId, Place>& places,
                                                          const std::string& policy);

}  // namespace heddle::runtime
