#pragma once

#include <sys/types.h>

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/policy/registry.hpp"
#include "heddle/python/arrays.hpp"
#include "heddle/python/interpreter.hpp"
#include "heddle/runtime/runtime.hpp"

namespace heddle::python {

/// What tasks use, to be kept until all attempts at them have ended.
struct Kept {
  std::vector<std::shared_ptr<const void>> python;  ///< destroyed with the interpreter's lock
  std::vector<std::shared_ptr<const void>> native;  ///< destroyed without it, as that may wait for tasks

  void add(Kept other);
};

/// A runtime, and what Python code has given it. Its members but for `runtime` are guarded by the interpreter's lock.
/// The runtime's threads take that lock for tasks and policies in Python, the policies even while they have the
/// runtime's own. So no thread waits for the runtime while it holds the interpreter's: calls of the runtime give it up
/// (`natively`). Excepted are those that neither take a lock of the runtime nor call anything back, and so never wait:
/// data() (ArrayData::at), unfinished() and platform().
class Session {
 public:
  /// Without the interpreter's lock.
  Session(const runtime::Config& config, policy::Spec spec);
  /// Ended before.
  ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Where that is kept which tasks submitted by this thread use.
  [[nodiscard]] Kept& kept() { return recording() == this ? recorded : submitted; }
  /// The session, if any, for which this thread records what it submits.
  [[nodiscard]] static Session*& recording();

  /// call(runtime) without the interpreter's lock. Exceptions of Python pass as they are, with a note that names the
  /// task.
  template <class Call>
  auto natively(Call&& call) {
    std::exception_ptr thrown;
    try {
      const py::gil_scoped_release release;
      return call(*runtime);
    } catch (...) {
      thrown = std::current_exception();
    }
    raise(thrown);
  }

  /// Returns when all tasks have ended, and throws what the first one that failed has; meanwhile Ctrl-C is heeded.
  void wait();
  /// Waits for all tasks; what failed is not told. Nothing else uses the session any more.
  void end();

  std::unique_ptr<runtime::Runtime> runtime;  ///< none when it has ended
  bool is_closing = false;                    ///< no call begins any more
  ArrayData arrays;
  Kept submitted;
  Kept recorded;  ///< by graphs, which may run again and again
  const pid_t process;

 private:
  /// Throws it, as Python sees it.
  [[noreturn]] void raise(const std::exception_ptr& thrown) const;

  policy::Spec spec_;  ///< of the policy, to blame it
};

/// A call of a session by this thread, which keeps the session alive. Lives on the thread's stack: Python code that the
/// call runs, be it a signal handler, finds it there.
class SessionCall {
 public:
  explicit SessionCall(std::shared_ptr<Session> session)
      : session_(std::move(session)), outer_(std::exchange(innermost(), this)) {}
  ~SessionCall() { innermost() = outer_; }
  SessionCall(const SessionCall&) = delete;
  SessionCall& operator=(const SessionCall&) = delete;

  /// Whether this thread is in a call of the session, and so would wait for itself where it waits for its calls.
  [[nodiscard]] static bool is_in(const Session& session);

  [[nodiscard]] Session& operator*() const { return *session_; }
  [[nodiscard]] Session* operator->() const { return session_.get(); }
  [[nodiscard]] const std::shared_ptr<Session>& shared() const { return session_; }

 private:
  [[nodiscard]] static const SessionCall*& innermost();

  std::shared_ptr<Session> session_;
  const SessionCall* outer_;
};

}  // namespace heddle::python
