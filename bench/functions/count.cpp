// Which functions a task makes the runtime's threads enter: built by scripts/count-functions, which has the compiler
// call the functions below at each entry and exit (-finstrument-functions).
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "heddle/runtime/runtime.hpp"

extern "C" const char __executable_start;  // NOLINT(bugprone-reserved-identifier): the linker's name

namespace {

struct Entry {
  std::uintptr_t function;
  bool is_worker;
};

constexpr std::size_t kMost = 65'536;
constexpr int kRounds = 50;

std::atomic<bool> records = false;
std::atomic<std::size_t> count = 0;
std::array<Entry, kMost> entries;
thread_local bool is_program = false;  // the thread that submits

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the compiler's names
extern "C" [[gnu::no_instrument_function, gnu::visibility("default")]] void __cyg_profile_func_enter(void* function,
                                                                                                     void*) {
  if (!records.load(std::memory_order_acquire)) return;
  const std::size_t at = count.fetch_add(1);
  if (at < kMost) entries[at] = {reinterpret_cast<std::uintptr_t>(function), !is_program};
}
extern "C" [[gnu::no_instrument_function, gnu::visibility("default")]] void __cyg_profile_func_exit(void*, void*) {}
// NOLINTEND(bugprone-reserved-identifier)

/// Prints a line for each entry: round, "program" or "worker", and the place of the function in the executable.
int main() {
  using namespace heddle::runtime;
  is_program = true;
  const Kernel empty("empty", on_cpu([] {}));
  Runtime runtime({.workers = "cpu=1", .history = ""});
  const auto settle = [] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); };  // the worker sleeps then
  for (int i = 0; i < kRounds; ++i) runtime.submit(empty), runtime.wait();
  for (int round = 0; round < kRounds; ++round) {
    settle();
    count = 0;
    records = true;
    runtime.submit(empty);
    runtime.wait();
    settle();
    records = false;
    if (count > kMost) return 1;
    for (std::size_t i = 0; i < count; ++i) {
      std::printf(
          "%d %s %zx\n", round, entries[i].is_worker ? "worker" : "program",
          static_cast<std::size_t>(entries[i].function - reinterpret_cast<std::uintptr_t>(&__executable_start)));
    }
  }
}
