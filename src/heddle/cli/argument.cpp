#include "heddle/cli/argument.hpp"

#include <algorithm>

namespace heddle::cli {
namespace {

/// As it would be typed: CLI11 shows several values as "[a,b]".
std::string default_of(const CLI::Option& option) {
  const std::string text = option.get_default_str();
  return text.starts_with('[') && text.ends_with(']') ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

Argument describe(const CLI::Option& option) {
  Argument argument;
  argument.names = names_of(option);
  argument.is_positional = option.get_positional();
  argument.is_required = option.get_required();
  argument.is_repeated = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) argument.type = option.get_type_name();
  argument.text = option.get_description();
  const std::string usual = default_of(option);
  if (!argument.type.empty() && !usual.empty()) argument.text += " Default: " + usual + ".";
  if (!argument.is_positional && argument.is_required) argument.text += " Required.";
  return argument;
}

std::vector<Argument> arguments_of(const CLI::App& command) {
  std::vector<Argument> arguments;
  for (const CLI::Option* option : command.get_options()) arguments.push_back(describe(*option));
  std::ranges::stable_partition(arguments, &Argument::is_positional);
  return arguments;
}

std::string title_of(const Argument& argument) {
  std::string title;
  for (const std::string& name : argument.names) title += (title.empty() ? "" : ", ") + name;
  return argument.is_positional || argument.type.empty() ? title : title + " " + argument.type;
}

}  // namespace heddle::cli
