#include "heddle/cli/wrap.hpp"

#include <algorithm>

#include "heddle/cli/output.hpp"
#include "heddle/report/text_width.hpp"

namespace heddle::cli {
namespace {

/// Up to the next space; of a word that is too long, up to the last comma that fits.
std::string_view next_word(std::string_view text, std::size_t room) {
  const std::string_view word = text.substr(0, text.find(' '));
  if (report::width_of(word) <= room) return word;
  const std::size_t comma = word.substr(0, room).rfind(',');
  return comma == std::string_view::npos ? word : word.substr(0, comma + 1);
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t room = width > indent ? width - indent : 1;
  std::string lines;
  std::size_t column = 0;  // 0: at the beginning of a line
  while (!text.empty()) {
    const std::string_view word = next_word(text, room);
    text.remove_prefix(word.size());
    const bool goes_on = !text.empty() && text.front() != ' ';  // only a part of a word, which ends its line
    if (column > 0 && column + 1 + report::width_of(word) > width) {
      lines += '\n';
      column = 0;
    }
    lines += column == 0 ? std::string(indent, ' ') : " ";
    column = (column == 0 ? indent : column + 1) + report::width_of(word);
    lines += word;
    if (goes_on) {
      lines += '\n';
      column = 0;
    }
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return lines + '\n';
}

std::size_t text_width() {
  constexpr std::size_t kUsual = 80;
  constexpr std::size_t kWidest = 100;
  const std::size_t width = terminal_style().width;
  return width == 0 ? kUsual : std::min(width, kWidest);
}

}  // namespace heddle::cli
