#include "tests/cli/program.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

std::string in_quotes(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

/// A copy of the program that every user can reach, even where others may not enter the build's folder.
std::string public_program() {
  namespace fs = std::filesystem;
  static const Scratch scratch;
  const std::string copy = scratch.path("heddle");
  fs::permissions(scratch.path(""), fs::perms::others_exec, fs::perm_options::add);
  fs::copy_file(HEDDLE_PROGRAM, copy, fs::copy_options::skip_existing);
  return copy;
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

Answer bash_of_a_user(const std::string& line) {
  const std::string as_nobody = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  return answer_of("HEDDLE=" + in_quotes(public_program()) + " " + as_nobody + "bash -c " + in_quotes(line));
}

Answer heddle(const std::vector<std::string>& arguments) {
  std::string command = in_quotes(HEDDLE_PROGRAM);
  for (const std::string& argument : arguments) command += " " + in_quotes(argument);
  return answer_of(command + " <&-");
}

nlohmann::json json_of(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Answer answer = heddle(arguments);
  EXPECT_EQ(answer.status, 0) << answer.err;
  return nlohmann::json::parse(answer.out);
}

}  // namespace heddle::test
