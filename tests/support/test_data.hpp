#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace heddle::test {

/// The folder of outside data (kernel timings, recorded graphs, public instances), or nothing: HEDDLE_TEST_DATA.
[[nodiscard]] std::optional<std::filesystem::path> data_folder();

/// A whole file; throws std::runtime_error when it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace heddle::test

/// Skips the test, with one line, when there is no outside data; `folder` is where it is otherwise.
#define HEDDLE_REQUIRE_DATA(folder)                                                     \
  const auto folder##_found = ::heddle::test::data_folder();                            \
  if (!folder##_found) GTEST_SKIP() << "HEDDLE_TEST_DATA names no folder of test data"; \
  const std::filesystem::path& folder = *folder##_found
