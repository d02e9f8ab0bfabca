#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Many short strings, numbered in order of appearance and stored one after the other: a million task names cost their
/// letters and four bytes each.
class Names {
 public:
  void add(std::string_view name) {
    letters_.append(name);
    ends_.push_back(static_cast<std::uint32_t>(letters_.size()));
  }
  [[nodiscard]] std::string_view operator[](std::size_t number) const {
    const std::uint32_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(letters_).substr(begin, ends_[number] - begin);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  /// Letters stored so far; the sum may not pass 32 bits.
  [[nodiscard]] std::size_t letters() const { return letters_.size(); }

 private:
  std::string letters_;
  std::vector<std::uint32_t> ends_;
};

}  // namespace heddle
