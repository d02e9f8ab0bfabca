#pragma once

#include "heddle/model/time.hpp"
#include "heddle/runtime/device.hpp"

namespace heddle::runtime {

/// One direction between the program's memory and that of a device: b bytes take latency + b / bandwidth.
struct LinkSpeed {
  Time latency = 0;
  double bandwidth = 0;  ///< bytes per second
};

struct LinkSpeeds {
  LinkSpeed in;
  LinkSpeed out;
};

/// Measures a device that does nothing else: small copies and large ones, the best of several. Takes some milliseconds.
/// Throws InputError when the device cannot copy.
[[nodiscard]] LinkSpeeds measure_links(Device& device);

}  // namespace heddle::runtime
