#include "heddle/bounds/linked_area.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "heddle/bounds/certificate.hpp"
#include "heddle/bounds/dual_search.hpp"
#include "heddle/model/routes.hpp"

namespace heddle::bounds {
namespace {

/// What data that leave a home use: all links that leave it, or a bus that all of these go through.
struct Outlet {
  MemoryId home;
  std::uint32_t lanes = 0;                  ///< transfers at a time
  std::function<Time(std::int64_t)> takes;  ///< at least, of a datum by its bytes
};

std::vector<Outlet> outlets_of(const Platform& platform, MemoryId home) {
  struct Speed {
    Time latency;
    ByteRate rate;
  };
  std::vector<Speed> links;
  std::vector<std::string> shared;  // buses of all of them
  for (const Link& link : platform.links()) {
    if (link.from != platform.memories()[home].name) continue;
    if (links.empty()) shared = link.via;
    std::erase_if(shared, [&](const std::string& bus) { return std::ranges::find(link.via, bus) == link.via.end(); });
    links.push_back({std::min(link.latency, kLongestTransfer), ByteRate(link.bandwidth)});
  }
  std::vector<Outlet> outlets;
  if (links.empty()) return outlets;
  outlets.push_back({home, static_cast<std::uint32_t>(links.size()), [links](std::int64_t bytes) {
                       Time least = kLongestTransfer;
                       for (const auto& [latency, rate] : links) {
                         least = std::min(least, latency + transfer_time(bytes, rate));
                       }
                       return least;
                     }});
  for (const Bus& bus : platform.buses()) {
    if (std::ranges::find(shared, bus.name) == shared.end()) continue;
    // Rounded down: transfers side by side share the fractions.
    outlets.push_back({home, 1, [rate = ByteRate(bus.bandwidth)](std::int64_t bytes) {
                         return std::max<Time>(0, transfer_time(bytes, rate) - 1);
                       }});
  }
  return outlets;
}

/// By datum: the tasks that read its first value. Empty where none does for certain.
Table<DataId, std::vector<TaskId>> first_readers(const TaskGraph& graph) {
  Table<DataId, std::vector<TaskId>> readers(graph.data_count());
  Table<DataId, bool> written(graph.data_count(), false);
  for (const TaskId task : graph.tasks()) {
    for (const Access access : graph.accesses(task)) {
      if (written[access.data]) continue;
      if (access.mode == AccessMode::read || access.mode == AccessMode::read_write)
        readers[access.data].push_back(task);
      written[access.data] = access.mode != AccessMode::read;
    }
  }
  return readers;
}

class LinkedArea {
 public:
  explicit LinkedArea(const Instance& instance)
      : instance_(instance), classes_(instance.platform.class_count()), homes_(home_memories(instance)) {
    choose_outlets();
    group_tasks_by_work();
  }

  [[nodiscard]] Bound find() const {
    std::vector<double> capacity;
    for (const ClassId c : instance_.platform.classes()) capacity.push_back(instance_.platform.worker_count(c));
    for (const Outlet& outlet : outlets_) capacity.push_back(outlet.lanes);
    const DualPoint found =
        search_duals(capacity, [&](std::span<const double> duals, std::span<double> use) { choose(duals, use); });
    // What a makespan of 1 offers is worth 1.
    double total = 0;
    for (std::size_t r = 0; r < capacity.size(); ++r) total += capacity[r] * found.duals[r];
    std::vector<double> duals;
    for (const double dual : found.duals) duals.push_back(total > 0 ? dual / total : 0);
    Bound bound;
    bound.value = certified(duals);
    bound.use.assign(classes_, 0.0);
    for (const ClassId c : instance_.platform.classes()) bound.use[c] = found.use[index(c)];
    return bound;
  }

 private:
  /// Tasks with the same durations that stand for the same data.
  struct Group {
    std::span<const Time> durations;
    std::vector<Time> outlets;  ///< work of each when they run outside its home
    std::int64_t tasks = 0;
  };

  /// Those of the homes whose data take longest.
  void choose_outlets() {
    std::map<MemoryId, double> bytes;
    for (const DataId data : homes_.ids())
      bytes[homes_[data]] += static_cast<double>(instance_.graph.datum(data).bytes);
    std::vector<std::pair<MemoryId, double>> homes(bytes.begin(), bytes.end());
    std::ranges::stable_sort(homes, std::ranges::greater(), [](const auto& home) { return home.second; });
    if (homes.size() > kMostHomes) homes.resize(kMostHomes);
    for (const auto& [home, ignored] : homes) {
      for (Outlet& outlet : outlets_of(instance_.platform, home)) outlets_.push_back(std::move(outlet));
    }
    for (const Outlet& outlet : outlets_) {
      std::vector<bool>& outside = outside_.emplace_back(classes_, true);
      for (const WorkerId worker : instance_.platform.workers()) {
        if (instance_.platform.memory_of(worker) == outlet.home) {
          outside[index(instance_.platform.class_of(worker))] = false;
        }
      }
    }
  }

