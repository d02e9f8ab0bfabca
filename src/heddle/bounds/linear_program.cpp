#include "heddle/bounds/linear_program.hpp"

#include <coin/ClpEventHandler.hpp>
#include <coin/ClpFactorization.hpp>
#include <coin/ClpSimplex.hpp>
#include <coin/CoinError.hpp>
#include <vector>

#include "heddle/model/error.hpp"

namespace heddle::bounds {
namespace {

struct Entry {
  std::uint32_t row;
  std::uint32_t column;
  double coefficient;
};

/// Coefficients in the layout that CLP's addRows and addColumns want.
struct Compressed {
  std::vector<int> starts;
  std::vector<int> indices;
  std::vector<double> coefficients;
};

/// `major` and `minor` tell which member of an entry is which; majors are numbered from `first`.
template <class Major, class Minor>
Compressed compress(const std::vector<Entry>& entries, Major major, Minor minor, std::size_t first, std::size_t count) {
  Compressed result;
  result.starts.assign(count + 1, 0);
  result.indices.resize(entries.size());
  result.coefficients.resize(entries.size());
  for (const Entry& entry : entries) ++result.starts[entry.*major - first + 1];
  for (std::size_t i = 0; i < count; ++i) result.starts[i + 1] += result.starts[i];
  std::vector<int> next(result.starts.begin(), result.starts.end() - 1);
  for (const Entry& entry : entries) {
    const auto at = static_cast<std::size_t>(next[entry.*major - first]++);
    result.indices[at] = static_cast<int>(entry.*minor);
    result.coefficients[at] = entry.coefficient;
  }
  return result;
}

struct Limits {
  double lower;
  double upper;
  double cost;
};

std::vector<double> pick(const std::vector<Limits>& limits, double Limits::* member) {
  std::vector<double> values;
  for (const Limits& one : limits) values.push_back(one.*member);
  return values;
}

/// Has CLP stop when a countdown is over, which it looks at after every iteration: CLP's own limit of time knows no
/// other reason to stop.
class Stopper : public ClpEventHandler {
 public:
  explicit Stopper(const Countdown& countdown) : countdown_(&countdown) {}
  [[nodiscard]] ClpEventHandler* clone() const override { return new Stopper(*this); }
  int event(Event event) override {
    constexpr int kGoOn = -1;
    constexpr int kStop = 0;
    return event == endOfIteration && countdown_->over() ? kStop : kGoOn;
  }

 private:
  const Countdown* countdown_;
};

}  // namespace

/// CLP, and what was added since it last ran: adding one by one would copy the matrix each time.
struct LinearProgram::Solver {
  ClpSimplex clp;
  std::size_t rows = 0;     ///< that CLP knows
  std::size_t columns = 0;  ///< that CLP knows
  std::vector<Limits> new_rows;
  std::vector<Limits> new_columns;
  std::vector<Entry> in_old_columns;
  std::vector<Entry> in_new_columns;
  double effort = 0;

  void add_pending_rows() {
    const auto matrix = compress(in_old_columns, &Entry::row, &Entry::column, rows, new_rows.size());
    clp.addRows(static_cast<int>(new_rows.size()), pick(new_rows, &Limits::lower).data(),
                pick(new_rows, &Limits::upper).data(), matrix.starts.data(), matrix.indices.data(),
                matrix.coefficients.data());
    rows += new_rows.size();
    new_rows.clear();
    in_old_columns.clear();
  }

  void add_pending_columns() {
    const auto matrix = compress(in_new_columns, &Entry::column, &Entry::row, columns, new_columns.size());
    clp.addColumns(static_cast<int>(new_columns.size()), pick(new_columns, &Limits::lower).data(),
                   pick(new_columns, &Limits::upper).data(), pick(new_columns, &Limits::cost).data(),
                   matrix.starts.data(), matrix.indices.data(), matrix.coefficients.data());
    columns += new_columns.size();
    new_columns.clear();
    in_new_columns.clear();
  }

