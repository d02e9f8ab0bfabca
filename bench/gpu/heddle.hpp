#pragma once

#include <string>

#include "factorization.hpp"
#include "heddle/linalg/testing.hpp"

namespace heddle::bench {

struct Contender {
  std::string workers;
  std::string policy;
  std::size_t tile = 0;
};

struct Result {
  double seconds = 0;   ///< of the fastest repetition
  double residual = 0;  ///< of a solve with the factors of the last one (linalg/residual.hpp)
};

/// What Heddle does, from the first submission of the factorization on. A matrix in the host's memory is there again in
/// the end. One on the device was put there by tasks before, and in the end a task of the device has had all of it:
/// nothing is brought home, since nobody waits for all. Durations are learnt in the first repetitions.
template <class T>
[[nodiscard]] Result run_heddle(Algorithm algorithm, Residence residence, const linalg::DenseMatrix<T>& a,
                                const Contender& contender, int repetitions);

}  // namespace heddle::bench
