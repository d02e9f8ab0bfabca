#include "heddle/cli/interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "heddle/io/file.hpp"

namespace heddle::cli {
namespace {

/// What asked to stop first; 0: nothing did.
volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t writing = 0;
volatile std::sig_atomic_t result_kept = 0;
volatile std::sig_atomic_t waiting = 0;
std::atomic<int> heeding = 0;
std::atomic<std::int64_t> first_at = 0;  // in milliseconds
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler uses them");

/// A shell and what runs a program for a limited time may both ask, at once: that counts as once.
constexpr std::int64_t kAtOnce = 200;

/// How long a reader may take, in seconds.
constexpr unsigned kPatience = 5;

std::int64_t milliseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

void end_now() {
  io::remove_unfinished_files();
  std::_Exit(interrupt_status());
}

extern "C" void note_interrupt(int signal) {
  if (interrupted == 0) {
    first_at = milliseconds();
    interrupted = signal;
    if (waiting != 0 && result_kept != 0) alarm(kPatience);
    if (result_kept != 0 || (heeding > 0 && waiting == 0)) return;
  } else if (milliseconds() <= first_at + kAtOnce) {
    return;
  }
  if (writing == 0) end_now();
}

extern "C" void end_the_wait(int /*signal*/) {
  end_now();
}

}  // namespace

void catch_interrupts() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, note_interrupt);
  // Who started the program may want it to go on (nohup).
  if (std::signal(SIGHUP, note_interrupt) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
  std::signal(SIGALRM, end_the_wait);
  std::signal(SIGXFSZ, SIG_IGN);  // the write fails, and what it has begun is removed
}

int interrupt_status() {
  return 128 + interrupted;
}

Heeding::Heeding() {
  ++heeding;
}

Heeding::~Heeding() {
  --heeding;
}

UninterruptedWrite::UninterruptedWrite() {
  writing = 1;
}

UninterruptedWrite::~UninterruptedWrite() {
  writing = 0;
}

WaitForReader::WaitForReader() {
  waiting = 1;
  if (is_interrupted()) alarm(kPatience);
}

WaitForReader::~WaitForReader() {
  alarm(0);
  waiting = 0;
}

bool is_interrupted() {
  return interrupted != 0;
}

void check_interrupt() {
  if (is_interrupted() && result_kept == 0) throw Interrupted();
}

void keep_result() {
  result_kept = 1;
}

}  // namespace heddle::cli
