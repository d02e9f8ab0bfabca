#include "heddle/policy/kit/placement/memory_affinity.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace heddle::policy {
namespace {

/// What a task accesses and how much of it is in one memory.
struct Presence {
  double read_bytes = 0;
  double written_bytes = 0;
  double score = 0;  ///< bytes, those of written data squared
  std::size_t written = 0;
};

bool everywhere(const View& view, DataId data, std::span<const MemoryId> memories) {
  return std::ranges::all_of(memories, [&](MemoryId memory) { return view.holds(data, memory); });
}

/// Adds up the data of a task that `counts` lets in.
template <class Counts>
Presence sum_data(const View& view, TaskId task, Counts&& counts) {
  Presence sum;
  for (const Access access : view.graph().accesses(task)) {
    if (!counts(access.data)) continue;
    const auto bytes = static_cast<double>(view.graph().datum(access.data).bytes);
    if (access.mode == AccessMode::read) {
      sum.read_bytes += bytes;
      sum.score += bytes;
    } else {
      sum.written_bytes += bytes;
      sum.score += bytes * bytes;
      ++sum.written;
    }
  }
  return sum;
}

/// Larger is better.
double affinity_score(const View& view, TaskId task, MemoryAffinity affinity, MemoryId memory,
                      std::span<const MemoryId> memories) {
  const auto here = [&](DataId data) { return view.holds(data, memory); };
  switch (affinity) {
    case MemoryAffinity::ls_sdh: {
      const Presence present = sum_data(view, task, here);
      return present.read_bytes + present.written_bytes;
    }
    case MemoryAffinity::ls_sdh2:
      return sum_data(view, task, here).score;
    case MemoryAffinity::ls_sdhb: {
      const auto accesses = static_cast<double>(view.graph().accesses(task).size());
      if (accesses == 0) return 0;
      const auto written = static_cast<double>(sum_data(view, task, [](DataId) { return true; }).written);
      const Presence missing = sum_data(view, task, [&](DataId data) { return !here(data); });
      return -(missing.read_bytes + missing.written_bytes * (2 - written / accesses));
    }
    case MemoryAffinity::lc_smwb: {
      constexpr double kWeightOfWrites = 1000;
      const Presence present =
          sum_data(view, task, [&](DataId data) { return here(data) && !everywhere(view, data, memories); });
      return present.read_bytes + kWeightOfWrites * (present.written_bytes * static_cast<double>(present.written));
    }
    case MemoryAffinity::lcs:
      return -static_cast<double>(view.transfer_estimate(task, memory));
    case MemoryAffinity::worker:
    case MemoryAffinity::automatic:
      break;
  }
  return 0;
}

/// How differently two classes order the buckets, about 0 to 1.
double priority_distance(const BucketOrders& orders, ClassId a, ClassId b) {
  std::size_t buckets = 0;
  for (const ClassId c : {a, b}) {
    for (const BucketId bucket : orders[c]) buckets = std::max(buckets, index(bucket) + 1);
  }
  std::vector<std::pair<double, double>> places(buckets);
  for (std::size_t i = 0; i < orders[a].size(); ++i) places[index(orders[a][i])].first = static_cast<double>(i + 1);
  for (std::size_t i = 0; i < orders[b].size(); ++i) places[index(orders[b][i])].second = static_cast<double>(i + 1);
  double distance = 0;
  for (const auto& [first, second] : places) distance += first < second ? second - first : first - second;
  const auto longest = static_cast<double>(std::max(orders[a].size(), orders[b].size()));
  return distance / ((longest + 1) * (longest + 2) / 2);
}

/// The other memories, the closest first.
std::vector<MemoryId> others_by_distance(const View& view, const BucketOrders& orders, ClassId c, MemoryId own) {
  constexpr std::int64_t kProbe = std::int64_t{1} << 30;  // bytes; large, so that latency does not matter
  const Platform& platform = view.platform();
  const auto transfer = [&](MemoryId from) { return view.routes().duration(from, own, kProbe); };
  const auto first_class = [&](MemoryId memory) {
    WorkerId worker = *platform.workers().begin();
    while (platform.memory_of(worker) != memory) worker = make_id<WorkerId>(index(worker) + 1);
    return platform.class_of(worker);
  };
  const std::vector<MemoryId> memories = worker_memories(platform);
  Time longest = 1;
  for (const MemoryId memory : memories) longest = std::max(longest, transfer(memory));
  std::vector<std::pair<double, MemoryId>> order;
  for (const MemoryId memory : memories) {
    if (memory == own) continue;
    const double transfers = static_cast<double>(transfer(memory)) / static_cast<double>(longest);
    order.emplace_back(transfers / 2 + (1 - priority_distance(orders, c, first_class(memory))) / 2, memory);
  }
  std::ranges::sort(order);
  std::vector<MemoryId> sorted;
  for (const auto& [distance, memory] : order) sorted.push_back(memory);
  return sorted;
}

}  // namespace

