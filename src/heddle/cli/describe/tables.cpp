#include "heddle/cli/describe/tables.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "heddle/cli/command_table.hpp"
#include "heddle/cli/completion/embedded.hpp"

namespace heddle::cli {

std::vector<const CLI::App*> all_commands(const CLI::App& program) {
  std::vector<const CLI::App*> all{&program};
  for (const CLI::App* command : commands_of(program)) {
    const std::vector<const CLI::App*> below = all_commands(*command);
    all.insert(all.end(), below.begin(), below.end());
  }
  return all;
}

std::string path_of(const CLI::App& command) {
  const std::string name = full_name(command);
  const std::size_t space = name.find(' ');
  return space == std::string::npos ? "" : name.substr(space + 1);
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::string brief(const std::string& text) {
  const std::size_t end = std::min({text.find(". "), text.find(": "), text.size()});
  return end == text.size() && text.ends_with('.') ? text.substr(0, end - 1) : text.substr(0, end);
}

std::string_view fixed_part(std::string_view file) {
  return std::ranges::find(completion::files(), file, &completion::File::name)->text;
}

}  // namespace heddle::cli
