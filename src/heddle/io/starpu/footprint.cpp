#include "heddle/io/starpu/footprint.hpp"

#include <charconv>

namespace heddle::io {
namespace {

constexpr std::uint32_t kPolynomial = 0x1EDC6F41;  // CRC-32C, most significant bit first, no final xor
constexpr std::uint32_t kMatrixInterface = 0;

/// Continues the hash `crc` by the four bytes of `value`, the lowest first.
std::uint32_t hash(std::uint32_t value, std::uint32_t crc) {
  for (int byte = 0; byte < 4; ++byte) {
    crc ^= (value >> (8 * byte) & 0xFFU) << 24;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc >> 31) != 0 ? kPolynomial : 0);
  }
  return crc;
}

}  // namespace

std::uint32_t matrix_footprint(std::uint32_t nx, std::uint32_t ny) {
  return hash(hash(nx, ny), kMatrixInterface);
}

std::uint32_t task_footprint(std::span<const std::uint32_t> data) {
  std::uint32_t crc = 0;
  for (const std::uint32_t datum : data) crc = hash(datum, crc);
  return crc;
}

std::uint32_t tiles_footprint(std::uint32_t tile, std::size_t count) {
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < count; ++i) crc = hash(matrix_footprint(tile, tile), crc);
  return crc;
}

std::string format_footprint(std::uint32_t footprint) {
  std::string text(8, '0');
  for (std::size_t i = 0; i < 8; ++i) text[7 - i] = "0123456789abcdef"[footprint >> (4 * i) & 0xFU];
  return text;
}

std::optional<std::uint32_t> parse_footprint(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size() || text.size() > 8) return std::nullopt;
  return value;
}

}  // namespace heddle::io
