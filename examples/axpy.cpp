#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "heddle/runtime/runtime.hpp"

using namespace heddle::runtime;

int main() {
  const Kernel fill("fill", on_cpu([](double value, std::span<double> x) { std::ranges::fill(x, value); }));
  const Kernel axpy("axpy", on_cpu([](double a, std::span<const double> x, std::span<double> y) {
                      for (std::size_t i = 0; i < x.size(); ++i) y[i] += a * x[i];
                    }));
  const Kernel add("add", on_cpu([](std::span<const double> x, double& sum) { sum = std::reduce(x.begin(), x.end(), sum); }));
  std::vector<double> x(1'000'000), y(1'000'000);
  double sum = 0;
  Runtime runtime({.policy = "dmdas"});
  const auto total = runtime.data(sum);
  std::vector<Data<std::span<double>>> xs, ys;
  for (std::size_t first = 0; first < x.size(); first += 100'000) {
    const auto& a = xs.emplace_back(runtime.data(std::span(x).subspan(first, 100'000)));
    const auto& b = ys.emplace_back(runtime.data(std::span(y).subspan(first, 100'000)));
    runtime.submit(fill, 1.0, write(a)), runtime.submit(fill, 3.0, write(b));
    runtime.submit(axpy, 2.0, read(a), rw(b));
    runtime.submit(add, read(b), commute(total));
  }
  runtime.wait();
  std::printf("%.0f\n", sum);  // 5000000
}
