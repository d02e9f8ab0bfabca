#include "heddle/report/page_template.hpp"

#include "heddle/report/utf8.hpp"

namespace heddle::report {

std::string html_text(std::string_view text) {
  std::string escaped;
  for (const char letter : valid_utf8(text)) {
    switch (letter) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      default:
        escaped += letter;
    }
  }
  return escaped;
}

void PageTemplate::fill(std::string_view mark, std::string_view value) {
  const std::size_t at = rest_.find(mark);
  if (at == std::string_view::npos) throw InternalError("the page lacks the mark " + std::string(mark));
  filled_.append(rest_.substr(0, at)).append(value);
  rest_.remove_prefix(at + mark.size());
}

}  // namespace heddle::report