std::vector<MemoryId> worker_memories(const Platform& platform) {
  std::vector<bool> used(platform.memories().size(), false);
  for (const WorkerId worker : platform.workers()) used[index(platform.memory_of(worker))] = true;
  std::vector<MemoryId> memories;
  for (const MemoryId memory : platform.memories().ids()) {
    if (used[index(memory)]) memories.push_back(memory);
  }
  return memories;
}

MemoryId affine_memory(const View& view, TaskId task, MemoryAffinity affinity, MemoryId released_in,
                       std::span<const MemoryId> memories) {
  if (affinity == MemoryAffinity::worker) return released_in;
  MemoryId best = released_in;
  double best_score = affinity_score(view, task, affinity, released_in, memories);
  for (const MemoryId memory : memories) {
    const double score = affinity_score(view, task, affinity, memory, memories);
    if (score <= best_score) continue;
    best = memory;
    best_score = score;
  }
  return best;
}

std::vector<LocalList> local_lists(const View& view, const BucketOrders& orders, ClassId c, MemoryId own,
                                   const StealingOrder& stealing) {
  const std::vector<BucketId>& buckets = orders[c];
  const std::vector<MemoryId> others = others_by_distance(view, orders, c, own);
  const bool is_cpu = own == view.memory_of(*view.platform().workers().begin());
  const std::size_t close = std::min<std::uint64_t>(stealing.close.value_or(is_cpu ? others.size() : 1), others.size());
  const std::size_t step = std::max<std::size_t>(
      std::min<std::uint64_t>(stealing.step.value_or(is_cpu ? 1 : buckets.size()), buckets.size()), 1);
  std::vector<LocalList> order;
  const auto add = [&](std::size_t from, std::size_t to, std::size_t first_memory, std::size_t last_memory) {
    for (std::size_t priority = from; priority < to; ++priority) {
      for (std::size_t m = first_memory; m < last_memory; ++m) order.push_back({buckets[priority], others[m]});
    }
  };
  for (std::size_t begin = 0; begin < buckets.size(); begin += step) {
    const std::size_t end = std::min(begin + step, buckets.size());
    for (std::size_t priority = begin; priority < end; ++priority) order.push_back({buckets[priority], own});
    add(begin, end, 0, close);
  }
  add(0, buckets.size(), close, others.size());
  return order;
}

Option affinity_option() {
  return choice("affinity", "ls-sdhb", {"ls-sdh", "ls-sdh2", "ls-sdhb", "lc-smwb", "lcs", "worker", "auto"},
                "the memory that suits a ready task: most bytes of its data (ls-sdh), with written bytes squared "
                "(ls-sdh2), fewest missing bytes (ls-sdhb), mainly the bytes that it writes (lc-smwb), shortest "
                "transfers (lcs), the memory of the worker that released it (worker), or the rule among the first four "
                "that has been right most often (auto)");
}

std::vector<Option> stealing_options() {
  constexpr std::uint64_t kMost = 1'000'000;
  return {
      integer("close", "", 0, kMost,
              "number of other memories that are close; default: all for workers that share the memory of the class "
              "listed first, 1 for the others"),
      integer("step", "", 1, kMost,
              "number of priorities that a worker looks through in its own memory before it looks at close memories; "
              "default: 1 for workers that share the memory of the class listed first, all for the others")};
}

MemoryAffinity chosen_affinity(const Options& options) {
  return static_cast<MemoryAffinity>(options.choice("affinity"));
}

StealingOrder chosen_stealing(const Options& options) {
  StealingOrder stealing;
  if (options.has("close")) stealing.close = options.integer("close");
  if (options.has("step")) stealing.step = options.integer("step");
  return stealing;
}

}  // namespace heddle::policy
