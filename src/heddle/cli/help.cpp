#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "heddle/cli/command_table.hpp"
#include "heddle/cli/commands.hpp"
#include "heddle/cli/glossary.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/wrap.hpp"
#include "heddle/model/error.hpp"

namespace heddle::cli {
namespace {

constexpr const char* kGlossary = "glossary";

const CLI::App& find_command(const CLI::App& program, std::span<const std::string> words) {
  const CLI::App* command = &program;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> known = commands_of(*command);
    const auto found = std::ranges::find(known, word, &CLI::App::get_name);
    if (found != known.end()) {
      command = *found;
      continue;
    }
    if (known.empty()) throw InputError(full_name(*command) + " has no commands; found '" + word + "'");
    throw InputError(no_command(
        *command, word, command == &program ? std::vector<std::string>{kGlossary} : std::vector<std::string>{}));
  }
  return *command;
}

}  // namespace

int help(const HelpOptions& options) {
  const std::span<const std::string> words = options.words;
  if (!words.empty() && words.front() == kGlossary) {
    const std::string term = fmt::format("{}", fmt::join(words.subspan(1), " "));
    fmt::print("{}", glossary_text(term, text_width(), terminal_style().ascii));
    return 0;
  }
  // Not App::help(): that of the program would be about the command that was chosen, which is this one.
  const CLI::App& command = find_command(*options.program, words);
  fmt::print("{}", command.get_formatter()->make_help(&command, full_name(command), CLI::AppFormatMode::Normal));
  return 0;
}

}  // namespace heddle::cli
