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

/// For work that ends with the best it has when the user asks to stop: from now on check_interrupt lets that be printed
/// and written. Such work asks is_interrupted.
void keep_result();

}  // namespace heddle::cli
