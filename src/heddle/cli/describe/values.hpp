#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace heddle::cli {

/// What may be written for an argument of some type.
struct Values {
  std::vector<std::string> names;     ///< "heft", "mirage"
  std::vector<std::string> settings;  ///< of these names: "heft:rank=min", "cholesky:tiles="
  bool are_files = false;             ///< the names of files, too
  bool are_listed = false;            ///< several, separated by commas

  [[nodiscard]] bool empty() const { return names.empty() && !are_files; }
};

/// Those of a type name of the table of commands: from the registries, and for "s|ms" the words themselves. Empty where
/// nothing can be proposed, as for numbers. An InternalError for a type that is not known here: a new one has to be
/// thought of.
[[nodiscard]] Values values_of(const std::string& type, const CLI::App& program);

}  // namespace heddle::cli
