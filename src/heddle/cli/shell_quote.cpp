#include "heddle/cli/shell_quote.hpp"

namespace heddle::cli {

std::string in_quotes(std::string_view text) {
  std::string quoted = "'";
  for (const char letter : text) quoted += letter == '\'' ? "'\\''" : std::string(1, letter);
  return quoted + "'";
}

}  // namespace heddle::cli
