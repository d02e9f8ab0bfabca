#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/model/access.hpp"
#include "heddle/model/ids.hpp"

namespace heddle {

/// Many short strings, numbered in order of appearance and stored one after the other: a million task names cost their
/// letters and four bytes each.
class Names {
 public:
  void add(std::string_view name) {
    letters_.append(name);
    ends_.push_back(static_cast<std::uint32_t>(letters_.size()));
  }
  [[nodiscard]] std::string_view operator[](std::size_t number) const {
    const std::uint32_t begin = number == 0 ? 0 : ends_[number - 1];
    return std::string_view(letters_).substr(begin, ends_[number] - begin);
  }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  /// Letters stored so far; the sum may not pass 32 bits.
  [[nodiscard]] std::size_t letters() const { return letters_.size(); }

 private:
  std::string letters_;
  std::vector<std::uint32_t> ends_;
};

/// A piece of memory that tasks share, e.g. one tile of a matrix.
struct Datum {
  std::string name;  ///< for people; may be empty
  std::int64_t bytes = 0;
  std::string home = "ram";  ///< name of the memory that holds it at the start, and in the end
  bool write_back = false;   ///< its final value is copied home during the run, when the links have time for it

  bool operator==(const Datum&) const = default;
};

/// Which tasks there are and which must wait for which: compressed adjacency, immutable once built (TaskGraphBuilder).
/// It knows no durations (Costs) and no machine (Platform).
class TaskGraph {
 public:
  TaskGraph() = default;

  [[nodiscard]] std::size_t task_count() const { return type_.size(); }
  [[nodiscard]] std::size_t edge_count() const { return successors_.size(); }
  [[nodiscard]] std::size_t type_count() const { return types_.size(); }
  [[nodiscard]] std::size_t data_count() const { return data_.size(); }
  [[nodiscard]] IdRange<TaskId> tasks() const { return ids<TaskId>(task_count()); }
  [[nodiscard]] IdRange<TypeId> types() const { return ids<TypeId>(type_count()); }

  /// Empty in a graph without names.
  [[nodiscard]] std::string_view name(TaskId task) const {
    return names_.size() == 0 ? std::string_view() : names_[index(task)];
  }
  [[nodiscard]] TypeId type(TaskId task) const { return type_[task]; }
  [[nodiscard]] std::string_view type_name(TypeId type) const { return types_[index(type)]; }
  /// The application's hint: larger is more urgent, 0 when it gave none.
  [[nodiscard]] std::int64_t priority(TaskId task) const { return priority_.empty() ? 0 : priority_[task]; }

  /// Tasks that must wait for `task`, by ascending number, each once.
  [[nodiscard]] std::span<const TaskId> successors(TaskId task) const {
    return slice<TaskId>(successors_, successor_begin_, task);
  }
  /// Tasks that `task` must wait for, by ascending number, each once.
  [[nodiscard]] std::span<const TaskId> predecessors(TaskId task) const {
    return slice<TaskId>(predecessors_, predecessor_begin_, task);
  }
  [[nodiscard]] std::span<const Access> accesses(TaskId task) const {
    if (access_begin_.empty()) return {};
    return slice<Access>(accesses_, access_begin_, task);
  }
  [[nodiscard]] const Datum& datum(DataId data) const { return data_[data]; }
  [[nodiscard]] const Table<DataId, Datum>& data() const { return data_; }

  /// What a graph is made of where its dependencies are known already.
  struct Parts {
    std::vector<std::string> types;
    std::vector<std::string> names{};  ///< of the tasks; empty when they have none
    Table<TaskId, TypeId> type;
    Table<TaskId, std::int64_t> priority;          ///< empty when no task has one
    std::vector<std::uint32_t> predecessor_begin;  ///< one more than there are tasks; positions in `predecessors`
    std::vector<TaskId> predecessors;              ///< of each task: ascending, each once
    Table<DataId, Datum> data;
    std::vector<std::uint32_t> access_begin;  ///< like predecessor_begin, in `accesses`; empty when no task has any
    std::vector<Access> accesses;             ///< of each task: each datum once
    std::vector<TaskId> order{};              ///< a topological one; empty: the tasks are numbered in one
  };
  /// What a host makes of tasks that it linked itself. The accesses imply no dependency: those are all in
  /// `predecessors`. Throws InternalError when an access is of an unknown datum, or a task accesses one twice.
  [[nodiscard]] static TaskGraph assemble(Parts parts);

  /// All tasks, each after its predecessors.
  [[nodiscard]] std::span<const TaskId> topological_order() const { return {order_.data(), order_.size()}; }

 private:
  friend class TaskGraphBuilder;

  void check_accesses() const;

  template <class T>
  [[nodiscard]] static std::span<const T> slice(const std::vector<T>& items, const std::vector<std::uint32_t>& begin,
                                                TaskId task) {
    const std::size_t i = index(task);
    return {items.data() + begin[i], items.data() + begin[i + 1]};
  }

  Names names_;
  Names types_;
  Table<TaskId, TypeId> type_;
  Table<TaskId, std::int64_t> priority_;  ///< empty when no task has one
  Table<DataId, Datum> data_;
  std::vector<std::uint32_t> successor_begin_{0};
  std::vector<TaskId> successors_;
  std::vector<std::uint32_t> predecessor_begin_{0};
  std::vector<TaskId> predecessors_;
  std::vector<std::uint32_t> access_begin_;  ///< empty when no task accesses data
  std::vector<Access> accesses_;
  std::vector<TaskId> order_;
};

/// Collects tasks in order of appearance and builds the graph. Dependencies are the union of add_edge and of what the
/// accesses imply in submission order (sequential consistency):
///  - a read waits for the last writers of the datum;
///  - a write or read-write waits for the readers since the last write or, if there are none, for the last writers;
///  - `commute` accesses of one datum that follow each other form a group: each waits for what came before the group,
///    none for another member, and what follows waits for all of them. `reduce` accesses likewise.
class TaskGraphBuilder {
 public:
  TypeId add_type(std::string_view name);
  DataId add_datum(Datum datum);
  /// `accesses` name each datum at most once, but for reads and writes of one datum, which are merged; throws
  /// InputError otherwise.
  TaskId add_task(std::string_view name, TypeId type, std::span<const Access> accesses = {}, std::int64_t priority = 0);
  /// `to` waits for `from`; repeating an edge changes nothing. Both may be added later.
  void add_edge(TaskId from, TaskId to) { edges_.push_back({from, to}); }

  [[nodiscard]] std::size_t task_count() const { return graph_.task_count(); }
  [[nodiscard]] std::size_t type_count() const { return graph_.type_count(); }
  [[nodiscard]] std::size_t data_count() const { return graph_.data_count(); }
  [[nodiscard]] std::string_view task_name(TaskId task) const { return graph_.name(task); }

  /// Throws InputError that names the tasks of a cycle, if there is one. Leaves the builder empty.
  [[nodiscard]] TaskGraph build();

 private:
  struct Edge {
    TaskId from;
    TaskId to;
  };

  [[nodiscard]] std::vector<Access> merged(std::string_view task, std::span<const Access> accesses) const;
  void imply_edges(TaskId task, Access access);
  void link();
  void sort_topologically();
  [[nodiscard]] std::string describe_cycle(std::vector<std::uint32_t> waiting) const;

  TaskGraph graph_;
  std::vector<Edge> edges_;
  Table<DataId, AccessHistory<TaskId>> history_;
};

}  // namespace heddle
