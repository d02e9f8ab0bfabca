#include "heddle/cli/page_origin.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"

namespace heddle::cli {
namespace {

std::chrono::sys_seconds time_of_page() {
  using std::chrono::seconds;
  const char* fixed = std::getenv("SOURCE_DATE_EPOCH");
  if (fixed == nullptr) return std::chrono::floor<seconds>(std::chrono::system_clock::now());
  constexpr std::uint64_t kLatest = 253'402'300'799;  // the last second of the year 9999
  const auto count = parse_count(fixed);
  if (!count || *count > kLatest) {
    throw InputError(fmt::format("SOURCE_DATE_EPOCH is '{}'; expected seconds since 1970 as a whole number up to {}",
                                 fixed, kLatest));
  }
  return std::chrono::sys_seconds(seconds(static_cast<std::int64_t>(*count)));
}

}  // namespace

report::Origin page_origin(const std::string& path, const std::string& command_line) {
  if (path.empty()) return {};
  return {HEDDLE_VERSION, fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(time_of_page())), command_line};
}

}  // namespace heddle::cli
