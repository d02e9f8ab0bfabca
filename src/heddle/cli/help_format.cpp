#include "heddle/cli/help_format.hpp"

#include "heddle/cli/argument.hpp"
#include "heddle/cli/wrap.hpp"

namespace heddle::cli {
namespace {

constexpr std::size_t kMargin = 2;
constexpr std::size_t kArgumentColumn = 26;  // where sentences begin
constexpr std::size_t kCommandColumn = 14;

}  // namespace

HelpFormat::HelpFormat(std::size_t width) : width_(width) {
  label("Positionals", "Arguments");
  label("SUBCOMMAND", "COMMAND");
}

std::string HelpFormat::make_description(const CLI::App* app) const {
  return wrap(app->get_description() + ".", width_);
}

std::string HelpFormat::make_option(const CLI::Option* option, bool /*is_positional*/) const {
  const Argument argument = describe(*option);
  return entry(title_of(argument), argument.text, kArgumentColumn);
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description(), kCommandColumn);
}

std::string HelpFormat::entry(const std::string& title, const std::string& text, std::size_t column) const {
  const bool is_narrow = width_ < 2 * column;
  const std::string lines = wrap(text, width_, is_narrow ? 2 * kMargin : column);
  const std::string head = std::string(kMargin, ' ') + title;
  if (is_narrow || head.size() + 2 > column) return head + '\n' + lines;
  return head + lines.substr(head.size());
}

}  // namespace heddle::cli
