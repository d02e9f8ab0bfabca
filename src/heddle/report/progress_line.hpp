#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace heddle::report {

/// How far some work is.
struct Headway {
  std::string what;            ///< is done; harmless()
  double part = 0;             ///< of it that is done, from 0 to 1
  std::string detail;          ///< "812/3800  4.5/min"
  std::optional<double> left;  ///< seconds; none where nothing is known yet
};

/// One line for a terminal, without its end: "search [######..................] 1.234 s  2 h 46 min left". On a
/// terminal of `width` columns (0: unlimited) it takes at most one column less, as the cursor wants one: `what` is cut
/// first, then the bar goes, then the end.
[[nodiscard]] std::string progress_line(const Headway& headway, std::size_t width, bool ascii);

}  // namespace heddle::report
