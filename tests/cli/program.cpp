#include "tests/cli/program.hpp"

#include <sys/wait.h>

#include <cstdlib>

#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

std::string in_quotes(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

/// What a command of the shell answered.
Answer answer_of(const std::string& command) {
  const Scratch scratch;
  const std::string whole = command + " >" + in_quotes(scratch.path("out")) + " 2>" + in_quotes(scratch.path("err"));
  const int status = std::system(whole.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(scratch.path("out")), read_file(scratch.path("err"))};
}

}  // namespace

Answer bash(const std::string& line) {
  return answer_of("HEDDLE=" + in_quotes(HEDDLE_PROGRAM) + " bash -c " + in_quotes(line));
}

Answer heddle(const std::vector<std::string>& arguments) {
  std::string command = in_quotes(HEDDLE_PROGRAM);
  for (const std::string& argument : arguments) command += " " + in_quotes(argument);
  return answer_of(command + " <&-");
}

}  // namespace heddle::test
