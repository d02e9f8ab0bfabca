#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace heddle::test {

/// A folder of its own for one test, empty at first and gone in the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (folder_ / name).string(); }
  /// Writes a file; its path.
  std::string write(const std::string& name, const std::string& text) const;
  /// The names of the files in it.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  std::filesystem::path folder_;
};

}  // namespace heddle::test
