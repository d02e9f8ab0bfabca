#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"

namespace heddle::starpu {

/// How long tasks of a type take on a class, as far as is known: what the engine's model says, else the mean of what
/// was measured. Types are numbered from 0.
class Estimates {
 public:
  explicit Estimates(std::size_t class_count) : classes_(class_count) {}

  /// The next type can run on the classes that are told so.
  void add_type(const Table<ClassId, bool>& can_run);
  /// What the model says, from now on; nothing below 1 ps.
  void tell(TypeId type, ClassId c, Time model) { cell(type, c).model = model; }
  void measure(TypeId type, ClassId c, Time duration);

  /// kCannotRun where the class cannot run the type. If nothing is known of a class, half the time of the fastest that
  /// is known, so that policies try it; 1 us if nothing is known at all.
  [[nodiscard]] Time estimate(TypeId type, ClassId c) const;
  /// The mean of what was measured; without any, the estimate.
  [[nodiscard]] Time mean(TypeId type, ClassId c) const;

 private:
  struct Cell {
    bool can_run = false;
    Time model = 0;  ///< 0: it says nothing
    TimeSum measured = 0;
    std::int64_t count = 0;

    [[nodiscard]] Time known() const {
      return model > 0 ? model : count > 0 ? static_cast<Time>(measured / count) : Time{0};
    }
  };

  [[nodiscard]] Cell& cell(TypeId type, ClassId c) { return cells_[index(type) * classes_ + index(c)]; }
  [[nodiscard]] const Cell& cell(TypeId type, ClassId c) const { return cells_[index(type) * classes_ + index(c)]; }

  std::size_t classes_;
  std::vector<Cell> cells_;
};

}  // namespace heddle::starpu
