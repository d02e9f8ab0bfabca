#include <cstring>
#include <ranges>

#include "heddle/runtime/data.hpp"
#include "heddle/runtime/kernel.hpp"

namespace heddle::runtime {

namespace {

void combine(const Job& job) {
  Combination how{};
  std::memcpy(&how, job.values(), sizeof how);
  const auto arguments = job.arguments();
  const Argument& value = arguments.front();
  for (const Argument& copy : arguments | std::views::drop(1))
    how.reduction->combine(value.piece, copy.piece, value.shape);
}

}  // namespace

const std::shared_ptr<const KernelInfo>& combining_kernel() {
  static const auto kKernel = std::make_shared<const KernelInfo>(
      KernelInfo{"combine", {{Processor::cpu, Implementation::Form::computes, combine, nullptr}}});
  return kKernel;
}

}  // namespace heddle::runtime
