#include "heddle/model/suggest.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace heddle {
namespace {

/// Levenshtein distance: insertions, deletions and replacements that turn one text into the other.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string suggest(std::string_view unknown, std::span<const std::string> possible) {
  constexpr std::size_t kShown = 12;
  constexpr std::size_t kLongest = 64;  // longer texts are no typos of names, and the distance is quadratic
  std::string nearest;
  std::size_t least = std::max<std::size_t>(2, unknown.size() / 3) + 1;
  for (const std::string& name : possible) {
    if (unknown.size() > kLongest || name.size() > kLongest) continue;
    const std::size_t distance = edit_distance(unknown, name);
    if (distance < least && distance < name.size()) {
      least = distance;
      nearest = name;
    }
  }
  std::string text = "; ";
  if (!nearest.empty()) text += "did you mean '" + nearest + "'? ";
  if (possible.empty()) return text + "there is none";
  text += nearest.empty() ? "possible: " : "(possible: ";
  for (std::size_t i = 0; i < std::min(possible.size(), kShown); ++i) text += (i > 0 ? ", " : "") + possible[i];
  if (possible.size() > kShown) text += ", ... " + std::to_string(possible.size() - kShown) + " more";
  return nearest.empty() ? text : text + ")";
}

}  // namespace heddle
