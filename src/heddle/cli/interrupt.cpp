#include "heddle/cli/interrupt.hpp"

#include <csignal>
#include <cstdlib>

namespace heddle::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void note_interrupt(int) {
  if (interrupted != 0) std::_Exit(130);
  interrupted = 1;
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, note_interrupt);
}

void check_interrupt() {
  if (interrupted != 0) throw Interrupted();
}

}  // namespace heddle::cli
