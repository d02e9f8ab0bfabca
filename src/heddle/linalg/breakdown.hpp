#pragma once

#include <cstddef>
#include <string>

#include "heddle/runtime/errors.hpp"

namespace heddle::linalg {

/// A factorization met a matrix that it cannot factorize. Surfaces at Runtime::wait().
class Breakdown : public runtime::TaskFailure {
 public:
  /// `row`: from 0. `what`: what is wrong with the matrix there, after "the matrix ".
  Breakdown(std::size_t row, const std::string& what)
      : TaskFailure("the matrix " + what + " (row " + std::to_string(row) + ", counted from 0)"), row_(row) {}

  /// Of the matrix, from 0.
  [[nodiscard]] std::size_t row() const { return row_; }

 private:
  std::size_t row_;
};

}  // namespace heddle::linalg
