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
  Table<ClassId, std::uint32_t> workers;  ///< numbers of workers
  std::string policy{};                   ///< empty: each that the choice is asked to try

  bool operator==(const Part&) const = default;
};

/// A way to divide the workers of a machine into contexts, which share none.
struct Candidate {
  std::string name;
  std::vector<Part> parts;
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

/// Reads candidates from a JSON text like what `heddle contexts --json` prints: an array, or an object with an array
/// "candidates", of {"name": "halves", "contexts": [{"workers": {"cpu": 2, "gpu": 1}, "policy": "dmdas"}, ...]}; the
/// policy may be left out, other keys are not looked at. Throws InputError, with file and place, for unknown classes,
/// more workers than there are, a context without workers, a candidate without contexts, and names that repeat.
[[nodiscard]] std::vector<Candidate> read_candidates(std::string_view text, std::string_view source,
                                                     const Platform& platform);

/// The workers of the contexts, as the command spells them: "cpu=4,gpu=1 | gpu=1".
[[nodiscard]] std::string describe(const Candidate& candidate, const Platform& platform);

/// The contexts, named "1", "2", ..., with the first workers of each class that no context before has. Where a part
/// names no policy it gets `policy`.
[[nodiscard]] Table<ContextId, Context> contexts_of(const Candidate& candidate, const Platform& platform,
                                                    const std::string& policy);

}  // namespace heddle::partition
