#include <set>

#include "heddle/cli/argument.hpp"
#include "heddle/cli/command_table.hpp"
#include "heddle/cli/describe/describe.hpp"
#include "heddle/cli/describe/tables.hpp"
#include "heddle/cli/describe/values.hpp"
#include "heddle/cli/shell_quote.hpp"

namespace heddle::cli {
namespace {

/// "complete" where the words before the cursor are this command.
std::string complete_at(const CLI::App& command) {
  return "complete -c heddle -n " + in_quotes("__heddle_at \"" + path_of(command) + "\"");
}

/// What completes a value, with files or without: "-x -a '(__heddle_values POLICY)'".
std::string value_of(const Argument& argument, const Values& values) {
  std::string files = values.are_files ? " -F" : argument.is_positional ? "" : " -x";
  if (values.names.empty()) return files;
  return files + " -a " + in_quotes("(__heddle_values \"" + argument.type + "\")");
}

std::string complete_argument(const CLI::App& command, const Argument& argument, const Values& values) {
  std::string text = complete_at(command);
  if (!argument.is_positional) {
    for (const std::string& name : argument.names) {
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
  }
  if (!argument.type.empty()) text += (argument.is_positional ? "" : " -r") + value_of(argument, values);
  return text + (argument.is_positional ? "" : " -d " + in_quotes(brief(argument.text))) + '\n';
}

}  // namespace

std::string fish_completion(const CLI::App& program) {
  std::string commands;
  std::string lines;
  std::string cases;
  std::set<std::string> seen;
  for (const CLI::App* command : all_commands(program)) {
    if (command != &program) commands += " " + in_quotes(path_of(*command));
    for (const CLI::App* sub : commands_of(*command)) {
      lines += complete_at(*command) + " -a " + sub->get_name() + " -d " + in_quotes(sub->get_description()) + '\n';
    }
    for (const Argument& argument : arguments_of(*command)) {
      const Values values = argument.type.empty() ? Values{} : values_of(argument.type, program);
      lines += complete_argument(*command, argument, values);
      if (values.names.empty() || !seen.insert(argument.type).second) continue;
      cases += "        case " + in_quotes(argument.type) + "\n            __heddle_offer " +
               in_quotes(joined(values.names)) + " " + in_quotes(joined(values.settings)) +
               (values.are_listed ? " listed" : "") + '\n';
    }
  }
  return "# Completes the arguments of heddle in fish. Made by heddle_describe from the table of commands.\n\n" +
         std::string(fixed_part("completion.fish")) + "\nset -g __heddle_commands" + commands +
         "\n\nfunction __heddle_values --argument-names kind\n    switch $kind\n" + cases + "    end\nend\n\n" +
         "complete -c heddle -f\n" + lines;
}

}  // namespace heddle::cli
