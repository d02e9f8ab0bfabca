#include "heddle/report/pack_transfers.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace heddle::report {
namespace {

void pack_link(ByteColumn& column, std::span<const Transfer> transfers, Time unit) {
  column.add(transfers.size());
  std::int64_t data = 0;
  std::int64_t bytes = 0;
  Time now = 0;
  for (const Transfer& transfer : transfers) {
    const auto number = static_cast<std::int64_t>(index(transfer.data));
    column.add_signed(number - data);
    column.add_signed((transfer.start - now) / unit);
    column.add(static_cast<std::uint64_t>(std::max<Time>(transfer.end - transfer.start, 0) / unit));
    column.add_signed(transfer.bytes - bytes);
    data = number;
    bytes = transfer.bytes;
    now = std::max(transfer.start, transfer.end);
  }
}

}  // namespace

PackedTransfers pack_transfers(const Schedule& schedule, Time unit) {
  std::vector<Transfer> order = schedule.transfers;
  std::ranges::sort(order, {}, [](const Transfer& t) { return std::tuple(t.from, t.to, t.start, t.end, t.data); });
  PackedTransfers packed;
  for (auto begin = order.cbegin(); begin != order.cend();) {
    const auto end = std::find_if(begin, order.cend(), [&](const Transfer& transfer) {
      return transfer.from != begin->from || transfer.to != begin->to;
    });
    packed.links.emplace_back(begin->from, begin->to);
    pack_link(packed.column, {begin, end}, unit);
    begin = end;
  }
  return packed;
}

}  // namespace heddle::report
