#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/files/files.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

/// How short the makespan can get, what keeps it from being shorter, and what one more worker would give.
struct BoundAnswer {
  /// The best kind's bound for the machine with one more worker of a class.
  struct Further {
    ClassId on{};
    Time value = 0;
  };

  const files::LoadedInstance& loaded;
  std::vector<bounds::Kind> kinds;  ///< that were asked for
  bounds::Bounds bounds{};
  std::vector<Further> one_more{};
  double seconds = 0;  ///< that the bounds took, without `one_more`
};

/// `kind`: as bounds::parse_kinds has it. `limit`: wall-clock seconds for everything. `stop`: asked often; when it says
/// so, the answer holds what there is. `loaded` must outlive the answer.
[[nodiscard]] BoundAnswer answer_bound(const files::LoadedInstance& loaded, const std::string& kind,
                                       std::optional<double> limit, const std::function<bool()>& stop);
/// For people.
[[nodiscard]] std::string bound_text(const BoundAnswer& answer, const report::TextStyle& style);
/// The answer of `bound --json`.
[[nodiscard]] nlohmann::ordered_json json_bound(const BoundAnswer& answer);

}  // namespace heddle::cli
