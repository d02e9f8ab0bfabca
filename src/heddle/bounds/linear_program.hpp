#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "heddle/model/countdown.hpp"

namespace heddle::bounds {

/// A linear program that is minimised, may then grow or change, and is minimised again from where it was (dual simplex;
/// CLP behind it). Columns are the variables, rows the constraints; all start without coefficients.
class LinearProgram {
 public:
  using Column = std::uint32_t;
  using Row = std::uint32_t;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  LinearProgram();
  ~LinearProgram();
  LinearProgram(LinearProgram&&) noexcept;
  LinearProgram& operator=(LinearProgram&&) noexcept;

  Column add_column(double lower, double upper, double cost = 0);
  Row add_row(double lower, double upper);
  /// The coefficient of a column in a row, once per pair; at least one of the two must be new since the last
  /// minimise().
  void set(Row row, Column column, double coefficient);
  void set_column_upper(Column column, double upper);
  void set_row_upper(Row row, double upper);

  /// False when the countdown was over before the optimum, or when the solver's precision ended before; dual() then
  /// tells where it stood. Throws InternalError when the program has no optimum or the solver fails.
  bool minimise(const Countdown& countdown = Countdown());

  /// What all calls of minimise() cost: iterations times rows, the same on every machine.
  [[nodiscard]] double effort() const;

  /// After minimise().
  [[nodiscard]] double value(Column column) const;
  /// What a unit more of the row's limit would change of the minimum: at most 0 for an upper limit.
  [[nodiscard]] double dual(Row row) const;

 private:
  struct Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace heddle::bounds
