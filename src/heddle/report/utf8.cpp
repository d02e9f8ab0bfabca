#include "heddle/report/utf8.hpp"

namespace heddle::report {
namespace {

constexpr CodePoint kInvalid{U'\uFFFD', 1, false};

/// How many bytes a sequence that starts with `lead` has; 0 when none does.
std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

bool is_scalar(char32_t value, std::size_t bytes) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return value >= kSmallest[bytes] && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = sequence_length(lead);
  if (bytes == 1) return {lead, 1, true};
  if (bytes == 0 || bytes > text.size()) return kInvalid;
  char32_t value = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0U) != 0x80U) return kInvalid;
    value = (value << 6U) | (next & 0x3FU);
  }
  return is_scalar(value, bytes) ? CodePoint{value, bytes, true} : kInvalid;
}

std::string valid_utf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    valid += point.valid ? text.substr(0, point.bytes) : std::string_view("\uFFFD");
    text.remove_prefix(point.bytes);
  }
  return valid;
}

}  // namespace heddle::report
