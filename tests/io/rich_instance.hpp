#pragma once

#include "heddle/model/instance.hpp"
#include "tests/support/random_instance.hpp"

namespace heddle::test {

/// A random instance with everything a file can hold: memories, links, buses, data, priorities, estimates, wild names.
[[nodiscard]] Instance rich_instance(Random& random);

/// A name of random printable characters, quotes, backslashes, control characters and letters beyond ASCII, then
/// `number`.
[[nodiscard]] std::string wild_name(Random& random, std::size_t number);

}  // namespace heddle::test
