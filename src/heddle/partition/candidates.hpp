#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/contexts.hpp"
#include "heddle/model/platform.hpp"

/// Which scheduling contexts to make of a machine for a set of tasks (Gazolla 2017, chapter 4): candidates, what each
/// is estimated to take, and the choice.
namespace heddle::partition {

/// The workers of one context, and what decides in it.
struct Part {
  Table<ClassId, std::uint32_t> workers;   ///< numbers of workers of its own
  std::string policy{};                    ///< empty: each that the choice is asked to try
  Table<ClassId, std::uint32_t> shared{};  ///< numbers of workers that others may have as well; empty: none

  [[nodiscard]] std::uint32_t shared_of(ClassId c) const { return shared.empty() ? 0 : shared[c]; }
  [[nodiscard]] bool has(ClassId c) const { return workers[c] + shared_of(c) > 0; }
  bool operator==(const Part&) const = default;
};

/// A way to divide the workers of a machine into contexts. Workers that none has for its own can be shared: a context
/// has the first so many of them, by class.
struct Candidate {
  std::string name;
  std::vector<Part> parts;

  /// How many workers of the class are shared.
  [[nodiscard]] std::uint32_t shared(ClassId c) const;
  /// How many workers of the class a part counts as in estimates, if workers serve the contexts that share them in
  /// equal parts. (Gazolla 2017 has none that are shared: 7.2.1, no. 3.)
  [[nodiscard]] double worth(std::size_t part, ClassId c) const;
};

/// The fifteen configurations of four cores and two GPUs (Gazolla 2017, table 5.1), "1" to "15". The first two leave
/// workers out. Throws InputError unless the platform has four workers of one class and two of the next.
[[nodiscard]] std::vector<Candidate> gazolla_2017(const Platform& platform);

struct Partitions {
  std::vector<Candidate> candidates;
  bool is_cut = false;  ///< there are more
};
/// All partitions of the machine into contexts, up to exchange of workers of a class: first one context, then two, and
/// so on, until there are `most`. Inside a partition contexts are in descending order.
[[nodiscard]] Partitions all_partitions(const Platform& platform, std::size_t most);

/// Adds joint contexts to partitions: for each choice of workers to share, all ways to divide the other workers into
/// two contexts or more, each of which also has all shared ones. In the order of how many are shared; until there are
/// `most` in all. A shared worker is offered to the first context first, so that the order of contexts matters; here it
/// is descending, as in partitions.
void add_joint(const Platform& platform, std::size_t most, Partitions& found);

/// Partitions, at most half of `most`, and joint contexts up to `most` in all; `is_cut` when there are more of either.
[[nodiscard]] Partitions joint_candidates(const Platform& platform, std::size_t most);

/// Reads candidates from a JSON text like what `heddle contexts --json` prints: an array, or an object with an array
/// "candidates", of {"name": "halves", "contexts": [{"workers": {"cpu": 2, "gpu": 1}, "policy": "dmdas"}, ...]}; the
/// policy may be left out, "shared": {"gpu": 1} counts workers that others may share, other keys are not looked at.
/// Throws InputError, with file and place, for unknown classes, more workers than there are, a context without workers,
/// a candidate without contexts, and names that repeat.
[[nodiscard]] std::vector<Candidate> read_candidates(std::string_view text, std::string_view source,
                                                     const Platform& platform);

/// The workers of the contexts: "cpu=4,gpu=1 | gpu=1"; those that they share come after a plus: "cpu=2 + gpu=1 | cpu=2
/// + gpu=1".
[[nodiscard]] std::string describe(const Candidate& candidate, const Platform& platform);

/// The contexts, named "1", "2", ..., with the first workers of each class that no context before has, and the first
/// ones of those that none has for its own, as far as it shares them. Where a part names no policy it gets `policy`.
[[nodiscard]] Table<ContextId, Context> contexts_of(const Candidate& candidate, const Platform& platform,
                                                    const std::string& policy);

}  // namespace heddle::partition
