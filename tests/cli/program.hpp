#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/scratch.hpp"

namespace heddle::test {

/// What the real program answered.
struct Answer {
  int status = -1;
  std::string out;
  std::string err;
};

/// Runs a line of bash, in which $HEDDLE is the real program: for pipes.
[[nodiscard]] Answer bash(const std::string& line);

/// The same as a user without root's rights: where this process is root's, as the system's user "nobody".
[[nodiscard]] Answer bash_of_a_user(const std::string& line);

/// Runs `heddle` with these arguments, without a terminal and without standard input.
[[nodiscard]] Answer heddle(const std::vector<std::string>& arguments);

/// What `heddle` answers to these arguments and --json; expects status 0.
[[nodiscard]] nlohmann::json json_of(std::vector<std::string> arguments);

[[nodiscard]] inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace heddle::test
