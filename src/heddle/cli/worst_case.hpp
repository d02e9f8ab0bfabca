#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "heddle/adversary/adversary.hpp"
#include "heddle/cli/commands.hpp"
#include "heddle/judge/judge.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::cli {

/// What `heddle adversary` found: the instance, and a comparison of the two on it.
struct AdversaryAnswer {
  std::string policy;
  std::optional<std::string> against;  ///< nothing: the bound
  adversary::WorstCase found;
  judge::Comparison comparison;

  [[nodiscard]] const files::LoadedInstance& loaded() const { return comparison.instances.front().loaded; }
};

/// Searches as the options say; outputs are left to the caller. `stop`: asked often, by several threads; when it says
/// so, the answer is the worst instance so far. Throws InputError.
[[nodiscard]] AdversaryAnswer find_adversary(const AdversaryOptions& options, const std::function<bool()>& stop);
/// For people.
[[nodiscard]] std::string adversary_text(const AdversaryAnswer& answer, const report::TextStyle& style);
/// The answer of `adversary --json`.
[[nodiscard]] nlohmann::ordered_json json_adversary(const AdversaryAnswer& answer);

}  // namespace heddle::cli
