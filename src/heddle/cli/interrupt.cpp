#include "heddle/cli/interrupt.hpp"

#include <csignal>
#include <cstdlib>

namespace heddle::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;
volatile std::sig_atomic_t writing = 0;
bool result_kept = false;

extern "C" void note_interrupt(int) {
  if (interrupted != 0 && writing == 0) std::_Exit(130);
  interrupted = 1;
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, note_interrupt);
}

UninterruptedWrite::UninterruptedWrite() {
  writing = 1;
}

UninterruptedWrite::~UninterruptedWrite() {
  writing = 0;
}

bool is_interrupted() {
  return interrupted != 0;
}

void check_interrupt() {
  if (is_interrupted() && !result_kept) throw Interrupted();
}

void keep_result() {
  result_kept = true;
}

}  // namespace heddle::cli
