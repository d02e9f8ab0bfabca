#pragma once

#include <string>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/model/platform.hpp"

namespace heddle::test {

/// Two CPU cores and a GPU, without kernels.
inline Machine bare_machine() {
  Machine machine;
  machine.name = "bare";
  machine.classes = {{"cpu", 2, "ram", {}}, {"gpu", 1, "each", {}}};
  return machine;
}

inline KernelTiming timing(std::string kernel, std::int64_t tile, std::string precision, Time cpu, Time gpu,
                           std::string codelet = "") {
  KernelTiming entry;
  entry.kernel = std::move(kernel);
  entry.tile = tile;
  entry.precision = std::move(precision);
  entry.codelet = std::move(codelet);
  entry.seconds = {{"cpu", cpu}, {"gpu", gpu}};
  return entry;
}

/// The bare machine with every kernel in double precision at tile 960; the n-th takes (n + 1) ms and (n + 1) us.
inline Machine toy_machine() {
  Machine machine = bare_machine();
  machine.name = "toy";
  Time number = 0;
  for (const char* kernel :
       {"POTRF", "TRSM", "SYRK", "GEMM", "GETRF", "TRSM_U", "TRSM_L", "GEQRT", "ORMQR", "TSQRT", "TSMQR"}) {
    ++number;
    machine.kernels.push_back(timing(kernel, 960, "double", number * kMillisecond, number * kMicrosecond));
  }
  return machine;
}

/// What the InputError says that `action` throws; "" when it throws none.
template <class Action>
std::string input_error(Action&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace heddle::test
