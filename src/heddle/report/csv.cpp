#include "heddle/report/csv.hpp"

namespace heddle::report {
namespace {

void append_cell(std::string& line, std::string_view cell) {
  if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += cell;
    return;
  }
  line += '"';
  for (const char letter : cell) {
    if (letter == '"') line += '"';
    line += letter;
  }
  line += '"';
}

}  // namespace

std::string csv_row(std::span<const std::string> cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) line += ',';
    append_cell(line, cells[i]);
  }
  return line + '\n';
}

}  // namespace heddle::report
