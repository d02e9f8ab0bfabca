#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace heddle::cli {

/// What the arguments of the program come to.
struct Chosen {
  std::string command_line;      ///< as it would be typed, for commands that write it down
  std::function<int()> command;  ///< the one that was chosen, ready to be done; it returns the exit status
};

/// Declares every command with its options, in the order of --help. Parsing sets `chosen.command`; `chosen` has to
/// outlive that.
void declare_commands(CLI::App& app, Chosen& chosen);

}  // namespace heddle::cli