  void group_tasks_by_work() {
    const TaskGraph& graph = instance_.graph;
    Table<TaskId, std::vector<Time>> work(graph.task_count());
    const Table<DataId, std::vector<TaskId>> readers = first_readers(graph);
    // Together they fit in the certificate.
    const Time most = kLongestTransfer / static_cast<Time>(std::max<std::size_t>(1, graph.data_count()));
    for (const DataId data : readers.ids()) {
      for (std::size_t k = 0; k < outlets_.size() && !readers[data].empty(); ++k) {
        if (outlets_[k].home != homes_[data]) continue;
        std::vector<Time>& of_task = work[chosen_reader(readers[data], outside_[k])];
        of_task.resize(outlets_.size(), 0);
        of_task[k] += std::min(most, outlets_[k].takes(graph.datum(data).bytes));
      }
    }
    std::map<std::pair<std::uint32_t, std::vector<Time>>, std::int64_t> groups;
    for (const TaskId task : graph.tasks()) ++groups[{instance_.costs.row(task), std::move(work[task])}];
    for (const auto& [key, tasks] : groups) {
      Group& group = groups_.emplace_back(Group{instance_.costs.actual_row(key.first), key.second, tasks});
      group.outlets.resize(outlets_.size(), 0);
    }
  }

  /// The one that gains most outside.
  [[nodiscard]] TaskId chosen_reader(const std::vector<TaskId>& readers, const std::vector<bool>& outside) const {
    const auto gain = [&](TaskId task) {
      Time inside_time = kCannotRun;
      Time outside_time = kCannotRun;
      for (std::size_t c = 0; c < classes_; ++c) {
        Time& time = outside[c] ? outside_time : inside_time;
        time = std::min(time, instance_.costs.actual_row(task)[c]);
      }
      return inside_time - outside_time;
    };
    return *std::ranges::max_element(readers, {}, gain);
  }

  /// The cheapest class for each group at the dual values, and what that uses.
  void choose(std::span<const double> duals, std::span<double> use) const {
    for (const Group& group : groups_) {
      std::size_t best = classes_;
      double least = 0;
      for (std::size_t c = 0; c < classes_; ++c) {
        if (group.durations[c] == kCannotRun) continue;
        double cost = duals[c] * static_cast<double>(group.durations[c]);
        for (std::size_t k = 0; k < outlets_.size(); ++k) {
          if (outside_[k][c]) cost += duals[classes_ + k] * static_cast<double>(group.outlets[k]);
        }
        if (best != classes_ && cost >= least) continue;
        best = c;
        least = cost;
      }
      const auto tasks = static_cast<double>(group.tasks);
      use[best] += tasks * static_cast<double>(group.durations[best]);
      for (std::size_t k = 0; k < outlets_.size(); ++k) {
        if (outside_[k][best]) use[classes_ + k] += tasks * static_cast<double>(group.outlets[k]);
      }
    }
  }

  [[nodiscard]] Time certified(std::span<const double> duals) const {
    Certificate certificate(instance_.platform, duals.first(classes_));
    std::vector<Certificate::Units> units;
    for (std::size_t k = 0; k < outlets_.size(); ++k) {
      units.push_back(Certificate::units(duals[classes_ + k]));
      certificate.add_window(units[k], outlets_[k].lanes, 0);
    }
    for (const Group& group : groups_) {
      std::vector<Wide> crossing(classes_, 0);
      for (std::size_t k = 0; k < outlets_.size(); ++k) {
        for (std::size_t c = 0; c < classes_; ++c) {
          if (outside_[k][c]) crossing[c] += Wide{units[k]} * group.outlets[k];
        }
      }
      certificate.add_work(group.durations, group.tasks, 0, crossing);
    }
    return certificate.bound();
  }

  const Instance& instance_;
  std::size_t classes_;
  Table<DataId, MemoryId> homes_;
  std::vector<Outlet> outlets_;
  std::vector<std::vector<bool>> outside_;  ///< by outlet: the classes without a worker in its home
  std::vector<Group> groups_;
};

}  // namespace

std::optional<Bound> linked_area_bound(const Instance& instance) {
  if (instance.platform.links().empty()) return std::nullopt;
  Bound area = area_bound(instance);
  if (instance.graph.task_count() == 0) return area;
  Bound linked = LinkedArea(instance).find();
  return linked.value > area.value ? linked : area;
}

}  // namespace heddle::bounds
