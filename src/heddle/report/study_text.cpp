#include <fmt/format.h>

#include <algorithm>

#include "heddle/report/study_page.hpp"

namespace heddle::report {
namespace {

constexpr std::size_t kWidthOfText = 110;  ///< lines longer than this are hard to read on any terminal
constexpr std::size_t kIndent = 15;

/// `text` in lines of at most `width` columns; every line but the first is indented by kIndent.
std::string wrapped(std::string_view text, std::size_t width) {
  std::string lines;
  std::size_t column = kIndent;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > kIndent && column + 1 + word.size() > width) {
      lines.append("\n").append(kIndent, ' ');
      column = kIndent;
    } else if (column > kIndent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines + "\n";
}

std::string verdict(const Claim& claim, bool colour) {
  const std::string word = fmt::format("{:<{}}", claim.holds ? "holds" : "does not hold", kIndent);
  return colour ? (claim.holds ? "\x1b[32m" : "\x1b[31m") + word + "\x1b[0m" : word;
}

std::string claim_text(const Claim& claim, const TextStyle& style, std::size_t width) {
  const std::string indent(kIndent, ' ');
  return verdict(claim, style.colour) + wrapped(claim.published + " (" + claim.source + ")", width) + indent +
         wrapped("Found: " + claim.found, width) + indent +
         wrapped("Counts as holding when " + claim.criterion + ".", width);
}

}  // namespace

std::string study_text(const StudyReport& report, const TextStyle& style) {
  const std::size_t width = style.width == 0 ? kWidthOfText : std::clamp(style.width, 2 * kIndent, kWidthOfText);
  std::string text =
      fmt::format("{}: {}\n{}\ncomputed: {}\n", report.name, report.summary, report.publication, report.grid);
  if (!report.remark.empty()) text += "remark: " + report.remark + "\n";
  for (const Claim& claim : report.claims) text += "\n" + claim_text(claim, style, width);
  for (const StudyTable& table : report.tables) {
    TextTable lines(table.columns);
    for (const auto& row : table.rows) lines.add_row(row);
    text += "\n" + table.title + "\n\n" + lines.text(style);
  }
  const auto holding = std::ranges::count(report.claims, true, &Claim::holds);
  return text + fmt::format("\n{} of {} published claims hold here\n", holding, report.claims.size());
}

}  // namespace heddle::report
