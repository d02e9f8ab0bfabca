#pragma once

#include <string>
#include <string_view>

namespace heddle::cli {

/// As one word for a shell: 'it'\''s'.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace heddle::cli
