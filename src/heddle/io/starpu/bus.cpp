#include "heddle/io/starpu/bus.hpp"

#include <stdexcept>
#include <string>

#include "heddle/io/starpu/values.hpp"
#include "heddle/io/text.hpp"
#include "heddle/model/time.hpp"

namespace heddle::io {
namespace {

/// More devices than any machine has, so that a broken file cannot ask for billions of workers.
constexpr std::int64_t kMostDevices = 4096;

/// The first words of the lines, without what follows '#'.
std::vector<std::uint32_t> read_counts(Lines& lines) {
  std::vector<std::uint32_t> counts;
  std::vector<std::string_view> words;
  while (const std::optional<std::string_view> line = lines.next()) {
    split(line->substr(0, line->find('#')), kBlanks, words);
    if (words.empty()) continue;
    const std::optional<std::int64_t> count = parse_integer(words[0]);
    if (!count || *count < 0 || *count > kMostDevices) {
      lines.fail("found " + in_quotes(words[0]) + "; expected a number of devices from 0 to " +
                 std::to_string(kMostDevices));
    }
    counts.push_back(static_cast<std::uint32_t>(*count));
  }
  return counts;
}

/// A cell in units of `unit` parts; exact, since the decimal point is only moved.
std::optional<std::int64_t> read_cell(std::string_view word, std::int64_t unit, const Lines& lines) {
  const auto fail = [&] {
    lines.fail("found " + in_quotes(word) + "; expected nan or a number that is not negative and not huge");
  };
  if (is_nan(word)) return std::nullopt;
  try {
    const std::optional<std::int64_t> value = parse_time(word, unit);
    if (!value || *value < 0) fail();
    return value;
  } catch (const std::out_of_range&) {
    fail();
  }
  return std::nullopt;
}

BusMatrix::Row read_row(const std::vector<std::string_view>& words, std::int64_t unit, const Lines& lines) {
  BusMatrix::Row row;
  for (const std::string_view word : words) row.push_back(read_cell(word, unit, lines));
  while (!row.empty() && !row.back()) row.pop_back();
  return row;
}

BusMatrix read_matrix(std::string_view text, std::string_view source, std::int64_t unit) {
  Lines lines(text, source);
  std::vector<BusMatrix::Row> rows;
  std::vector<std::string_view> words;
  while (const std::optional<std::string_view> line = lines.next()) {
    if (line->starts_with('#')) continue;
    split(*line, kBlanks, words);
    if (!words.empty()) rows.push_back(read_row(words, unit, lines));
  }
  for (const BusMatrix::Row& row : rows) {
    if (row.size() <= rows.size()) continue;
    lines.fail("row " + std::to_string(&row - rows.data() + 1) + " has numbers in " + std::to_string(row.size()) +
               " columns; expected no more than there are rows, " + std::to_string(rows.size()));
  }
  return BusMatrix(std::move(rows));
}

}  // namespace

BusConfig read_bus_config(std::string_view text, std::string_view source) {
  Lines lines(text, source);
  const std::vector<std::uint32_t> counts = read_counts(lines);
  if (counts.empty()) lines.fail("the file ends; expected the number of CPU cores");
  return {.cpu_cores = counts[0], .cuda_devices = counts.size() > 1 ? counts[1] : 0};
}

BusMatrix read_bus_bandwidth(std::string_view text, std::string_view source) {
  constexpr std::int64_t kMegabyte = 1'000'000;
  return read_matrix(text, source, kMegabyte);
}

BusMatrix read_bus_latency(std::string_view text, std::string_view source) {
  return read_matrix(text, source, kMicrosecond);
}

std::size_t count_bus_memories(std::string_view affinity) {
  Lines lines(affinity, "");
  std::vector<std::string_view> words;
  while (const std::optional<std::string_view> line = lines.next()) {
    if (!line->starts_with('#')) continue;
    split(line->substr(1), kBlanks, words);
    std::size_t nodes = 0;
    for (const std::string_view word : words) nodes += word.starts_with("NUMA") ? 1 : 0;
    if (nodes > 0) return nodes;
  }
  return 1;
}

}  // namespace heddle::io
