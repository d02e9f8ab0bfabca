#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

/// What the completions of all shells are made from.
namespace heddle::cli {

/// The program, its commands and those of its groups of commands.
[[nodiscard]] std::vector<const CLI::App*> all_commands(const CLI::App& program);

/// What is typed behind the program's name: "history show"; "" for the program.
[[nodiscard]] std::string path_of(const CLI::App& command);

/// "a b c"
[[nodiscard]] std::string joined(const std::vector<std::string>& words);

/// The beginning of a description, without a period: up to the first ". " or ": ".
[[nodiscard]] std::string brief(const std::string& text);

/// The part of a script that does not depend on the commands: completion.bash, completion.zsh, completion.fish.
[[nodiscard]] std::string_view fixed_part(std::string_view file);

}  // namespace heddle::cli
