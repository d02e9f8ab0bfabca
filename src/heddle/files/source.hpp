#pragma once

#include <string>

#include "heddle/files/files.hpp"
#include "heddle/io/file.hpp"
#include "heddle/platforms/platforms.hpp"

namespace heddle::files {

/// Before numbers of workers of a machine that is nothing else, or of an instance's own.
inline constexpr std::string_view kCounts = "counts:";

/// A machine as it was measured, and what the user says of it.
struct Source {
  Machine machine;
  std::string settings;
  platforms::Links links;  ///< what becomes of its links when the settings do not say

  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool leaves_links_undecided() const;
};

/// What a text that names a machine means.
[[nodiscard]] Source find_source(const std::string& text, const Reading& reading);

/// "mirage:gpu=5"; the name alone without settings.
[[nodiscard]] std::string with_settings(const std::string& name, const std::string& settings);

/// A policy of which each option "key=@FILE" has what the file holds for its value, as text: contexts name theirs so.
[[nodiscard]] std::string with_files_inside(const std::string& policy, const Reading& reading);

/// What a path leads to, standard input included.
[[nodiscard]] io::PathKind kind_of(const std::string& path);

/// Tells each of several warnings.
void tell(const Reading& reading, const std::vector<std::string>& warnings);

}  // namespace heddle::files
