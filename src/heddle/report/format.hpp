#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "heddle/model/time.hpp"

/// Numbers as people read them: in tables and on pages, never in files or JSON. All of them are plain ASCII and do not
/// depend on the locale.
namespace heddle::report {

/// A duration or instant with four significant digits in the largest unit that leaves a number of at least 1: "1.234
/// s", "35.10 ms", "820.0 us", "12 ps", "0 s"; seconds are the largest unit and count on: "86,400 s".
[[nodiscard]] std::string format_time(TimeSum time);

/// The times of one table in one unit, with the same number of decimals: those that format_time gives `reference`.
/// With a reference of 372.4 ms, five seconds are "5,000.0 ms".
class TimeFormat {
 public:
  explicit TimeFormat(TimeSum reference);
  [[nodiscard]] std::string operator()(TimeSum time) const;

 private:
  const char* unit_ = "s";
  double picoseconds_ = 1e12;  ///< in one unit
  int decimals_ = 0;
};

/// Makespan over bound and other quotients near 1, with three decimals: "1.164". Infinite is "inf", undefined "-".
[[nodiscard]] std::string format_ratio(double ratio);

/// A whole number with a comma between groups of three digits: "45,760".
[[nodiscard]] std::string format_count(std::int64_t count);
/// The same of things that are called so, one of them `noun`: "1 task", "45,760 tasks".
[[nodiscard]] std::string format_count(std::size_t count, std::string_view noun);

/// A share of 1 in percent, with one decimal: 0.8734 is "87.3 %".
[[nodiscard]] std::string format_percent(double share);

/// How often something happens: by the second, or by the minute or hour where it happens less than once in one:
/// "1,230/s", "4.5/min".
[[nodiscard]] std::string format_rate(double per_second);

/// How long one has to wait, in no more detail than one waits for: "12 s", "5 min 20 s", "2 h 46 min", "3 d 4 h".
[[nodiscard]] std::string format_wait(double seconds);

/// An amount of memory with four significant digits in binary units: "512 B", "1.500 GiB".
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

/// An amount of energy with four significant digits: "12.50 J", "1.234 MJ", "0 J".
[[nodiscard]] std::string format_joules(double joules);

}  // namespace heddle::report
