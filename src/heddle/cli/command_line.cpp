#include "heddle/cli/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "heddle/cli/command_table.hpp"
#include "heddle/cli/help_format.hpp"
#include "heddle/cli/interrupt.hpp"
#include "heddle/cli/output.hpp"
#include "heddle/cli/shell_quote.hpp"
#include "heddle/cli/wrap.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/policy/registry.hpp"
#include "heddle/report/text_table.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::cli {
namespace {

constexpr int kDone = 0;
constexpr int kBadInput = 2;
constexpr int kOwnBug = 3;

int fail(int status, const std::string& sentence) {
  std::fprintf(stderr, "heddle: %s\n", report::harmless(sentence).c_str());
  return status;
}

/// The command that was chosen as far as the words were understood: `heddle` itself, `heddle history`, ...
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

/// One sentence for a word that no command or option is called.
std::string explain_unexpected(const CLI::App& app, const std::string& word) {
  const CLI::App& command = chosen_command(app);
  if (!word.starts_with('-')) {
    if (!commands_of(command).empty()) return no_command(command, word);
    return full_name(command) + " has no use for the argument '" + word + "'";
  }
  std::vector<std::string> possible;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) possible.push_back("--" + name);
  }
  const std::string name = word.substr(0, word.find('='));
  return full_name(command) + " has no option '" + name + "'" + suggest(name, possible);
}

std::string explain(const CLI::App& app, const CLI::ParseError& error) {
  // Whatever else is missing: an unknown word is most likely the reason.
  const std::vector<std::string> words = app.remaining(true);
  if (!words.empty()) return explain_unexpected(app, words.front());
  const CLI::App& command = chosen_command(app);
  const std::vector<std::string> commands = command_names(command);
  const std::string what =
      commands.empty() ? error.what() : full_name(command) + " needs a command" + suggest("", commands);
  return what + " (see " + full_name(command) + " --help)";
}

int execute(const std::function<int()>& command) {
  try {
    const int status = command();
    check_interrupt();
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      return fail(kBadInput, kUnwritable);
    }
    return status;
  } catch (const Interrupted&) {
    return interrupt_status();
  } catch (const InputError& error) {
    return fail(kBadInput, error.what());
  } catch (const runtime::TaskFailure& failure) {  // memory was missing, or a device is gone
    return fail(kBadInput, failure.what());
  } catch (const std::bad_alloc&) {
    return fail(kBadInput, "this does not fit in memory");
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) return fail(kBadInput, kUnwritable);
    return fail(kBadInput, fmt::format("the system refuses a thread or a file: {} (ulimit -a)", error.what()));
  } catch (const std::exception& error) {
    // What was printed did not fit into the buffer any more, and printing threw.
    if (std::ferror(stdout) != 0) return fail(kBadInput, kUnwritable);
    return fail(kOwnBug, std::string("internal error, please report it: ") + error.what());
  }
}

/// The argument as it has to be typed in a shell: in quotes if it holds anything but letters, digits and a few signs.
std::string quoted(const std::string& argument) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%^";
  if (!argument.empty() && argument.find_first_not_of(kPlain) == std::string::npos) return argument;
  return in_quotes(argument);
}

std::string line_of(int argc, const char* const* argv) {
  std::string line = "heddle";
  for (int i = 1; i < argc; ++i) line += " " + quoted(argv[i]);
  return line;
}

}  // namespace

int run(int argc, const char* const* argv) {
  CLI::App app;
  app.formatter(std::make_shared<HelpFormat>(text_width()));
  Chosen chosen{line_of(argc, argv), {}, {}};
  declare_commands(app, chosen);
  catch_interrupts();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == kDone) return execute([&] { return app.exit(error); });
    if (argc == 1) {
      std::fputs(app.help().c_str(), stderr);
      return kBadInput;
    }
    return fail(kBadInput, explain(app, error));
  }
  return execute([&] {
    for (const std::string& plugin : chosen.plugins) policy::open_plugin(plugin);
    return chosen.command();
  });
}

}  // namespace heddle::cli
