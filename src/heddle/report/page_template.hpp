#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "heddle/model/error.hpp"

/// What the pages have in common: embedded files (cmake/EmbedText.cmake) put together.
namespace heddle::report {

/// `text` as it may stand between tags.
[[nodiscard]] std::string html_text(std::string_view text);

/// The text of one embedded file.
template <class Files>
std::string_view page_file(const Files& files, std::string_view name) {
  for (const auto& file : files) {
    if (file.name == name) return file.text;
  }
  throw InternalError("the page has no file " + std::string(name));
}

/// Every script, in the order of the build's list.
template <class Files>
std::string page_scripts(const Files& files) {
  std::string text;
  for (const auto& file : files) {
    if (file.name.ends_with(".js")) text.append(file.text).append("\n");
  }
  return text;
}

/// A page up to each of its marks, filled in; marks inside what is filled in stay as they are.
class PageTemplate {
 public:
  explicit PageTemplate(std::string_view text) : rest_(text) {}

  /// InternalError when the mark does not follow.
  void fill(std::string_view mark, std::string_view value);
  [[nodiscard]] std::string finish() && { return std::move(filled_.append(rest_)); }

 private:
  std::string_view rest_;
  std::string filled_;
};

}  // namespace heddle::report
