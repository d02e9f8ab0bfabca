#pragma once

#include <optional>
#include <span>
#include <vector>

#include "heddle/bounds/bounds.hpp"
#include "heddle/bounds/certificate.hpp"
#include "heddle/bounds/linear_program.hpp"

namespace heddle::bounds {

/// The program that all bounds begin with: share the work out over the classes, in fractions, so that every class
/// finishes its own within the makespan, which is minimised. Callers add further rows.
class WorkProgram {
 public:
  /// Some tasks of equal durations.
  using Work = std::uint32_t;

  explicit WorkProgram(const Instance& instance);

  [[nodiscard]] LinearProgram& program() { return program_; }
  [[nodiscard]] const LinearProgram& program() const { return program_; }
  /// The variable that is minimised.
  [[nodiscard]] LinearProgram::Column makespan() const { return makespan_; }
  [[nodiscard]] double in_units(Time time) const { return static_cast<double>(time) / unit_; }

  [[nodiscard]] double picoseconds(double units) const { return units * unit_; }

  /// Tasks with the durations of a cost row. Where there are windows, all are of one `group`.
  Work add(std::uint32_t row, std::int64_t tasks, std::uint32_t group = 0);
  void resize(Work work, std::int64_t tasks);
  /// A row that says: in the window, the class does what it must of each work, for each of its tasks so many
  /// picoseconds as `amounts` tells by group.
  void add_window(const ClassWindow& window, std::vector<Time> amounts);
  /// A row that says: sum of the works' durations + constant + (what the caller sets) <= 0.
  LinearProgram::Row add_length_row(std::span<const Work> works, double constant);

  /// After minimise: how many of the tasks, in fractions, the class takes.
  [[nodiscard]] double share(Work work, ClassId wanted) const;
  /// After minimise: picoseconds of work by class.
  [[nodiscard]] Table<ClassId, double> use() const;
  /// After minimise: what a unit more of each class's time would change of the makespan.
  [[nodiscard]] std::vector<double> duals() const;
  /// After minimise: a certificate with the dual values of classes and windows, which knows no work yet.
  [[nodiscard]] Certificate certificate() const;
  /// After minimise: what tasks of a group must do in the windows, weighed with their dual values, by class.
  [[nodiscard]] std::vector<Wide> in_windows(std::uint32_t group) const;
  /// After minimise: the windows that have a dual value, from the one that matters most.
  [[nodiscard]] std::vector<ClassWindow> binding_windows() const;

 private:
  /// The fastest class does what the others leave: one variable for each other class that can run the tasks.
  struct Item {
    std::uint32_t row = 0;
    std::int64_t tasks = 0;
    ClassId fastest{};
    LinearProgram::Column first_other = 0;
    std::optional<LinearProgram::Row> limit;  ///< where several variables share the tasks
    std::uint32_t group = 0;
  };
  struct WindowRow {
    ClassWindow window;
    std::vector<Time> amounts;  ///< by group
    LinearProgram::Row row;
    double fastest_work = 0;  ///< were every task on its fastest class
  };

  template <class Visit>
  void for_each_other(const Item& item, Visit visit) const;
  void add_fastest_work(ClassId c, double work);
  /// What the item must do in the window counts for tasks that were not there before.
  void add_fastest_work(WindowRow& window, const Item& item, std::int64_t tasks);
  void enter(WindowRow& window, const Item& item);
  [[nodiscard]] Certificate::Units dual(const WindowRow& window) const;
  [[nodiscard]] std::span<const Time> durations(const Item& item) const {
    return instance_->costs.actual_row(item.row);
  }

  const Instance* instance_;
  double unit_;  ///< picoseconds that are 1 in the program: near the makespan, for the solver's tolerances
  LinearProgram program_;
  LinearProgram::Column makespan_;
  std::vector<LinearProgram::Row> area_;  ///< by class
  std::vector<double> fastest_work_;      ///< by class: were every task on its fastest
  std::vector<Item> items_;
  std::vector<WindowRow> windows_;
};

}  // namespace heddle::bounds
