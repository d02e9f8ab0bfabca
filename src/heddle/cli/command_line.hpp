#pragma once

namespace heddle::cli {

/// The `heddle` command: reads the arguments, does what they say, and returns the exit status: 0 done, 1 the answer is
/// "no", 2 bad input or usage, 3 our own bug, 130 interrupted.
int run(int argc, const char* const* argv);

}  // namespace heddle::cli
