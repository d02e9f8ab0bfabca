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

/// The instance `pair` of the formats' description: x takes 9 and 4 s, y 7.5 and 3 s.
inline constexpr const char* kPair = R"({"format": "heddle-instance", "version": 1, "name": "pair",
  "platform": {"classes": [{"name": "cpu", "workers": 1}, {"name": "gpu", "workers": 1}]},
  "types": [{"name": "X", "seconds": {"cpu": 9, "gpu": 4}}, {"name": "Y", "seconds": {"cpu": 7.5, "gpu": 3}}],
  "tasks": [{"name": "x", "type": "X"}, {"name": "y", "type": "Y"}]})";

}  // namespace heddle::test
