#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::report {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;
  Align align = Align::left;
  bool shrinks = false;  ///< cells may be cut short ("heteropri…") when the table is wider than the terminal
};

/// What a row is about, shown by colour where there is colour.
enum class Tone : std::uint8_t { plain, good, bad, faint };

/// How the terminal wants its text.
struct TextStyle {
  std::size_t width = 0;  ///< columns of the terminal; 0: no limit
  bool colour = false;    ///< ANSI escapes: bold titles, coloured rows
  bool ascii = false;     ///< rules as "-" and cuts as "..." instead of "─" and "…"
};

/// Text as it may be written on a terminal and within a line: control characters (line ends, terminal escapes, changes
/// of the direction of writing) are shown as "?", so that a task's name cannot write on the user's terminal or pass for
/// another one; so are bytes that are no UTF-8.
[[nodiscard]] std::string harmless(std::string_view text);

/// A table for the terminal: titles, a thin rule, rows; columns are two spaces apart and as wide as their widest cell.
///
///     TextTable table({{"policy", Align::left, true}, {"makespan", Align::right}, {"ratio", Align::right}});
///     table.add_row({"heft", format_time(makespan), format_ratio(ratio)});
///     out << table.text({.width = 80});
///
/// A cell counts one column per code point, and is made harmless.
class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns);

  /// Missing cells are empty; more cells than columns are an InternalError.
  void add_row(std::vector<std::string> cells, Tone tone = Tone::plain);
  /// A thin rule between the rows before and after.
  void add_rule();

  /// The lines of the table, each ended by "\n" and without spaces at its end. When the table is wider than
  /// `style.width`, the widest column that `shrinks` is cut again and again, but to no less than 16 columns. Where that
  /// is not enough, the table is broken into blocks one below the other, each with the first column and as many of the
  /// others as fit, at least one.
  [[nodiscard]] std::string text(const TextStyle& style = {}) const;

 private:
  struct Row {
    std::vector<std::string> cells;  ///< empty: a rule
    Tone tone = Tone::plain;
  };

  using Block = std::vector<std::size_t>;  ///< columns that stand side by side

  [[nodiscard]] std::vector<std::size_t> widths(std::size_t limit) const;
  [[nodiscard]] std::vector<Block> blocks(const std::vector<std::size_t>& widths, std::size_t limit) const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells, const Block& block,
                                 const std::vector<std::size_t>& widths, const TextStyle& style) const;
  [[nodiscard]] std::string text_of(const Block& block, const std::vector<std::size_t>& widths,
                                    const TextStyle& style) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace heddle::report
