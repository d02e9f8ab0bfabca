#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heddle::cli {

/// An option or a positional argument of the table of commands, as help, manual pages and completion show it.
struct Argument {
  std::vector<std::string> names;  ///< "-o", "--output"; of a positional argument: "INSTANCE"
  std::string type;                ///< "FILE", "POLICY", "s|ms"; empty for a flag
  std::string text;                ///< sentences; the last ones name the default and say whether it is required
  bool is_positional = false;
  bool is_required = false;
  bool is_repeated = false;  ///< it takes several values, or may be given several times
};

[[nodiscard]] Argument describe(const CLI::Option& option);

/// Those of a command, positional arguments first, in the order of the table.
[[nodiscard]] std::vector<Argument> arguments_of(const CLI::App& command);

/// "-o, --output FILE", "INSTANCE"
[[nodiscard]] std::string title_of(const Argument& argument);

}  // namespace heddle::cli
