#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <ranges>
#include <string>
#include <string_view>

#include "heddle/model/ids.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

/// FNV-1a, 64 bits, of texts, numbers, schedules and ranges of these.
class Checksum {
 public:
  void add(std::string_view text) {
    for (const char c : text) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211U;
  }
  template <std::integral Number>
  void add(Number number) {
    for (int byte = 0; byte < 8; ++byte) {
      hash_ = (hash_ ^ (static_cast<std::uint64_t>(number) >> (8 * byte) & 0xffU)) * 1099511628211U;
    }
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  template <class Id>
    requires std::is_enum_v<Id>
  void add(Id id) {
    add(static_cast<std::uint64_t>(id));
  }
  void add(const Attempt& attempt);
  void add(const Transfer& transfer);
  void add(const Schedule& schedule);
  template <std::ranges::input_range Range>
    requires(!std::convertible_to<Range, std::string_view>)
  void add(const Range& range) {
    for (const auto& one : range) add(one);
    add(std::size(range));
  }

  /// In hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t hash_ = 14695981039346656037U;
};

/// Expects that the file has the line "NAME CHECKSUM". Such a file holds what tests computed when last looked at: any
/// change is noticed, and one that is meant to be puts the line that the failure tells into the file. Under the
/// sanitizers, where tests try less (rounds()), nothing is compared.
void expect_known(const std::string& file, const std::string& name, const Checksum& checksum);

}  // namespace heddle::test
