#include "heddle/cli/glossary.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/cli/glossary/embedded.hpp"
#include "heddle/cli/wrap.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/suggest.hpp"
#include "heddle/report/text_width.hpp"

namespace heddle::cli {
namespace {

constexpr std::size_t kIndent = 4;

/// Markdown as plain text: without the marks of code, and links without their targets.
std::string plain(std::string_view markdown) {
  std::string text;
  while (!markdown.empty()) {
    const std::size_t middle = markdown.find(']');
    const std::size_t end = markdown.find(')', middle);
    const bool is_link =
        markdown.front() == '[' && end != std::string_view::npos && markdown.substr(middle).starts_with("](");
    if (is_link) {
      text += plain(markdown.substr(1, middle - 1));
      markdown.remove_prefix(end);
    } else if (markdown.front() != '`' && !markdown.starts_with("\\|")) {
      text += markdown.front();
    }
    markdown.remove_prefix(1);
  }
  return text;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

/// The cells of a line "| a | b |"; "\\|" is part of a cell.
std::vector<std::string> cells_of(std::string_view row) {
  std::vector<std::string> cells;
  std::size_t begin = 1;
  for (std::size_t at = begin; at < row.size(); ++at) {
    if (row[at] != '|' || row[at - 1] == '\\') continue;
    cells.push_back(trimmed(plain(row.substr(begin, at - begin))));
    begin = at + 1;
  }
  return cells;
}

/// A line of a table: the terms, what they mean, and where the user meets them.
struct Entry {
  std::string terms;  ///< "source, sink"
  std::string definition;
  std::string where;  ///< may be empty
};

std::string text_of(const Entry& entry, std::size_t width) {
  return entry.terms + '\n' + wrap(entry.definition, width, kIndent) +
         (entry.where.empty() ? "" : wrap("Where: " + entry.where, width, kIndent));
}

/// A title and what follows, up to the next one.
struct Section {
  std::string title;
  std::string paragraph;
  std::vector<Entry> entries;
};

std::vector<Section> read_sections(std::string_view page) {
  std::vector<Section> sections;
  bool is_head = true;  // the first line of a table, and the rule below it
  while (!page.empty()) {
    const std::string_view line = page.substr(0, page.find('\n'));
    page.remove_prefix(std::min(page.size(), line.size() + 1));
    if (line.starts_with('#')) {
      sections.push_back({trimmed(plain(line.substr(line.find_first_not_of('#')))), "", {}});
      is_head = true;
    } else if (line.starts_with("|--")) {
      is_head = false;
    } else if (line.starts_with('|') && !is_head) {
      std::vector<std::string> cells = cells_of(line);
      cells.resize(3);
      sections.back().entries.push_back({std::move(cells[0]), std::move(cells[1]), std::move(cells[2])});
    } else if (!line.starts_with('|') && !line.empty()) {
      sections.back().paragraph += (sections.back().paragraph.empty() ? "" : " ") + plain(line);
    }
  }
  return sections;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return text;
}

/// "source, sink" are two terms; "acceleration (of a class)" is one, which may be asked for without the brackets.
std::vector<std::string> terms_of(const Entry& entry) {
  std::vector<std::string> terms;
  const std::string text = lower(entry.terms);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(", ", begin), text.size());
    const std::string term = text.substr(begin, end - begin);
    terms.push_back(trimmed(term.substr(0, term.find(" ("))));
    begin = end + 2;
  }
  return terms;
}

std::string explain(const std::vector<Section>& sections, const std::string& term, std::size_t width) {
  std::string text;
  std::vector<std::string> known;
  for (const Section& section : sections) {
    for (const Entry& entry : section.entries) {
      const std::vector<std::string> terms = terms_of(entry);
      known.insert(known.end(), terms.begin(), terms.end());
      if (std::ranges::find(terms, lower(term)) != terms.end()) text += text_of(entry, width);
    }
  }
  if (text.empty()) throw InputError("the glossary has no term '" + term + "'" + suggest(lower(term), known));
  return text;
}

/// The page's signs in letters that each terminal shows.
std::string in_ascii(std::string_view page) {
  constexpr std::pair<std::string_view, std::string_view> kSigns[] = {{"×", "x"}, {"²", "^2"}, {"⁹", "^9"}, {"é", "e"}};
  std::string text;
  while (!page.empty()) {
    const auto* sign = std::ranges::find_if(kSigns, [&](const auto& pair) { return page.starts_with(pair.first); });
    const bool is_known = sign != std::end(kSigns);
    text += is_known ? sign->second : page.substr(0, 1);
    page.remove_prefix(is_known ? sign->first.size() : 1);
  }
  return text;
}

}  // namespace

std::string glossary_text(const std::string& term, std::size_t width, bool ascii) {
  const std::string_view page = glossary::files().front().text;
  const std::vector<Section> sections = read_sections(ascii ? in_ascii(page) : page);
  if (!term.empty()) return explain(sections, term, width);
  std::string text;
  for (const Section& section : sections) {
    text +=
        (text.empty() ? "" : "\n") + section.title + '\n' + std::string(report::width_of(section.title), '=') + '\n';
    if (!section.paragraph.empty()) text += '\n' + wrap(section.paragraph, width);
    for (const Entry& entry : section.entries) text += '\n' + text_of(entry, width);
  }
  return text;
}

}  // namespace heddle::cli
