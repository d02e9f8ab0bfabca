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

/// The name that is spelled most alike; else the only one that begins like this; "" if there is none.
std::string nearest_of(std::string_view unknown, std::span<const std::string> possible) {
  constexpr std::size_t kLongest = 64;  // longer texts are no typos of names, and the distance is quadratic
  constexpr std::size_t kShortestBeginning = 3;
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
  if (!nearest.empty() || unknown.size() < kShortestBeginning) return nearest;
  const auto begins = [&](const std::string& name) { return name.starts_with(unknown); };
  return std::ranges::count_if(possible, begins) == 1 ? *std::ranges::find_if(possible, begins) : "";
}

}  // namespace

std::string did_you_mean(std::string_view unknown, std::span<const std::string> possible) {
  const std::string nearest = nearest_of(unknown, possible);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

std::string suggest(std::string_view unknown, std::span<const std::string> possible) {
  constexpr std::size_t kShown = 12;
  const std::string question = did_you_mean(unknown, possible);
  if (possible.empty()) return "; there is none";
  std::string text = question.empty() ? "; possible: " : question + " (possible: ";
  for (std::size_t i = 0; i < std::min(possible.size(), kShown); ++i) text += (i > 0 ? ", " : "") + possible[i];
  if (possible.size() > kShown) text += ", ... " + std::to_string(possible.size() - kShown) + " more";
  return question.empty() ? text : text + ")";
}

}  // namespace heddle
