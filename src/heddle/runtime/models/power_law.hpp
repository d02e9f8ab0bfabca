#pragma once

#include <optional>
#include <span>

#include "heddle/model/time.hpp"

namespace heddle::runtime {

/// How long a kernel took on data of a size, in bytes.
struct Sample {
  double size = 0;
  Time duration = 0;
};

/// duration = e^intercept * size^exponent, in picoseconds and bytes.
struct PowerLaw {
  double intercept = 0;
  double exponent = 0;
  bool is_assumed = false;  ///< the exponent: no two sizes tell it

  /// At least a picosecond, at most an hour.
  [[nodiscard]] Time operator()(double size) const;
};

/// The line through the samples on logarithmic scales by the medians of slopes and intercepts (P. K. Sen, "Estimates of
/// the regression coefficient based on Kendall's tau", J. Am. Stat. Assoc. 63, 1968,
/// doi:10.1080/01621459.1968.10480934): samples that are far off do not move it as long as they are less than about 29
/// %. The exponent is kept in 0..3: from "size does not matter" to what no kernel of dense linear algebra reaches
/// (matrix products have 1.5). Samples of one size only are taken to be proportional to it. Nothing without samples. Of
/// many it takes some, evenly over the sizes.
[[nodiscard]] std::optional<PowerLaw> fit_power_law(std::span<const Sample> samples);

}  // namespace heddle::runtime
