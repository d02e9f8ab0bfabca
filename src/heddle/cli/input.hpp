#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/cli/commands.hpp"
#include "heddle/io/detect.hpp"
#include "heddle/io/file.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/machine.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::cli {

/// An instance and where it came from.
struct Loaded {
  Instance instance;
  std::string platform;          ///< its name, for people: "mirage:gpu=5", or that of the file
  bool links_undecided = false;  ///< LoadedMachine::links_undecided of that machine; the instance is without links
};

/// A machine, as an argument describes it.
struct LoadedMachine {
  Machine machine;
  std::string name;  ///< with the settings that were given: "mirage:gpu=5"
  /// It has measured links, and the argument does not say whether to use them: a run on it is without.
  bool links_undecided = false;
};

/// A file that was read: once, as what comes from a pipe can be.
struct InputFile {
  std::string path;  ///< as it was named, but "standard input" for "-"
  std::string content;
  io::Format format = io::Format::unknown;
};

/// What a path that the user wrote leads to: "-" is standard input. A file of that name is "./-".
[[nodiscard]] io::PathKind input_kind(const std::string& path);

/// The text of a file, packed or not; "-" is standard input, which says the same however often it is named. Throws
/// InputError, and Interrupted when the user asks to stop while a pipe is silent.
[[nodiscard]] std::string read_text(const std::string& path);

/// Reads a file, packed or not. `format`: what it is; unknown: by content. Throws InputError.
[[nodiscard]] InputFile read_input(const std::string& path, io::Format format = io::Format::unknown);

/// The machine that an argument like those of --platform describes, with all that was measured: also links that the
/// argument does not mention, and classes without workers. Throws InputError.
[[nodiscard]] LoadedMachine load_machine(const std::string& argument);
/// The same of a platform file that was read.
[[nodiscard]] LoadedMachine load_machine(const InputFile& file);
/// Whether the argument names a machine: a built-in one, a folder, or a file with settings behind it.
[[nodiscard]] bool names_machine(const std::string& argument);

/// The instance that an INSTANCE argument describes; warnings go to standard error. Throws InputError, also when a
/// platform is missing or in the way.
[[nodiscard]] Loaded load_instance(const std::string& argument, const InputOptions& options);
/// The same of a file that was read. `data`: the data.rec of a tasks.rec; none: the one that lies beside it.
[[nodiscard]] Loaded load_instance(const InputFile& file, const InputOptions& options,
                                   const std::optional<InputFile>& data = std::nullopt);

/// The policy that a POLICY argument describes. An option "key=@FILE" has what the file holds for its value. Throws
/// InputError.
[[nodiscard]] policy::Spec load_policy(const std::string& argument);

/// Does what a policy decides in. What it throws, or is told for answers that make no sense, is a mistake of ours: but
/// not where the policy is that of a plug-in, of which an InputError then says so.
template <class F>
auto blaming_plugin(const policy::Spec& spec, F&& decide) {
  try {
    return decide();
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    if (spec.entry().plugin.empty()) throw;
    throw InputError("plug-in '" + spec.entry().plugin + "': policy '" + spec.entry().name + "': " + error.what());
  }
}

/// Whether the policy follows a schedule and does not say which.
[[nodiscard]] bool lacks_plan(const policy::Spec& spec);

/// The schedule that a policy wants to follow, if it does: its option `file`.
[[nodiscard]] Schedule load_plan(const policy::Spec& spec, const Instance& instance);
/// The same where the tasks are not known yet; empty for policies that want none.
[[nodiscard]] std::function<Schedule(const Instance&)> load_plan(const policy::Spec& spec);

/// "2s", "500ms" or "2" (seconds), the value of an option; more than 0. Throws InputError that names the option.
[[nodiscard]] double parse_seconds(const std::string& option, const std::string& text);

/// Splits "all,heft:rank=avg,dada:alpha=0.5,cp=true" at the commas between policies; "all" is every registered one.
[[nodiscard]] std::vector<std::string> split_policies(const std::string& text);

/// One line on standard error.
void warn(const std::string& sentence);

}  // namespace heddle::cli
