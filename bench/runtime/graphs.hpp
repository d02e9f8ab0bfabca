#pragma once

#include <memory>
#include <string>
#include <vector>

#include "problem.hpp"

namespace heddle::bench {

/// A graph of tasks that do nothing, on data of one element.
struct EmptyGraph {
  std::string name;
  std::unique_ptr<double[]> elements;
  Problem problem;

  /// Calls `run`, with tasks that leave in the data a trace of the order in which they ran; throws std::runtime_error
  /// when it is not the trace of a sequential run: some task did not wait for another.
  template <class Run>
  void check(Run&& run) {
    start_tracing();
    run();
    stop_tracing();
  }

 private:
  void start_tracing();
  void stop_tracing();
};

/// About 10,000 tasks each: the Cholesky graph of 40 tiles; a chain, in which each task waits for the one before;
/// independent tasks, each with a datum of its own; and random layers, where each task reads what one to three of the
/// layer before wrote.
[[nodiscard]] std::vector<EmptyGraph> empty_graphs();
/// Small ones: a chain of 100 tasks, 20 independent tasks, and the Cholesky graph of 12 tiles.
[[nodiscard]] std::vector<EmptyGraph> small_graphs();

}  // namespace heddle::bench
