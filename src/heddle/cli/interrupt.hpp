#pragma once

namespace heddle::cli {

/// Thrown where work stops because the user pressed Ctrl-C, or the program was asked to end (SIGTERM, SIGHUP).
struct Interrupted {};

/// From now on the first Ctrl-C, or the like, asks the work to stop; a later one ends the program, but not while a file
/// is written. Half-written files are left by neither.
void catch_interrupts();

/// What the program then exits with, as a shell would say it: 130 after Ctrl-C.
[[nodiscard]] int interrupt_status();

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
