#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"

namespace heddle {

/// What a worker draws, in watts: joules per second.
struct Watts {
  double busy = 0;  ///< while it runs a task
  double idle = 0;

  bool operator==(const Watts&) const = default;
};

/// A set of identical workers: CPU cores, groups of five cores, GPUs of one model.
struct ResourceClass {
  /// As `memory`: every worker of the class has a memory of its own, named like the worker.
  static constexpr std::string_view kEach = "each";

  std::string name;
  std::uint32_t workers = 0;
  std::string memory = "ram";  ///< kEach, or the name of a memory shared with every class that says the same
  std::optional<std::int64_t> memory_bytes = std::nullopt;  ///< capacity of the memory; unlimited when absent
  std::optional<Watts> watts = std::nullopt;                ///< of each worker; absent: not known
};

/// Bandwidth that several links share: concurrent transfers through it split it evenly.
struct Bus {
  std::string name;
  double bandwidth = 0;  ///< bytes per second
};

/// One direction between two memories; b bytes take latency + b / bandwidth.
struct Link {
  std::string from;
  std::string to;
  double bandwidth = 0;  ///< bytes per second
  Time latency = 0;
  std::vector<std::string> via;  ///< names of the buses it goes through
};

struct Memory {
  std::string name;
  std::optional<std::int64_t> bytes;  ///< unlimited when absent
};

/// The most workers a platform may have.
inline constexpr std::size_t kMaxWorkers = 1'000'000;

/// A machine: its workers, numbered class by class in the order of the classes, their memories and the links between
/// them. Without links, transfers are free.
class Platform {
 public:
  Platform() = default;
  /// Throws InputError when names repeat or are unknown, when there is no worker, when two classes disagree about the
  /// capacity of a memory they share, or when a worker draws a negative number of watts.
  explicit Platform(std::vector<ResourceClass> classes, std::vector<Link> links = {}, std::vector<Bus> buses = {});

  /// The same machine with some of its workers, ascending and each once, which get numbers of their own: the i-th of
  /// them becomes number i. Classes, some maybe without workers, memories and links are all there and keep their
  /// numbers, and workers their names, so that this is not always what the constructor would make of its classes.
  [[nodiscard]] Platform restricted(std::span<const WorkerId> workers) const;

  [[nodiscard]] std::size_t class_count() const { return classes_.size(); }
  [[nodiscard]] std::size_t worker_count() const { return worker_class_.size(); }
  [[nodiscard]] IdRange<ClassId> classes() const { return ids<ClassId>(class_count()); }
  [[nodiscard]] IdRange<WorkerId> workers() const { return ids<WorkerId>(worker_count()); }

  [[nodiscard]] const ResourceClass& resource_class(ClassId id) const { return classes_[id]; }
  [[nodiscard]] const std::string& class_name(ClassId id) const { return classes_[id].name; }
  [[nodiscard]] std::uint32_t worker_count(ClassId id) const { return classes_[id].workers; }
  [[nodiscard]] IdRange<WorkerId> workers(ClassId id) const {
    return {first_worker_[id], first_worker_[id] + classes_[id].workers};
  }
  [[nodiscard]] std::optional<ClassId> find_class(std::string_view name) const;

  [[nodiscard]] ClassId class_of(WorkerId worker) const { return worker_class_[worker]; }
  /// Class name and number inside the class: "cpu0", "gpu3". On a platform where that would name two workers alike (21
  /// of class "cpu" and one of class "cpu2"), classes whose name ends in a digit put a dot between: "cpu2.0".
  [[nodiscard]] const std::string& worker_name(WorkerId worker) const { return worker_names_[worker]; }

  [[nodiscard]] const Table<MemoryId, Memory>& memories() const { return memories_; }
  [[nodiscard]] MemoryId memory_of(WorkerId worker) const { return worker_memory_[worker]; }
  [[nodiscard]] std::optional<MemoryId> find_memory(std::string_view name) const;

  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  [[nodiscard]] const std::vector<Bus>& buses() const { return buses_; }

 private:
  void check_classes() const;
  void number_workers();
  [[nodiscard]] bool name_workers(std::string_view separator);
  void give_memories();
  void check_links() const;

  Table<ClassId, ResourceClass> classes_;
  Table<ClassId, std::size_t> first_worker_;
  Table<WorkerId, ClassId> worker_class_;
  Table<WorkerId, std::string> worker_names_;
  Table<WorkerId, MemoryId> worker_memory_;
  Table<MemoryId, Memory> memories_;
  std::vector<Link> links_;
  std::vector<Bus> buses_;
};

/// How long one class of a machine takes for a kernel.
struct ClassTime {
  std::string class_name;
  Time duration;
};

/// Measured durations of one kernel at one size. A workload looks it up by kernel, tile and precision; a recorded graph
/// by codelet and footprint. Each entry has one of the two keys, or both.
struct KernelTiming {
  std::string kernel;     ///< e.g. "POTRF"; empty when only the codelet is known
  std::int64_t tile = 0;  ///< order of the square tile
  std::string precision;  ///< "single" or "double"
  std::string codelet;    ///< StarPU's performance model, e.g. "chol_model_potrf"
  std::string footprint;  ///< its hash of the sizes, 8 hex digits
  std::vector<ClassTime> seconds;
  bool derived = false;  ///< computed from another entry instead of measured
};

/// A machine and what was measured on it: a platform file.
struct Machine {
  std::string name;
  std::vector<ResourceClass> classes;
  std::vector<Link> links;
  std::vector<Bus> buses;
  std::vector<KernelTiming> kernels;
};

}  // namespace heddle
