#include "factorization.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

namespace heddle::bench {
namespace {

constexpr std::array<const char*, 3> kAlgorithms{"cholesky", "lu", "qr"};
constexpr std::array<const char*, 2> kResidences{"host", "device"};

template <class Names>
std::size_t place(const Names& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::invalid_argument("'" + name + "' is not known");
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

std::string to_string(Algorithm algorithm) {
  return kAlgorithms.at(static_cast<std::size_t>(algorithm));
}

std::string to_string(Residence residence) {
  return kResidences.at(static_cast<std::size_t>(residence));
}

Algorithm parse_algorithm(const std::string& name) {
  return static_cast<Algorithm>(place(kAlgorithms, name));
}

Residence parse_residence(const std::string& name) {
  return static_cast<Residence>(place(kResidences, name));
}

double operations(Algorithm algorithm, std::size_t order) {
  const auto n = static_cast<double>(order);
  const double thirds = algorithm == Algorithm::cholesky ? 1 : algorithm == Algorithm::lu ? 2 : 4;
  return thirds / 3 * n * n * n;
}

double shortest_seconds(int repetitions, const std::function<void()>& prepare, const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  double shortest = 0;
  for (int i = 0; i < repetitions; ++i) {
    prepare();
    const Clock::time_point begin = Clock::now();
    call();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (i == 0 || seconds < shortest) shortest = seconds;
  }
  return shortest;
}

}  // namespace heddle::bench
