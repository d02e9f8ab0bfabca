// Part of every test program: a test that does not end, or ends the program, is named, where nothing else is said of
// those that pass.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

namespace heddle::test {
namespace {

constexpr unsigned kMostSeconds = 900;

std::array<char, 512> g_name{};
std::size_t g_length = 0;

void print(std::string_view text) {
  static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
}

void tell(int signal) {
  print("[  FAILED  ] ");
  print({g_name.data(), g_length});
  print(signal == SIGALRM ? ": has not ended after 15 minutes\n" : ": has ended the program\n");
  std::signal(SIGABRT, SIG_DFL);
  std::signal(signal, SIG_DFL);
  if (signal == SIGALRM) std::abort();
  raise(signal);
}

class NamesWhatFails : public testing::EmptyTestEventListener {
 public:
  void OnTestStart(const testing::TestInfo& test) override {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    g_length = name.copy(g_name.data(), g_name.size());
    std::signal(SIGALRM, tell);
    std::signal(SIGABRT, tell);
#ifndef HEDDLE_SANITIZED  // which tell more
    std::signal(SIGSEGV, tell);
#endif
    alarm(kMostSeconds);
  }
  void OnTestEnd(const testing::TestInfo& /*test*/) override { alarm(0); }
};

[[maybe_unused]] const bool kListens = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new NamesWhatFails);  // gtest owns it
  return true;
}();

}  // namespace
}  // namespace heddle::test
