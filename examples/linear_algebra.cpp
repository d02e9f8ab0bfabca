// A system of linear equations, solved by tasks on the tiles of its matrix, on all cores (and GPUs) of this machine.
#include <cstdio>

#include "heddle/linalg/algorithms.hpp"
#include "heddle/linalg/testing.hpp"
#include "heddle/model/validate.hpp"

using namespace heddle;
using namespace heddle::linalg;

int main() {
  const DenseMatrix<double> a = random_definite<double>(600, true, 1);
  const DenseMatrix<double> b = random_matrix<double>(600, 3, 2);

  Runtime runtime({.policy = "dmdas", .trace = true});
  TiledMatrix<double> factor(runtime, a.view(), 100);
  TiledMatrix<double> solution(runtime, b.view(), 100);
  cholesky(runtime, factor);                  // these two submit tasks and return at once;
  cholesky_solve(runtime, factor, solution);  // dependencies follow from the tiles that the tasks use
  runtime.wait();

  DenseMatrix<double> x(600, 3);
  solution.copy_to(x.view());
  const bool solved = solve_residual<double>(a.view(), x.view(), b.view()) < kResidualThreshold;
  const runtime::Trace trace = runtime.trace();  // bounds, pages and other policies take it like any instance
  const bool valid = validate(trace.instance, trace.schedule, Durations::free).empty();
  std::printf("%s by %zu tasks; the schedule is %s\n", solved ? "solved" : "wrong", trace.schedule.attempts.size(),
              valid ? "valid" : "not valid");
}

// Output:
// solved by 98 tasks; the schedule is valid
