#pragma once

#include <cstddef>
#include <string>

namespace heddle::cli {

/// docs/glossary.md, which is compiled in, as text for the terminal: its sections, or the entries of one term; in ASCII
/// where the terminal shows no other letters. Throws InputError that lists the nearest and the possible terms.
[[nodiscard]] std::string glossary_text(const std::string& term, std::size_t width, bool ascii);

}  // namespace heddle::cli
