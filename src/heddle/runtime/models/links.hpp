#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/model/time.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/history.hpp"
#include "heddle/runtime/threads/workers.hpp"

namespace heddle::runtime {

/// What the measurements of a link come to; both parts must have been measured.
[[nodiscard]] LinkSpeed speed_of(const MeasuredLink& link);

/// Adds what a transfer tells, that took so long, of a link that is believed to be so fast: one that is mostly latency
/// tells the latency, a longer one what a mebibyte takes.
void observe(MeasuredLink& link, const LinkSpeed& believed, std::size_t bytes, Time duration);

/// The links between the memories of a runtime: as fast as a history says, or measured where it does not know. Guarded
/// by the engine's lock.
class Links {
 public:
  /// `devices`: those that were chosen, which do nothing else. Measuring takes some milliseconds. Histories that cannot
  /// be read or written are reported to `warn`, and done without; one that cannot be read is not written, either.
  /// Throws InputError when a device cannot copy.
  Links(std::span<const DeviceChoice> chosen, std::span<const std::unique_ptr<Device>> devices,
        std::optional<History> history, History::Warn warn = {});

  /// All of them, as believed when the run began.
  [[nodiscard]] const std::vector<MemoryLink>& all() const { return links_; }
  /// A transfer over the link between two memories took so long.
  void observe(MemoryId from, MemoryId to, std::size_t bytes, Time duration);
  /// Adds to the history what was measured since the begin, or since the last call.
  void save();
  /// The history; none when there is none, or it could not be read, which is reported once.
  [[nodiscard]] const std::optional<History>& history() const { return history_; }

 private:
  [[nodiscard]] std::vector<MeasuredLink> load();

  std::optional<History> history_;
  History::Warn warn_;
  std::vector<MemoryLink> links_;
  std::vector<MeasuredLink> later_;  ///< by link: what was measured since
};

/// What the history knows of the links of such devices; nothing when one from or to the
/// program's memory is missing.
[[nodiscard]] std::vector<MemoryLink> known_links(std::span<const DeviceChoice> chosen,
                                                  std::span<const MeasuredLink> history);

/// Measures the links of the devices of such workers ("opencl=1,cuda=2") anew, so often that what was measured before
/// counts no more, and tells the history. Throws InputError when there are no such workers, or nothing can be
/// written to it, before anything is measured.
void calibrate_links(std::string_view workers, const History& history);

}  // namespace heddle::runtime
