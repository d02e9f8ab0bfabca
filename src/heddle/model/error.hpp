#pragma once

#include <stdexcept>
#include <string>

namespace heddle {

/// What the user gave cannot be used. `what()` is one sentence for a person: where, what was found, what was expected.
/// Readers and builders throw it; the command prints it and exits with status 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A promise inside this project was broken: never reachable by input. The command exits with status 3.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace heddle
