#include "tests/support/checksum.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/support/rounds.hpp"

namespace heddle::test {

void Checksum::add(const Attempt& attempt) {
  add(attempt.task);
  add(attempt.worker);
  add(attempt.start);
  add(attempt.end);
  add(attempt.outcome);
}

void Checksum::add(const Transfer& transfer) {
  add(transfer.data);
  add(transfer.from);
  add(transfer.to);
  add(transfer.start);
  add(transfer.end);
  add(transfer.bytes);
}

void Checksum::add(const Schedule& schedule) {
  add(schedule.attempts);
  add(schedule.transfers);
}

std::string Checksum::text() const {
  std::ostringstream digits;
  digits << std::hex << hash_;
  return digits.str();
}

void expect_known(const std::string& file, const std::string& name, const Checksum& checksum) {
  if (rounds(10) != 10) return;
  std::ifstream lines(file);
  std::string line;
  while (std::getline(lines, line)) {
    if (line == name + ' ' + checksum.text()) return;
  }
  ADD_FAILURE() << file << " has no line\n" << name << ' ' << checksum.text();
}

}  // namespace heddle::test