  /// See minimise().
  bool run(const Countdown& countdown) {
    const Stopper stopper(countdown);
    clp.passInEventHandler(&stopper);
    if (!new_rows.empty()) add_pending_rows();
    if (!new_columns.empty()) add_pending_columns();
    solve();
    if (clp.status() != kOptimal && clp.status() != kStoppedByEvent) {
      throw InternalError("the linear-programming solver found no optimum (CLP status " + std::to_string(clp.status()) +
                          ")");
    }
    if (breaks_unscaled()) {
      // From where it is, without scaling, a few iterations mend that.
      const int scaling = clp.scalingFlag();
      clp.scaling(0);
      solve();
      clp.scaling(scaling);
    }
    return clp.status() == kOptimal && !breaks_unscaled();
  }

 private:
  static constexpr int kOptimal = 0;
  static constexpr int kStoppedByEvent = 5;

  void solve() {
    clp.dual();
    effort += static_cast<double>(clp.numberIterations()) * clp.numberRows();
    if (clp.status() != kOptimal && clp.status() != kStoppedByEvent) clp.primal();
  }

  /// Whether what is optimal by the tolerances of the scaled program breaks constraints of the program itself, of its
  /// dual, or of both.
  [[nodiscard]] bool breaks_unscaled() const {
    constexpr int kPrimal = 2;
    constexpr int kBoth = 4;
    return clp.status() == kOptimal && clp.secondaryStatus() >= kPrimal && clp.secondaryStatus() <= kBoth;
  }
};

LinearProgram::LinearProgram() : solver_(std::make_unique<Solver>()) {
  solver_->clp.setLogLevel(0);
  // Programs are minimised again and again, as they grow: a factorization's arrays, a megabyte, serve the next one.
  constexpr int kUnlessLargerOnesAreNeeded = 1;
  solver_->clp.factorization()->setPersistenceFlag(kUnlessLargerOnesAreNeeded);
  // Values are about 1: a hundred times tighter than CLP's own tolerances costs nothing, and bounds get nine right
  // digits.
  constexpr double kTolerance = 1e-9;
  solver_->clp.setPrimalTolerance(kTolerance);
  solver_->clp.setDualTolerance(kTolerance);
}
LinearProgram::~LinearProgram() = default;
LinearProgram::LinearProgram(LinearProgram&&) noexcept = default;
LinearProgram& LinearProgram::operator=(LinearProgram&&) noexcept = default;

LinearProgram::Column LinearProgram::add_column(double lower, double upper, double cost) {
  solver_->new_columns.push_back({lower, upper, cost});
  return static_cast<Column>(solver_->columns + solver_->new_columns.size() - 1);
}

LinearProgram::Row LinearProgram::add_row(double lower, double upper) {
  solver_->new_rows.push_back({lower, upper, 0});
  return static_cast<Row>(solver_->rows + solver_->new_rows.size() - 1);
}

void LinearProgram::set(Row row, Column column, double coefficient) {
  const bool old_column = column < solver_->columns;
  if (old_column && row < solver_->rows) throw InternalError("a coefficient of a minimised program cannot change");
  (old_column ? solver_->in_old_columns : solver_->in_new_columns).push_back({row, column, coefficient});
}

void LinearProgram::set_column_upper(Column column, double upper) {
  if (column >= solver_->columns) {
    solver_->new_columns[column - solver_->columns].upper = upper;
  } else {
    solver_->clp.setColumnUpper(static_cast<int>(column), upper);
  }
}

void LinearProgram::set_row_upper(Row row, double upper) {
  if (row >= solver_->rows) {
    solver_->new_rows[row - solver_->rows].upper = upper;
  } else {
    solver_->clp.setRowUpper(static_cast<int>(row), upper);
  }
}

bool LinearProgram::minimise(const Countdown& countdown) {
  try {
    return solver_->run(countdown);
  } catch (const CoinError& error) {
    throw InternalError("the linear-programming solver failed: " + error.className() + "::" + error.methodName() +
                        ": " + error.message());
  }
}

double LinearProgram::effort() const {
  return solver_->effort;
}

double LinearProgram::value(Column column) const {
  return solver_->clp.getColSolution()[column];
}

double LinearProgram::dual(Row row) const {
  return solver_->clp.getRowPrice()[row];
}

}  // namespace heddle::bounds
