#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/report/html_page.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::report {

/// Something that a publication says, beside what was found when its study was computed again.
struct Claim {
  std::string source;     ///< paper and section
  std::string published;  ///< what it says, in a sentence
  std::string criterion;  ///< when it counts as holding, so that a reader can disagree
  std::string found;      ///< the numbers that decide
  bool holds = false;
};

/// Rows of text under titles.
struct StudyTable {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows{};  ///< as long as `columns`
};

/// One line of a plot, or one cloud of points.
struct Series {
  std::string name;
  std::vector<std::optional<double>> values{};  ///< one for each of the panel's x; absent: a gap
  /// The range that the values are the middle of, drawn as a band; empty: none.
  std::vector<std::optional<double>> low{};
  std::vector<std::optional<double>> high{};
};

/// One plot of a figure.
struct Panel {
  std::string title;
  std::vector<double> x{};  ///< ascending; equal ones are several points above each other
  std::vector<Series> series{};
};

/// Plots side by side that share their legend and, as a rule, their y axis.
struct Figure {
  std::string title;
  std::string note{};  ///< what there is to see
  std::string x_label;
  std::string y_label;  ///< with its unit
  std::vector<Panel> panels{};
  bool points = false;            ///< points instead of lines
  bool logarithmic = false;       ///< the y axis
  bool own_scales = false;        ///< each panel has a y axis of its own
  std::optional<double> level{};  ///< a line across that everything is compared with, e.g. the bound at 1
  std::string level_name = "lower bound";
};

/// What a study that was computed again has to say.
struct StudyReport {
  std::string name;         ///< as the command spells it
  std::string summary;      ///< one sentence
  std::string publication;  ///< paper and section
  std::string grid;         ///< what was computed
  std::string remark;       ///< how it differs from what the publication did; may be empty
  std::vector<Claim> claims{};
  std::vector<StudyTable> tables{};
  std::vector<Figure> figures{};
};

/// The claims beside what was found, then the tables, as text for the terminal.
[[nodiscard]] std::string study_text(const StudyReport& report, const TextStyle& style = {});

/// One self-contained HTML page, UTF-8: the claims, the figures, the tables. Needs no network and no other file.
[[nodiscard]] std::string study_page(const StudyReport& report, const Origin& origin = {});

}  // namespace heddle::report
