#include <set>

#include "heddle/cli/argument.hpp"
#include "heddle/cli/command_table.hpp"
#include "heddle/cli/describe/describe.hpp"
#include "heddle/cli/describe/tables.hpp"
#include "heddle/cli/describe/values.hpp"
#include "heddle/cli/shell_quote.hpp"

namespace heddle::cli {
namespace {

/// The lines of a `case`, and what follows them.
std::string function(const std::string& name, const std::string& cases) {
  return name + "() {\n  case $1 in\n" + cases + "  *) return 1 ;;\n  esac\n}\n\n";
}

std::string line(const std::string& pattern, const std::string& action) {
  return "  " + pattern + ") " + action + " ;;\n";
}

}  // namespace

std::string bash_completion(const CLI::App& program) {
  std::string is_command;
  std::string commands;
  std::string options;
  std::string option;
  std::string argument;
  std::set<std::string> types;
  for (const CLI::App* command : all_commands(program)) {
    const std::string path = in_quotes(path_of(*command));
    if (command != &program) is_command += line(path, "return 0");
    if (!commands_of(*command).empty()) commands += line(path, "echo " + in_quotes(joined(command_names(*command))));
    std::string names;
    std::size_t position = 0;
    for (const Argument& one : arguments_of(*command)) {
      types.insert(one.type);
      const std::string kind = "kind=" + in_quotes(one.type);
      if (one.is_positional) {
        const std::string place = one.is_repeated ? "*" : std::to_string(position++);
        argument += line(in_quotes(path_of(*command) + "/") + place, kind);
        continue;
      }
      std::string pattern;
      for (const std::string& name : one.names) {
        names += (names.empty() ? "" : " ") + name;
        pattern += (pattern.empty() ? "" : " | ") + in_quotes(path_of(*command) + "/" + name);
      }
      option += line(pattern, kind);
    }
    options += line(path, "echo " + in_quotes(names));
  }
  std::string values;
  for (const std::string& type : types) {
    if (type.empty()) continue;
    const Values possible = values_of(type, program);
    values += line(in_quotes(type),
                   "names=" + in_quotes(joined(possible.names)) + " settings=" + in_quotes(joined(possible.settings)) +
                       (possible.are_files ? " files=yes" : "") + (possible.are_listed ? " listed=yes" : ""));
  }
  return "# Completes the arguments of heddle in bash. Made by heddle_describe from the table of commands.\n\n" +
         function("_heddle_is_command", is_command) + function("_heddle_commands", commands) +
         function("_heddle_options", options) +
         "# COMMAND/OPTION and COMMAND/POSITION; the kind of value goes into $kind, empty for an option without.\n" +
         function("_heddle_option", option) + function("_heddle_argument", argument) +
         function("_heddle_values", values) + std::string(fixed_part("completion.bash"));
}

}  // namespace heddle::cli
