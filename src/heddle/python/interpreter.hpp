#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <utility>

namespace heddle::python {

namespace py = pybind11;

/// What Python code raised, on its way through the library. It is no std::exception: the library lets it pass, and it
/// arrives with its traceback.
struct Raised {
  py::error_already_set error;
};

/// Holds the interpreter's lock (GIL). A thread that is not Python's keeps what Python knows of it until it ends, as
/// making that takes longer than most calls.
class Locked {
 public:
  Locked();
  ~Locked() { PyGILState_Release(state_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Which code in Python an engine is calling on this thread.
enum class Callback : std::uint8_t { none, kernel, policy };

/// Says so while it lives.
class InCallback {
 public:
  explicit InCallback(Callback callback) : before_(std::exchange(current(), callback)) {}
  ~InCallback() { current() = before_; }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;

  [[nodiscard]] static Callback& current();

 private:
  Callback before_;
};

/// Whether the calling thread, which holds the lock, is the one to which Python tells signals.
[[nodiscard]] bool is_main_thread();

namespace detail {

/// Waits until `done` says so, while Ctrl-C is looked for; sets `stopped` when a handler raises something, which is
/// thrown in the end.
void wait_heeding_signals(const std::function<bool(std::chrono::milliseconds)>& done, std::atomic<bool>& stopped);

}  // namespace detail

/// work(stop) without the interpreter's lock, which the caller holds. `stop` says whether the work is to end, since the
/// user pressed Ctrl-C: then KeyboardInterrupt comes out, whatever the work returns or throws.
template <class Work>
auto unlocked(Work&& work) {
  std::atomic<bool> stopped = false;
  const std::function<bool()> stop = [&stopped] { return stopped.load(std::memory_order_relaxed); };
  const bool heeds_signals = is_main_thread();
  try {
    const py::gil_scoped_release release;
    if (!heeds_signals) return work(stop);
    auto result = std::async(std::launch::async, [&] { return work(stop); });
    detail::wait_heeding_signals(
        [&](std::chrono::milliseconds time) { return result.wait_for(time) == std::future_status::ready; }, stopped);
    return result.get();
  } catch (Raised& raised) {
    throw std::move(raised.error);
  }
}

}  // namespace heddle::python
