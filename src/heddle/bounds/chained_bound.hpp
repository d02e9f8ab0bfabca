#pragma once

#include <optional>
#include <span>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/chains.hpp"

namespace heddle::bounds {

/// The area bound with one more constraint per chain: its tasks' durations, as the solution shares them out, and those
/// of the others on its path follow each other. Without chains it is the area bound. A linear program, one set of
/// variables per distinct cost row and chain: exact, and quick up to some thousands of rows.
[[nodiscard]] Bound chained_bound(const Instance& instance, std::span<const Chain> chains);

/// The same by search over the prices of classes and chains: up to a relative 1e-9, for few chains and any number of
/// rows.
[[nodiscard]] Bound chained_bound_by_prices(const Instance& instance, std::span<const Chain> chains);

/// The quicker of the two.
[[nodiscard]] Bound quick_chained_bound(const Instance& instance, std::span<const Chain> chains);

/// The mixed bound, the chains being at hand.
[[nodiscard]] std::optional<Bound> mixed_bound(const Instance& instance, std::span<const Chain> chains);

}  // namespace heddle::bounds
