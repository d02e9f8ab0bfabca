#pragma once

namespace heddle::cli {

/// Thrown where work stops because the user pressed Ctrl-C, or the program was asked to end (SIGTERM, SIGHUP).
struct Interrupted {};

/// From now on Ctrl-C, or the like, ends the program at once, even where it waits for a pipe or a lock. Where work
/// heeds it (Heeding, keep_result), the first one only asks the work to stop. While a file is written, each waits.
/// Half-written files are left by none. A limit on the size of files is an error of the write that meets it.
void catch_interrupts();

/// What the program then exits with, as a shell would say it: 130 after Ctrl-C.
[[nodiscard]] int interrupt_status();

/// While one of these lives, work goes on that heeds Ctrl-C: it asks check_interrupt or is_interrupted often.
class Heeding {
 public:
  Heeding();
  ~Heeding();
  Heeding(const Heeding&) = delete;
  Heeding& operator=(const Heeding&) = delete;
};

/// While one of these lives, Ctrl-C waits.
class UninterruptedWrite {
 public:
  UninterruptedWrite();
  ~UninterruptedWrite();
  UninterruptedWrite(const UninterruptedWrite&) = delete;
  UninterruptedWrite& operator=(const UninterruptedWrite&) = delete;
};

/// While one of these lives, the program waits for a reader of a pipe, which may never come. Once the user asks to
/// stop, the program ends: at once, or where the result is kept, when the reader has not taken all of it after five
/// seconds.
class WaitForReader {
 public:
  WaitForReader();
  ~WaitForReader();
  WaitForReader(const WaitForReader&) = delete;
  WaitForReader& operator=(const WaitForReader&) = delete;
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
