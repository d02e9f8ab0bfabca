#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/cli/argument.hpp"
#include "heddle/cli/command_table.hpp"
#include "heddle/cli/describe/describe.hpp"

namespace heddle::cli {
namespace {

/// Text that troff shows as it is: a plain "-" would become a hyphen, and a line that begins with a dot a request. Long
/// lists may be broken after commas.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const bool begins_line = result.empty() || result.back() == '\n';
    if (begins_line && (letter == '.' || letter == '\'')) result += "\\&";
    switch (letter) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case ',':
        result += ",\\:";
        break;
      case '~':
        result += "\\(ti";
        break;
      case '^':
        result += "\\(ha";
        break;
      default:
        result += letter;
    }
  }
  return result;
}

std::string bold(const std::string& text) {
  return "\\fB" + escaped(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + escaped(text) + "\\fR";
}

std::string entry(const std::string& title, const std::string& text) {
  return ".TP\n" + title + '\n' + escaped(text) + '\n';
}

/// "-o, --output FILE": what is typed in bold, what it stands for in italics.
std::string styled_title(const Argument& argument) {
  if (argument.is_positional) return italic(argument.names.front());
  std::string title;
  for (const std::string& name : argument.names) title += (title.empty() ? "" : ", ") + bold(name);
  return argument.type.empty() ? title : title + " " + italic(argument.type);
}

std::string synopsis(const CLI::App& command, const std::vector<Argument>& arguments) {
  std::string text = bold(full_name(command)) + " [" + italic("OPTIONS") + "]";
  for (const Argument& argument : arguments) {
    if (!argument.is_positional) continue;
    const std::string name = italic(argument.names.front()) + (argument.is_repeated ? "..." : "");
    text += argument.is_required ? " " + name : " [" + name + "]";
  }
  return commands_of(command).empty() ? text : text + " " + italic("COMMAND");
}

/// What follows `heading` in the command's footer, up to an empty line; "" without it.
std::string footer_part(const CLI::App& command, const std::string& heading) {
  const std::string footer = command.get_footer();
  const std::size_t begin = footer.find(heading);
  if (begin == std::string::npos) return "";
  const std::size_t end = footer.find("\n\n", begin);
  return footer.substr(begin + heading.size(), end == std::string::npos ? end : end - begin - heading.size());
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return text;
}

std::string lower_first(std::string text) {
  text.front() = static_cast<char>(std::tolower(static_cast<unsigned char>(text.front())));
  return text;
}

/// Commands on either side, which a reader looks up next: those below, else those of the same group.
std::string see_also(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  std::vector<std::string> names;
  if (parent != nullptr) names.push_back(page_name(*parent));
  for (const CLI::App* sub : commands_of(parent == nullptr || !commands_of(command).empty() ? command : *parent)) {
    if (sub != &command) names.push_back(page_name(*sub));
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",\n") + bold(name) + "(1)";
  return text + '\n';
}

}  // namespace

std::string page_name(const CLI::App& command) {
  std::string name = full_name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page(const CLI::App& command, const std::string& date) {
  const std::vector<Argument> arguments = arguments_of(command);
  std::string page = ".\\\" Made by heddle_describe from the table of commands.\n";
  page +=
      fmt::format(".TH {} 1 {} \"heddle {}\" \"Heddle\"\n", escaped(upper(page_name(command))), date, HEDDLE_VERSION);
  page += ".ad l\n.nh\n";  // names are not divided, and lines with long ones not stretched
  page += fmt::format(".SH NAME\n{} \\- {}\n", escaped(page_name(command)),
                      escaped(lower_first(command.get_description())));
  page += ".SH SYNOPSIS\n" + synopsis(command, arguments) + '\n';

  page += ".SH DESCRIPTION\n" + escaped(command.get_description()) + ".\n";
  if (const std::string terms = footer_part(command, "Terms "); !terms.empty()) {
    page += ".PP\nTerms " + escaped(terms) + '\n';
  }
  for (const Argument& argument : arguments) {
    if (argument.is_positional) page += entry(styled_title(argument), argument.text);
  }
  const std::vector<const CLI::App*> commands = commands_of(command);
  if (!commands.empty()) page += ".SS Commands\n";
  for (const CLI::App* sub : commands) page += entry(bold(sub->get_name()), sub->get_description() + ".");

  page += ".SH OPTIONS\n";
  for (const Argument& argument : arguments) {
    if (!argument.is_positional) page += entry(styled_title(argument), argument.text);
  }
  page += ".SH EXAMPLES\n.nf\n" + escaped(footer_part(command, "Example:\n  ")) + "\n.fi\n";

  page += ".SH EXIT STATUS\n" + entry("0", "The command is done.");
  const std::string no =
      command.get_parent() == nullptr ? "for example, a schedule is invalid." : footer_part(command, "Exit status 1: ");
  if (!no.empty()) page += entry("1", "The answer is no: " + no);
  page += entry("2", "The input or the command line is wrong. A sentence on standard error says how.");
  page += entry("3", "Heddle itself made an error. Please report it.");
  page += entry("130", "The command was interrupted.");
  return page + ".SH SEE ALSO\n" + see_also(command);
}

}  // namespace heddle::cli
