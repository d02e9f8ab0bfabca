#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace heddle::cli {

/// What the arguments of the program come to.
struct Chosen {
  std::string command_line;            ///< as it would be typed, for commands that write it down
  std::function<int()> command;        ///< the one that was chosen, ready to be done; it returns the exit status
  std::vector<std::string> plugins{};  ///< files with policies, to be opened before
};

/// Declares the program: every command with its options, in the order of --help. Parsing sets `chosen.command`; `app`
/// and `chosen` have to outlive that.
///
/// The type names of arguments say what may be written there; completion offers the values of those it knows
/// (describe/values.hpp).
void declare_commands(CLI::App& app, Chosen& chosen);

/// The commands of the program or of a group of commands ("history"), in the order of --help.
[[nodiscard]] std::vector<const CLI::App*> commands_of(const CLI::App& app);

[[nodiscard]] std::vector<std::string> command_names(const CLI::App& app);

/// "heddle history show"
[[nodiscard]] std::string full_name(const CLI::App& command);

/// A sentence that no command of `app` is called so, with the nearest and the possible names; `others` are possible,
/// too.
[[nodiscard]] std::string no_command(const CLI::App& app, const std::string& word,
                                     const std::vector<std::string>& others = {});

}  // namespace heddle::cli
