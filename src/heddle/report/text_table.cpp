#include "heddle/report/text_table.hpp"

#include <algorithm>
#include <optional>

#include "heddle/model/error.hpp"
#include "heddle/report/text_width.hpp"
#include "heddle/report/utf8.hpp"

namespace heddle::report {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowest = 16;  // the policies' names still differ

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kFaint = "\x1b[2m";
constexpr std::string_view kRed = "\x1b[31m";
constexpr std::string_view kGreen = "\x1b[32m";
constexpr std::string_view kReset = "\x1b[0m";

std::string_view escape(Tone tone) {
  switch (tone) {
    case Tone::good:
      return kGreen;
    case Tone::bad:
      return kRed;
    case Tone::faint:
      return kFaint;
    case Tone::plain:
      break;
  }
  return {};
}

std::string rule(std::size_t width, bool ascii) {
  std::string text;
  for (std::size_t i = 0; i < width; ++i) text += ascii ? "-" : "─";
  return text;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  std::size_t total = 0;
  for (const std::size_t width : widths) total += width + kGap;
  return total - kGap;
}

/// Text in colour; its line end stays outside.
std::string tinted(std::string text, std::string_view colour) {
  if (colour.empty() || text.empty()) return text;
  return std::string(colour).append(text).append(kReset);
}

bool is_control(char32_t value) {
  const bool changes_direction = (value >= 0x202A && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
  return value < 0x20 || (value >= 0x7F && value < 0xA0) || changes_direction;
}

}  // namespace

std::string harmless(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    result += point.valid && !is_control(point.value) ? text.substr(0, point.bytes) : std::string_view("?");
    text.remove_prefix(point.bytes);
  }
  return result;
}

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  if (columns_.empty()) throw InternalError("a text table needs a column");
  for (Column& column : columns_) column.title = harmless(column.title);
}

void TextTable::add_row(std::vector<std::string> cells, Tone tone) {
  if (cells.size() > columns_.size()) throw InternalError("a row has more cells than its text table has columns");
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = harmless(cell);
  rows_.push_back({std::move(cells), tone});
}

void TextTable::add_rule() {
  rows_.push_back({});
}

std::vector<std::size_t> TextTable::widths(std::size_t limit) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = width_of(columns_[c].title);
    for (const Row& row : rows_) {
      if (!row.cells.empty()) width = std::max(width, width_of(row.cells[c]));
    }
    widths.push_back(width);
  }
  while (limit > 0 && total_width(widths) > limit) {
    std::optional<std::size_t> widest;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const bool can_shrink = columns_[c].shrinks && widths[c] > kNarrowest;
      if (can_shrink && (!widest || widths[c] > widths[*widest])) widest = c;
    }
    if (!widest) break;
    --widths[*widest];
  }
  return widths;
}

std::vector<TextTable::Block> TextTable::blocks(const std::vector<std::size_t>& widths, std::size_t limit) const {
  std::vector<Block> blocks{{0}};
  std::size_t total = widths[0];
  for (std::size_t c = 1; c < columns_.size(); ++c) {
    const bool is_full = limit > 0 && total + kGap + widths[c] > limit;
    if (is_full && blocks.back().size() > 1) {
      blocks.push_back({0});
      total = widths[0];
    }
    blocks.back().push_back(c);
    total += kGap + widths[c];
  }
  return blocks;
}

std::string TextTable::line(const std::vector<std::string>& cells, const Block& block,
                            const std::vector<std::size_t>& widths, const TextStyle& style) const {
  std::string text;
  for (const std::size_t c : block) {
    const std::string cell = cut_to(cells[c], widths[c], style.ascii);
    const std::string padding(widths[c] - width_of(cell), ' ');
    if (c != block.front()) text.append(kGap, ' ');
    text += columns_[c].align == Align::right ? padding + cell : cell + padding;
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string TextTable::text_of(const Block& block, const std::vector<std::size_t>& widths,
                               const TextStyle& style) const {
  std::vector<std::size_t> shown;
  for (const std::size_t c : block) shown.push_back(widths[c]);
  const std::string thin_rule = tinted(rule(total_width(shown), style.ascii), style.colour ? kFaint : "") + '\n';
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);

  std::string text = tinted(line(titles, block, widths, style), style.colour ? kBold : "") + '\n' + thin_rule;
  for (const Row& row : rows_) {
    if (row.cells.empty()) {
      text += thin_rule;
    } else {
      text += tinted(line(row.cells, block, widths, style), style.colour ? escape(row.tone) : "") + '\n';
    }
  }
  return text;
}

std::string TextTable::text(const TextStyle& style) const {
  const std::vector<std::size_t> columns = widths(style.width);
  std::string text;
  for (const Block& block : blocks(columns, style.width)) {
    if (!text.empty()) text += '\n';
    text += text_of(block, columns, style);
  }
  return text;
}

}  // namespace heddle::report
