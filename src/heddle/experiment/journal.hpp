#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "heddle/experiment/study.hpp"

namespace heddle::experiment {

/// The finished cells of a study in a file that survives the program: a line per cell, appended at once when the cell
/// is finished. A program that is killed loses at most the cells it was computing; a line that was cut short or damaged
/// is not read, so that its cell is computed again. Values are read back to the last bit. Two programs may append to
/// one journal: a cell that both computed is there twice, with the same values.
class Journal {
 public:
  /// Opens `path`, or makes it with its folders. `edition` says what the cells are worth: those of another edition of
  /// the same study are dropped, those of an older format too, and so is everything with `fresh`; what programs still
  /// append to these is dropped, too. Throws InputError when the file cannot be read or written, is no journal, or is
  /// that of another study.
  Journal(std::string path, std::string_view study, std::string_view edition, bool fresh = false);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// What the cell of this key found when it was computed before; null when it was not.
  [[nodiscard]] const Values* find(std::string_view key) const;
  /// Throws InputError when the disk is full.
  void append(std::string_view key, const Values& values);

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void read(std::string_view text);
  void write(std::string_view text);

  std::string path_;
  int file_ = -1;
  std::map<std::string, Values, std::less<>> cells_;
};

/// Where the journal of a study is kept when the user names no other place: heddle/experiments/STUDY.journal in the
/// user's cache folder (XDG_CACHE_HOME, else ~/.cache). Throws InputError when there is no such folder to be found.
[[nodiscard]] std::string default_journal_path(std::string_view study);

}  // namespace heddle::experiment
