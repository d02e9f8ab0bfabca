#pragma once

#include <cstddef>
#include <span>

#include "heddle/bounds/chains.hpp"
#include "heddle/bounds/longest_paths.hpp"
#include "heddle/bounds/path_program.hpp"

namespace heddle::bounds {

/// What a program begins with: the critical path and the paths of the chains.
void add_first_paths(PathProgram& program, const Instance& instance, std::span<const Chain> chains);

/// How many paths to add in a round: few while the bound still moves, when most of them soon stop mattering, and more
/// as the end draws near, when most of the graph is critical. Measured on tiled factorizations of 8 to 64 tiles.
[[nodiscard]] std::size_t paths_of_round(std::size_t round);

/// Adds up to `count` of the longest paths, those longer than `limit` picoseconds; each has a task that the ones before
/// it do not. Answers whether any was new to the program.
bool add_long_paths(PathProgram& program, const LongestPaths& paths, double limit, std::size_t count);

}  // namespace heddle::bounds
