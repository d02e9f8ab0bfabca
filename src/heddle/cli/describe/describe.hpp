#pragma once

#include <CLI/CLI.hpp>
#include <string>

/// The command described from its table of commands, for files that are made at build time and installed.
namespace heddle::cli {

/// A page of the manual in the macros of man(7). `date` is "2026-11-25".
[[nodiscard]] std::string man_page(const CLI::App& command, const std::string& date);

/// The name of the page and of its file, without the section: "heddle-history-show".
[[nodiscard]] std::string page_name(const CLI::App& command);

/// Scripts that the shells source to complete command lines.
[[nodiscard]] std::string bash_completion(const CLI::App& program);
[[nodiscard]] std::string zsh_completion(const CLI::App& program);
[[nodiscard]] std::string fish_completion(const CLI::App& program);

}  // namespace heddle::cli
