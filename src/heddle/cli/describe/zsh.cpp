#include <algorithm>
#include <set>

#include "heddle/cli/argument.hpp"
#include "heddle/cli/command_table.hpp"
#include "heddle/cli/describe/describe.hpp"
#include "heddle/cli/describe/tables.hpp"
#include "heddle/cli/describe/values.hpp"
#include "heddle/cli/shell_quote.hpp"

namespace heddle::cli {
namespace {

/// "_heddle_history_show": the function that completes what follows these words.
std::string function_of(const CLI::App& command) {
  std::string name = "_" + full_name(command);
  std::ranges::replace(name, ' ', '_');
  return name;
}

/// In the brackets that _arguments shows.
std::string in_brackets(const std::string& text) {
  std::string escaped;
  for (const char letter : text)
    escaped += letter == '[' || letter == ']' ? std::string("\\") + letter : std::string(1, letter);
  return "[" + escaped + "]";
}

/// ":NAME: what completes it"
std::string value_of(const std::string& name, const std::string& type) {
  return ":" + name + ": _heddle_values \"" + type + "\"";
}

/// One argument as _arguments wants it, quoted: '--platform=[The machine]:PLATFORM: _heddle_values "PLATFORM"'.
std::string specification(const Argument& argument, std::size_t position) {
  if (argument.is_positional) {
    const std::string place = argument.is_repeated ? "*" : std::to_string(position);
    return in_quotes(place + value_of(argument.names.front(), argument.type));
  }
  const std::string sign = argument.type.empty() ? "" : "=";
  const std::string rest =
      in_brackets(brief(argument.text)) + (argument.type.empty() ? "" : value_of(argument.type, argument.type));
  const std::string repeats = argument.is_repeated ? "*" : "";
  if (argument.names.size() == 1) return in_quotes(repeats + argument.names.front() + sign + rest);
  const std::string& one = argument.names.front();
  const std::string& other = argument.names.back();
  return "'(" + one + " " + other + ")'{" + one + (sign.empty() ? "" : "+") + "," + other + sign + "}" +
         in_quotes(rest);
}

/// A function that completes the arguments of a command, or the name of a command and what follows it.
std::string function(const CLI::App& command) {
  const std::string name = function_of(command);
  const std::vector<const CLI::App*> below = commands_of(command);
  std::string text = name + "() {\n";
  if (!below.empty()) {
    text += "  local curcontext=$curcontext state line ret=1\n  local -A opt_args\n  local -a commands=(\n";
    for (const CLI::App* sub : below) text += "    " + in_quotes(sub->get_name() + ":" + sub->get_description()) + '\n';
    text += "  )\n";
  }
  text += below.empty() ? "  _arguments" : "  _arguments -C";
  std::size_t position = 0;
  for (const Argument& argument : arguments_of(command)) {
    if (argument.is_positional) ++position;
    text += " \\\n    " + specification(argument, position);
  }
  if (below.empty()) return text + "\n}\n\n";
  return text + " \\\n    '1:command:->command' \\\n    '*::argument:->argument' && ret=0\n" +
         "  case $state in\n  command) _describe command commands && ret=0 ;;\n" + "  argument) (( $+functions[" +
         name + "_$words[1]] )) && " + name + "_$words[1] && ret=0 ;;\n" + "  esac\n  return ret\n}\n\n";
}

}  // namespace

std::string zsh_completion(const CLI::App& program) {
  std::string script =
      "#compdef heddle\n# Completes the arguments of heddle in zsh. Made by heddle_describe from the table of "
      "commands.\n\n";
  std::set<std::string> types;
  for (const CLI::App* command : all_commands(program)) {
    script += function(*command);
    for (const Argument& argument : arguments_of(*command)) types.insert(argument.type);
  }
  script += "_heddle_values() {\n  case $1 in\n";
  for (const std::string& type : types) {
    const Values values = type.empty() ? Values{} : values_of(type, program);
    if (values.empty()) continue;
    script += "  " + in_quotes(type) + ") _heddle_offer " + in_quotes(joined(values.names)) + " " +
              in_quotes(joined(values.settings)) + (values.are_files ? " files" : " ''") +
              (values.are_listed ? " listed" : "") + " ;;\n";
  }
  return script + "  *) _message $1 ;;\n  esac\n}\n\n" + std::string(fixed_part("completion.zsh"));
}

}  // namespace heddle::cli
