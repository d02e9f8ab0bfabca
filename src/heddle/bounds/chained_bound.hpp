#pragma once

#include <optional>
#include <span>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/chains.hpp"

namespace heddle::bounds {

/// The area bound with one more constraint per chain: its tasks' durations, as the solution shares them out, and those
/// of the others on its path follow each other. Without chains it is the area bound. A linear program, one set of
/// variables per distinct cost row and chain: exact, and quick up to some thousands of rows, unless the countdown is
/// over before the optimum.
[[nodiscard]] Bound chained_bound(const Instance& instance, std::span<const Chain> chains,
                                  const Countdown& countdown = Countdown());

/// The same by search over the dual values of classes and chains: up to a relative 1e-9, for few chains and any number
/// of rows.
[[nodiscard]] Bound chained_bound_by_duals(const Instance& instance, std::span<const Chain> chains);

/// The quicker of the two.
[[nodiscard]] Bound quick_chained_bound(const Instance& instance, std::span<const Chain> chains,
                                        const Countdown& countdown = Countdown());

/// The mixed bound, the chains being at hand, as far as the countdown let them be found.
[[nodiscard]] std::optional<Bound> mixed_bound(const Instance& instance, std::span<const Chain> chains,
                                               const Countdown& countdown);

}  // namespace heddle::bounds
