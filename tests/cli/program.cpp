#include "tests/cli/program.hpp"

#include <sys/wait.h>

#include <cstdlib>

#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

}  // namespace

Answer heddle(const std::vector<std::string>& arguments) {
  const Scratch scratch;
  std::string command = quoted(HEDDLE_PROGRAM);
  for (const std::string& argument : arguments) command += " " + quoted(argument);
  command += " <&- >" + quoted(scratch.path("out")) + " 2>" + quoted(scratch.path("err"));
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(scratch.path("out")), read_file(scratch.path("err"))};
}

}  // namespace heddle::test
