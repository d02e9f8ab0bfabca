#include "heddle/workload/tile_task.hpp"

#include <algorithm>
#include <charconv>

namespace heddle::workload {
namespace {

bool repeats(Kernel kernel) {
  return kernel == Kernel::syrk || kernel == Kernel::gemm || kernel == Kernel::tsmqr;
}

}  // namespace

std::string_view to_string(Kernel kernel) {
  constexpr std::array<std::string_view, 11> kNames{"POTRF",  "TRSM",  "SYRK",  "GEMM",  "GETRF", "TRSM_U",
                                                    "TRSM_L", "GEQRT", "ORMQR", "TSQRT", "TSMQR"};
  return kNames[static_cast<std::size_t>(kernel)];
}

TileTaskName::TileTaskName(const TileTask& task) {
  char* end = std::ranges::copy(to_string(task.kernel), letters_.data()).out;
  const auto put_index = [&](char before, std::int32_t index) {
    *end++ = before;
    end = std::to_chars(end, letters_.data() + letters_.size(), index).ptr;
  };
  put_index('(', task.row);
  put_index(',', task.column);
  if (repeats(task.kernel)) put_index(',', task.step);
  *end++ = ')';
  size_ = static_cast<std::size_t>(end - letters_.data());
}

}  // namespace heddle::workload
