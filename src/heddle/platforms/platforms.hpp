#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/platform.hpp"

/// The built-in machines: measured and published kernel times with their workers, memories and links. They are platform
/// files (NAME.json beside this header) that the build compiles in; scripts/make-platforms makes them from their
/// sources.
namespace heddle::platforms {

/// A built-in machine, for people.
struct Entry {
  std::string_view name;
  std::string_view summary;  ///< one sentence
};

/// All built-in machines.
[[nodiscard]] std::span<const Entry> entries();

/// A built-in machine with all of its classes, also those that have no worker by default, and its measured links.
/// Throws InputError that lists the nearest and the possible names.
[[nodiscard]] Machine builtin(std::string_view name);

/// What becomes of a machine's links where the user does not say.
enum class Links : std::uint8_t { off, measured };

/// The machine as the user wants it. `settings` is a list of CLASS=COUNT and of links=off|measured, like
/// "cpu=9,gpu=3,links=measured"; empty leaves the numbers of workers as they are. Links that remain join memories that
/// remain; new workers copy the links of measured ones: number k of a class those of number k modulo the n that were
/// measured (docs/formats.md). Throws InputError for unknown classes, for no worker at all, and for new workers that
/// have no links to copy.
[[nodiscard]] Machine configure(Machine machine, std::string_view settings, Links links);

/// The machine without the classes that have no worker, and without their times: what a workload runs on.
[[nodiscard]] Machine without_idle_classes(Machine machine);

/// The machine that "NAME", "NAME:settings" (a built-in one, links off unless the settings say otherwise) or
/// "counts:cpu=16,gpu=4" describes, without idle classes. The latter is only workers, in this order, for instances that
/// bring their durations; classes called cpu... share the memory "ram", workers of others have one each. Throws
/// InputError.
[[nodiscard]] Machine resolve(std::string_view text);

/// Whether the part of the text before ':' is the name of a built-in machine or "counts". Tells them from file names.
[[nodiscard]] bool is_known(std::string_view text);

}  // namespace heddle::platforms
