#include "tests/runtime/held_thread.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace heddle::runtime {
namespace {

std::atomic<bool> is_held = false;
std::atomic<bool> is_released = false;

// In the thread that is to be held: only what a signal handler may do.
void hold(int) {
  is_held = true;
  while (!is_released) {
    const timespec little{0, 100'000};
    nanosleep(&little, nullptr);
  }
  is_held = false;
}

void await_held(bool held) {
  while (is_held != held) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

}  // namespace

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    threads.push_back(std::stoi(entry.path().filename().string()));
  std::ranges::sort(threads);
  return threads;
}

void await_sleep(pid_t thread) {
  while (true) {
    std::string text;
    std::getline(std::ifstream("/proc/self/task/" + std::to_string(thread) + "/stat"), text);
    if (text.find(") S ") != std::string::npos) return;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

HeldThread::HeldThread(pid_t thread) {
  is_released = false;
  struct sigaction action = {};
  action.sa_handler = hold;
  action.sa_flags = SA_RESTART;
  if (sigaction(SIGUSR1, &action, nullptr) != 0 || syscall(SYS_tgkill, getpid(), thread, SIGUSR1) != 0)
    throw std::runtime_error("the thread cannot be held");
  await_held(true);
}

HeldThread::~HeldThread() {
  is_released = true;
  await_held(false);
}

}  // namespace heddle::runtime
