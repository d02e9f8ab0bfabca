#include "heddle/report/columns.hpp"

#include <zlib.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "heddle/analysis/chain.hpp"
#include "heddle/model/error.hpp"
#include "heddle/report/utf8.hpp"

namespace heddle::report {
namespace {

/// Stands for a number in a pattern; no valid UTF-8 holds it.
constexpr char kNumber = '\xFF';
/// Longer numbers stay text: the page's numbers are exact up to 2^53.
constexpr std::size_t kMaxDigits = 15;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// A name taken apart.
struct Dissected {
  std::string pattern;
  std::vector<std::uint64_t> numbers;
};

Dissected dissect(std::string_view name) {
  Dissected parts;
  for (std::size_t i = 0; i < name.size();) {
    if (!is_digit(name[i])) {
      parts.pattern += name[i++];
      continue;
    }
    std::size_t end = i;
    while (end < name.size() && is_digit(name[end])) ++end;
    const std::string_view digits = name.substr(i, end - i);
    i = end;
    if (digits.size() > kMaxDigits || (digits[0] == '0' && digits.size() > 1)) {
      parts.pattern += digits;
      continue;
    }
    std::uint64_t number = 0;
    for (const char digit : digits) number = number * 10 + static_cast<std::uint64_t>(digit - '0');
    parts.pattern += kNumber;
    parts.numbers.push_back(number);
  }
  return parts;
}

std::vector<std::string> pieces(std::string_view pattern) {
  std::vector<std::string> result{""};
  for (const char letter : pattern) {
    if (letter == kNumber) {
      result.emplace_back();
    } else {
      result.back() += letter;
    }
  }
  return result;
}

class NamePacker {
 public:
  void add(std::string_view name) {
    Dissected parts = dissect(valid_utf8(name));
    const auto [found, is_new] = numbers_.try_emplace(std::move(parts.pattern), numbers_.size());
    if (is_new) names_.patterns.push_back(pieces(found->first));
    names_.column.add(found->second);
    for (const std::uint64_t number : parts.numbers) names_.column.add(number);
  }

  PackedNames finish() && { return std::move(names_); }

 private:
  PackedNames names_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

/// The largest unit that all times are multiples of; at least 1.
Time common_unit(const Schedule& schedule) {
  Time unit = 0;
  for (const Attempt& attempt : schedule.attempts) unit = std::gcd(std::gcd(unit, attempt.start), attempt.end);
  for (const Transfer& transfer : schedule.transfers) unit = std::gcd(std::gcd(unit, transfer.start), transfer.end);
  return std::max<Time>(unit, 1);
}

ByteColumn pack_attempts(const Instance& instance, const Schedule& schedule, const std::vector<std::size_t>& order,
                         Grid grid) {
  std::vector<Attempt> attempts;
  attempts.reserve(order.size());
  for (const std::size_t i : order) attempts.push_back(schedule.attempts[i]);
  std::vector<std::span<const Attempt>> rows;
  for (auto begin = attempts.cbegin(); const WorkerId worker : instance.platform.workers()) {
    const auto end =
        std::find_if(begin, attempts.cend(), [&](const Attempt& attempt) { return attempt.worker != worker; });
    rows.emplace_back(begin, end);
    begin = end;
  }
  ByteColumn column;
  for (const std::span<const Attempt> row : rows) column.add(row.size());
  for (const std::span<const Attempt> row : rows) {
    std::int64_t task = 0;
    for (const Attempt& attempt : row) {
      const auto number = static_cast<std::int64_t>(index(attempt.task));
      column.add(ByteColumn::zigzag(number - task) << 2U | static_cast<std::uint64_t>(attempt.outcome));
      task = number;
    }
  }
  add_times<Attempt>(column, rows, grid);
  return column;
}

/// Of several steps in one instant the last one counts.
ByteColumn pack_queue(const std::vector<QueueStep>& steps, Grid grid) {
  ByteColumn column;
  QueueStep before{0, 0};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t instant = grid(steps[i].time);
    if (i + 1 < steps.size() && grid(steps[i + 1].time) == instant) continue;
    column.add(static_cast<std::uint64_t>(instant - before.time));
    column.add_signed(steps[i].depth - before.depth);
    before = {instant, steps[i].depth};
  }
  return column;
}

}  // namespace

void ByteColumn::add(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) bytes_.push_back(static_cast<std::uint8_t>(value | 0x80U));
  bytes_.push_back(static_cast<std::uint8_t>(value));
}

ByteColumn ByteColumn::compressed() const {
  ByteColumn smaller;
  uLongf size = compressBound(bytes_.size());
  smaller.bytes_.resize(size);
  // The best speed: slower levels hardly make pages smaller.
  if (compress2(smaller.bytes_.data(), &size, bytes_.data(), bytes_.size(), Z_BEST_SPEED) != Z_OK) {
    throw InternalError("a column of the page cannot be compressed");
  }
  smaller.bytes_.resize(size);
  return smaller;
}

std::string ByteColumn::base64() const {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes_.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes_.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes_.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < 3; ++j) bits = bits << 8U | (j < count ? bytes_[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? kLetters[bits >> (18 - 6 * j) & 63U] : '=';
  }
  return text;
}

PackedNames pack_names(const TaskGraph& graph) {
  NamePacker names;
  for (const TaskId task : graph.tasks()) names.add(graph.name(task));
  return std::move(names).finish();
}

PackedNames pack_data_names(const TaskGraph& graph) {
  NamePacker names;
  for (const Datum& datum : graph.data()) names.add(datum.name);
  return std::move(names).finish();
}

ByteColumn pack_types(const TaskGraph& graph) {
  ByteColumn column;
  for (const TaskId task : graph.tasks()) column.add(index(graph.type(task)));
  return column;
}

std::vector<std::size_t> drawing_order(const Schedule& schedule) {
  std::vector<std::size_t> order(schedule.attempts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) {
    const Attempt& attempt = schedule.attempts[i];
    return std::tuple(attempt.worker, attempt.start, attempt.end, i);
  });
  return order;
}

Grid grid_of(const Schedule& schedule) {
  constexpr std::size_t kExact = 500'000;
  constexpr Time kInstants = Time{1} << 30;
  const Time exact = common_unit(schedule);
  if (schedule.attempts.size() + schedule.transfers.size() <= kExact) return {exact};
  const Time coarse = schedule.makespan() / kInstants;
  return coarse > exact ? Grid{coarse, true} : Grid{exact};
}

PackedSchedule pack_schedule(const Instance& instance, const Schedule& schedule, Grid grid) {
  const std::vector<std::size_t> order = drawing_order(schedule);
  PackedSchedule packed;
  packed.attempts = pack_attempts(instance, schedule, order, grid);
  packed.queue = pack_queue(ready_queue(instance, schedule), grid);
  std::vector<std::size_t> position(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
  for (const analysis::ChainLink& link : analysis::deciding_chain(instance, schedule)) {
    packed.chain.add(position[link.attempt]);
  }
  return packed;
}

}  // namespace heddle::report
