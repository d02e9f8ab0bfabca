// Vectors in parts: y += 2 x, then the sum of their products. Each part is a chain of tasks; the chains run side by side.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "heddle/runtime/runtime.hpp"

using namespace heddle::runtime;
using Part = std::span<double>;
using Input = std::span<const double>;

int main() {
  const Kernel fill("fill", on_cpu([](double value, Part x) { std::ranges::fill(x, value); }));
  const Kernel axpy("axpy", on_cpu([](double a, Input x, Part y) {
                      for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
                    }));
  const Kernel dot("dot", on_cpu([](Input x, Input y, double& sum) {
                     for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
                   }));
  std::vector<std::vector<double>> x(16, std::vector<double>(100'000)), y = x;
  double sum = 0;
  Runtime runtime({.policy = "dmdas"});
  const auto total = runtime.data(sum);
  std::vector<Data<Part>> a, b;
  for (std::size_t i = 0; i < x.size(); ++i) {
    a.push_back(runtime.data(x[i])), b.push_back(runtime.data(y[i]));
    runtime.submit(fill, 1.0, write(a[i])), runtime.submit(fill, 3.0, write(b[i]));
    runtime.submit(axpy, 2.0, read(a[i]), rw(b[i]));
    runtime.submit(dot, read(a[i]), read(b[i]), commute(total));
  }
  runtime.wait();
  std::printf("%.0f\n", sum);  // 16 * 100,000 * 5 = 8000000
}
