#pragma once

#include "heddle/policy/policy.hpp"

namespace heddle::test {

/// DADA (Bleuse et al. 2014, algorithm 2) written a second time, in the plainest way: every guess looks at every worker
/// for every task, and sorts the batch anew. Two classes. It shares nothing with the real one but the model and the
/// View.
struct DadaRules {
  double alpha = 0.5;
  bool counts_transfers = false;  ///< communication prediction
  bool by_area = true;            ///< a guess has to hold the work of the CPUs, not only that of each worker twice
  bool all_loads = true;          ///< a guess has to hold what workers still have to do, too
};
[[nodiscard]] policy::Policy reference_dada(DadaRules rules);

}  // namespace heddle::test
