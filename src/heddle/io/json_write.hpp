#pragma once

#include <fmt/format.h>

#include <string_view>

namespace heddle::io {

/// Where the writers put their text.
using Buffer = fmt::memory_buffer;

inline void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

/// Appends the text as a JSON string; bytes that are no UTF-8 become U+FFFD.
void append_quoted(Buffer& out, std::string_view text);

/// The items of a JSON array or object, one per line: `[`, the items at `indent` blanks, and `]` two blanks less.
class Block {
 public:
  Block(Buffer& out, int indent, char bracket = '[') : out_(out), indent_(indent), bracket_(bracket) {
    out_.push_back(bracket);
  }
  /// Starts the next item.
  void next() {
    fmt::format_to(fmt::appender(out_), "{}\n{:{}}", is_empty_ ? "" : ",", "", indent_);
    is_empty_ = false;
  }
  void close() {
    if (!is_empty_) fmt::format_to(fmt::appender(out_), "\n{:{}}", "", indent_ - 2);
    out_.push_back(bracket_ == '[' ? ']' : '}');
  }

 private:
  Buffer& out_;
  int indent_;
  char bracket_;
  bool is_empty_ = true;
};

}  // namespace heddle::io
