#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tests/fuzz/targets.hpp"
#include "tests/support/rounds.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

std::vector<std::filesystem::path> corpus(std::string_view target) {
  std::vector<std::filesystem::path> files;
  const std::filesystem::path folder = std::filesystem::path(HEDDLE_FUZZ_CORPUS) / target;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// Builds without libFuzzer feed each reader what is known to be interesting, whole and broken off anywhere.
TEST(Corpus, IsSurvivedByEveryReader) {
  for (const FuzzTarget& target : fuzz_targets()) {
    const auto files = corpus(target.name);
    EXPECT_FALSE(files.empty()) << target.name;
    for (const auto& file : files) {
      SCOPED_TRACE(file.string());
      const std::string bytes = read_file(file);
      const std::size_t step = bytes.size() / rounds(200U) + 1;
      for (std::size_t length = 0; length < bytes.size(); length += step) {
        EXPECT_NO_THROW(target.run(std::string_view(bytes).substr(0, length))) << length;
      }
      EXPECT_NO_THROW(target.run(bytes));
    }
  }
}

}  // namespace
}  // namespace heddle::test
