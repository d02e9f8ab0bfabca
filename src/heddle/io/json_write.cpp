#include "heddle/io/json_write.hpp"

#include "heddle/io/text.hpp"

namespace heddle::io {
namespace {

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

/// Appends the first character of the text, which is not plain; how many bytes it has.
std::size_t append_special(Buffer& out, std::string_view text) {
  const char c = text[0];
  if (c == '"' || c == '\\') {
    out.push_back('\\');
    out.push_back(c);
    return 1;
  }
  const std::size_t length = utf8_length(text);
  if (length == 0) {
    append(out, "\xEF\xBF\xBD");
  } else if (length == 1) {
    fmt::format_to(fmt::appender(out), "\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  } else {
    append(out, text.substr(0, length));
  }
  return length == 0 ? 1 : length;
}

}  // namespace

void append_quoted(Buffer& out, std::string_view text) {
  out.push_back('"');
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && is_plain(text[plain])) ++plain;
    append(out, text.substr(0, plain));
    text.remove_prefix(plain);
    if (!text.empty()) text.remove_prefix(append_special(out, text));
  }
  out.push_back('"');
}

}  // namespace heddle::io
