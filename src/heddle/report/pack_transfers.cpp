#include "heddle/report/pack_transfers.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace heddle::report {
namespace {

using Rows = std::vector<std::span<const Transfer>>;

/// How much a number of each transfer differs from that of the one before on its link.
template <class Number>
void add_differences(ByteColumn& column, const Rows& rows, Number&& number_of) {
  for (const std::span<const Transfer> row : rows) {
    std::int64_t before = 0;
    for (const Transfer& transfer : row) {
      const std::int64_t number = number_of(transfer);
      column.add_signed(number - before);
      before = number;
    }
  }
}

}  // namespace

PackedTransfers pack_transfers(const Schedule& schedule, Grid grid) {
  std::vector<Transfer> order = schedule.transfers;
  std::ranges::sort(order, {}, [](const Transfer& t) { return std::tuple(t.from, t.to, t.start, t.end, t.data); });
  PackedTransfers packed;
  Rows rows;
  for (auto begin = order.cbegin(); begin != order.cend();) {
    const auto end = std::find_if(begin, order.cend(), [&](const Transfer& transfer) {
      return transfer.from != begin->from || transfer.to != begin->to;
    });
    packed.links.emplace_back(begin->from, begin->to);
    rows.emplace_back(begin, end);
    packed.column.add(rows.back().size());
    begin = end;
  }
  add_differences(packed.column, rows, [](const Transfer& t) { return static_cast<std::int64_t>(index(t.data)); });
  add_times<Transfer>(packed.column, rows, grid);
  add_differences(packed.column, rows, [](const Transfer& t) { return t.bytes; });
  return packed;
}

}  // namespace heddle::report
