#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "heddle/model/options.hpp"
#include "heddle/policy/kit/ranks/task_buckets.hpp"
#include "heddle/policy/view.hpp"

/// Memory affinity for HeteroPrio's buckets: Bramas, "Impact study of data locality on task-based applications through
/// the Heteroprio scheduler", PeerJ Computer Science 5:e190, 2019, doi:10.7717/peerj-cs.190; details that the text
/// leaves open as in its authors' implementation in StarPU 1.4.
///
/// Each bucket has a list per memory. A task goes to the list of the memory that a heuristic finds for it, and a worker
/// looks at the lists of its own memory before those of others.
namespace heddle::policy {

/// How the memory of a ready task is found.
enum class MemoryAffinity : std::uint8_t {
  ls_sdh,     ///< the most bytes of its data
  ls_sdh2,    ///< the same, the bytes of a written datum squared
  ls_sdhb,    ///< the least missing bytes; written ones count 2 - (share of its data that it writes) times
  lc_smwb,    ///< read bytes + 1000 * written bytes * written data present; data that is everywhere does not count
  lcs,        ///< the shortest transfers
  worker,     ///< the memory of the worker that released the task
  automatic,  ///< whichever of the first four has most often still been right when the task was taken
};

/// The heuristics between which `automatic` chooses: ls_sdh, ls_sdh2, ls_sdhb, lc_smwb.
inline constexpr std::size_t kCandidates = 4;

/// The memories of the workers: the others have no lists.
[[nodiscard]] std::vector<MemoryId> worker_memories(const Platform& platform);

/// Which of `memories` a heuristic other than `automatic` finds for a task. Equal memories: `released_in`, where the
/// worker that released the task has its data, if it is among them; else the first.
[[nodiscard]] MemoryId affine_memory(const View& view, TaskId task, MemoryAffinity affinity, MemoryId released_in,
                                     std::span<const MemoryId> memories);

/// How workers move on from the lists of their own memory to those of others.
struct StealingOrder {
  /// How many other memories count as close; absent: all of them for classes that share their memory with the class
  /// listed first (the CPUs), 1 for the others.
  std::optional<std::uint64_t> close = std::nullopt;
  /// How many priorities a worker goes through in its own memory before it looks at close ones; absent: 1 for the CPUs,
  /// all for the others.
  std::optional<std::uint64_t> step = std::nullopt;
};

/// One list: what is in a bucket for a memory.
struct LocalList {
  BucketId bucket;
  MemoryId memory;
};

/// The order in which the workers of a class whose memory is `own` look at the lists. Priorities are gone through in
/// blocks of `step`: a block first in the own memory, then priority by priority in the close ones; last come all
/// priorities in the others. Memories are close when transfers from them are short and the workers there prefer other
/// buckets: both count half.
[[nodiscard]] std::vector<LocalList> local_lists(const View& view, const BucketOrders& orders, ClassId c, MemoryId own,
                                                 const StealingOrder& stealing);

/// The options by which policies choose affinity and stealing order.
[[nodiscard]] Option affinity_option();
[[nodiscard]] std::vector<Option> stealing_options();
[[nodiscard]] MemoryAffinity chosen_affinity(const Options& options);
[[nodiscard]] StealingOrder chosen_stealing(const Options& options);

}  // namespace heddle::policy
