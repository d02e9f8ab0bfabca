#include "heddle/report/text_width.hpp"

#include "heddle/report/utf8.hpp"

namespace heddle::report {
namespace {

std::string_view first_columns(std::string_view text, std::size_t count) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) bytes += first_code_point(text.substr(bytes)).bytes;
  return text.substr(0, bytes);
}

}  // namespace

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (; !text.empty(); ++width) text.remove_prefix(first_code_point(text).bytes);
  return width;
}

std::string cut_to(std::string text, std::size_t width, bool ascii) {
  if (width_of(text) <= width) return text;
  const std::string_view mark = ascii ? "..." : "…";
  const std::size_t mark_width = width_of(mark);
  if (mark_width > width) return std::string(first_columns(mark, width));
  return std::string(first_columns(text, width - mark_width)).append(mark);
}

}  // namespace heddle::report
