#include "heddle/io/starpu/values.hpp"

namespace heddle::io {

bool Values::next_line() {
  taken_ = 0;
  words_.clear();
  while (const std::optional<std::string_view> line = lines_.next()) {
    if (line->starts_with('#')) continue;
    split(*line, kBlanks, words_);
    if (!words_.empty()) return true;
  }
  return false;
}

bool Values::at_end() {
  return taken_ == words_.size() && !next_line();
}

std::string_view Values::expect_word(std::string_view what) {
  if (at_end()) fail("the file ends; expected " + std::string(what));
  return words_[taken_++];
}

const std::vector<std::string_view>& Values::expect_line(std::string_view what) {
  if (at_end()) fail("the file ends; expected " + std::string(what));
  words_.erase(words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(taken_));
  taken_ = words_.size();
  return words_;
}

std::int64_t Values::expect_integer(std::string_view what, std::int64_t least, std::int64_t most) {
  return integer_of(expect_word(what), what, least, most);
}

std::int64_t Values::integer_of(std::string_view word, std::string_view what, std::int64_t least,
                                std::int64_t most) const {
  const std::optional<std::int64_t> value = parse_integer(word);
  if (!value || *value < least || *value > most) {
    fail("found " + in_quotes(word) + "; expected " + std::string(what));
  }
  return *value;
}

bool is_nan(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  return word == "nan" || word == "NaN" || word == "NAN";
}

}  // namespace heddle::io
