#include "heddle/runtime/reduction.hpp"

#include <cstring>

#include "heddle/runtime/kernel.hpp"

namespace heddle::runtime {

namespace {

void combine(const Job& job) {
  const Reduction* reduction = nullptr;
  std::memcpy(&reduction, job.values(), sizeof reduction);
  const Argument& value = job.arguments().front();
  for (const Argument& copy : job.arguments().subspan(1)) reduction->combine(value.piece, copy.piece, value.shape);
}

}  // namespace

const std::shared_ptr<const KernelInfo>& combining_kernel() {
  static const auto kKernel = std::make_shared<const KernelInfo>(
      KernelInfo{"combine", {{Processor::cpu, Implementation::Form::computes, combine, nullptr}}});
  return kKernel;
}

}  // namespace heddle::runtime
