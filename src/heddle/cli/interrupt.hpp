#pragma once

namespace heddle::cli {

/// Thrown where work stops because the user pressed Ctrl-C.
struct Interrupted {};

/// From now on the first Ctrl-C asks the work to stop; the second ends the program, but not while a file is written.
void catch_interrupts();

/// While one of these lives, a second Ctrl-C waits.
class UninterruptedWrite {
 public:
  UninterruptedWrite();
  ~UninterruptedWrite();
  UninterruptedWrite(const UninterruptedWrite&) = delete;
  UninterruptedWrite& operator=(const UninterruptedWrite&) = delete;
};

/// Whether the user asked to stop.
[[nodiscard]] bool is_interrupted();

/// Throws Interrupted when the user asked to stop. Long work calls it now and then; files are written at once, so none
/// is left half-written.
void check_interrupt();

/// Whether the user asked to stop, for work that then ends with the best it has; having been told, it counts as done.
[[nodiscard]] bool take_interrupt();

}  // namespace heddle::cli
