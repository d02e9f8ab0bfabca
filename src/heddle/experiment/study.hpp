#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/report/study_page.hpp"

/// Published studies, computed again. A study is a list of cells and a function that turns what they found into a
/// report; a runner (runner.hpp) computes the cells on all cores and remembers them in a journal (journal.hpp).
namespace heddle::experiment {

/// What a cell found: numbers under names. Durations are in seconds.
using Values = std::map<std::string, double, std::less<>>;

struct Cell;

/// A way to find values. `compute` reads nothing but its argument, so that a cell's key says all there is to know.
struct Measure {
  std::string_view name;  ///< without spaces; unique within a study
  Values (*compute)(const Cell& cell) = nullptr;
};

/// One deterministic computation: a pure function of these texts. Where one does not apply it is empty.
struct Cell {
  Measure measure;
  std::string workload;  ///< as the command spells it: "cholesky:tiles=12"
  std::string platform;  ///< "kumar-2017:cpu=20,gpu=4"
  std::string policy{};  ///< "heteroprio-dep:order=latest"
  std::string noise{};   ///< "uniform:0.1"
  std::uint64_t seed = 1;

  /// Names the computation in journals: "schedule cholesky:tiles=12 on mirage by heft, seed 1".
  [[nodiscard]] std::string key() const;
};

/// How much of a study is computed. The quick cells are a part of the full ones, so that a journal serves both.
enum class Scale : std::uint8_t { quick, full };

/// What the cells of a study found, by key.
class Results {
 public:
  void set(const std::string& key, Values values) { values_.insert_or_assign(key, std::move(values)); }
  /// One value of one cell; InternalError when the study never listed the cell or the cell has no such value.
  [[nodiscard]] double value(const Cell& cell, std::string_view name) const;
  /// All values of a cell.
  [[nodiscard]] const Values& of(const Cell& cell) const;

  bool operator==(const Results&) const = default;

 private:
  std::map<std::string, Values, std::less<>> values_;
};

/// A published study. Every file in experiment/studies/ has a function that returns one; the build lists them.
struct Study {
  std::string name;
  std::string summary;      ///< one sentence
  std::string publication;  ///< paper and section
  std::string full;         ///< the grid, in a few words
  std::string quick;        ///< the smaller grid of --quick
  /// To be raised whenever a cell's key stays and its values change: journals of other versions are not read.
  std::uint32_t version = 1;
  bool timed = false;  ///< cells measure time, and are computed one after the other
  std::vector<Cell> (*cells)(Scale scale) = nullptr;
  /// Fills claims, tables and figures; title, source and the like are the caller's.
  report::StudyReport (*report)(Scale scale, const Results& results) = nullptr;
};

/// All studies, by name.
[[nodiscard]] std::span<const Study> studies();

/// The study of this name. Throws InputError that lists the nearest and the possible ones.
[[nodiscard]] const Study& find(std::string_view name);

/// The whole report: what the study found, under its name, source and grid.
[[nodiscard]] report::StudyReport report_on(const Study& study, Scale scale, const Results& results);

}  // namespace heddle::experiment
