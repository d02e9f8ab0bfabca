#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "heddle/runtime/data/transfer.hpp"
#include "heddle/runtime/device.hpp"
#include "heddle/runtime/scheduling/execution.hpp"
#include "heddle/runtime/threads/mutex.hpp"
#include "heddle/runtime/threads/run_clock.hpp"
#include "heddle/runtime/threads/wake_up.hpp"

namespace heddle::runtime {

/// What the thread of a device does: asks it for copies and kernels, and hears what has ended. Between the engine,
/// which wants transfers, and the device, which reports from threads of its own.
class Driver {
 public:
  /// What has ended: a transfer, or the kernel of an execution.
  struct Ended {
    Transfer* transfer = nullptr;
    Execution* execution = nullptr;
    std::exception_ptr failure;
    Time began = 0;
    Time ended = 0;
  };

  /// `bell` is rung when there is something for work(). Both must live as long as this.
  Driver(std::unique_ptr<Device> device, const RunClock& clock, Bell& bell);
  /// Nothing may be under way.
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  [[nodiscard]] Device& device() { return *device_; }
  // Any thread: to be begun by the next work().
  void request(Transfer& transfer);
  void request(Execution& execution);

  // The driver's thread:
  /// Begins what was requested; what has ended since the last time.
  [[nodiscard]] std::vector<Ended> work(Team& team);
  /// Returns when the device does nothing any more; what it did is not told.
  void finish();

 private:
  /// Outlives the driver where a device's thread is late to leave it.
  struct Inbox {
    Mutex mutex;
    Bell* bell HEDDLE_GUARDED_BY(mutex);
    std::vector<Transfer*> transfers HEDDLE_GUARDED_BY(mutex);
    std::vector<Execution*> executions HEDDLE_GUARDED_BY(mutex);
    std::vector<Ended> ended HEDDLE_GUARDED_BY(mutex);
  };

  void begin(Transfer& transfer);
  void begin(Execution& execution, Team& team);
  [[nodiscard]] Device::Done report(Ended ended);

  const RunClock& clock_;
  Bell& bell_;  ///< of the driver's thread
  std::shared_ptr<Inbox> inbox_;
  std::unique_ptr<Device> device_;
  std::size_t under_way_ = 0;  ///< begun, and not known to have ended
  // When the last of them ended: they do one after the other.
  Time last_copy_in_ = 0;
  Time last_copy_out_ = 0;
};

}  // namespace heddle::runtime
