#include "heddle/report/pack_run.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>

#include "heddle/analysis/chain.hpp"

namespace heddle::report {
namespace {

using analysis::Cause;
using analysis::Interval;
using analysis::Span;

/// A stretch of time in which an idle worker of a class could do the same.
struct State {
  Interval time;
  std::uint64_t code;
};

/// Ready and stalled times exclude each other.
std::vector<State> states_of(const analysis::ReadyTimes& times, ClassId c) {
  constexpr std::uint64_t kReady = 1;
  constexpr std::uint64_t kStalled = 2;
  std::vector<State> states;
  for (const Interval time : times.ready[c].all()) states.push_back({time, kReady});
  for (const Interval time : times.stalled.all()) states.push_back({time, kStalled});
  std::ranges::sort(states, {}, [](const State& state) { return state.time.start; });
  return states;
}

/// Spans that follow each other and differ in nothing become one.
std::vector<Span> joined(std::vector<Span> spans) {
  std::size_t last = 0;
  for (std::size_t i = 1; i < spans.size(); ++i) {
    const bool same = spans[i].cause == spans[last].cause && spans[i].from == spans[last].from &&
                      spans[i].to == spans[last].to && spans[i].time.start == spans[last].time.end;
    if (same) {
      spans[last].time.end = spans[i].time.end;
    } else {
      spans[++last] = spans[i];
    }
  }
  if (!spans.empty()) spans.resize(last + 1);
  return spans;
}

class RunPacker {
 public:
  RunPacker(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses, Grid grid)
      : instance_(instance), schedule_(schedule), grid_(grid) {
    for (const ClassId c : instance.platform.classes()) {
      states_.push_back(states_of(losses.times(), c));
      for (const State& state : states_.back()) refine(state.time);
    }
    for (const WorkerId worker : instance.platform.workers()) {
      held_up_.push_back(joined(losses.held_up(worker)));
      for (const Span& span : held_up_.back()) {
        refine(span.time);
        if (span.cause == Cause::data) links_.try_emplace({span.from, span.to}, 0);
      }
    }
    packed_.unit = grid_.unit;
  }

  PackedRun pack() && {
    for (auto& [ends, number] : links_) {
      packed_.links.push_back(ends);
      number = packed_.links.size();
    }
    for (const std::vector<State>& states : states_) packed_.states.push_back(pack_states(states));
    for (const std::vector<Span>& spans : held_up_) add_held_up(spans);
    add_waits();
    return std::move(packed_);
  }

 private:
  void refine(Interval time) {
    if (!grid_.rounds) grid_.unit = std::gcd(std::gcd(grid_.unit, time.start), time.end);
  }

  /// How many instants are between two.
  [[nodiscard]] std::uint64_t between(Time start, Time end) const {
    return static_cast<std::uint64_t>(grid_(end) - grid_(start));
  }

  [[nodiscard]] ByteColumn pack_states(const std::vector<State>& states) const {
    ByteColumn column;
    Time now = 0;
    for (const auto& [time, code] : states) {
      if (now < time.start) column.add(between(now, time.start) << 2U);
      column.add(between(time.start, time.end) << 2U | code);
      now = time.end;
    }
    return column;
  }

  void add_held_up(const std::vector<Span>& spans) {
    ByteColumn& column = packed_.held_up;
    column.add(spans.size());
    Time now = 0;
    for (const auto& [time, cause, from, to] : spans) {
      column.add(between(now, time.start));
      column.add(between(time.start, time.end));
      column.add(cause == Cause::data ? links_.at({from, to}) : 0);
      now = time.end;
    }
  }

  void add_waits() {
    const std::vector<std::size_t> order = drawing_order(schedule_);
    std::vector<std::size_t> position(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    const std::vector<analysis::WaitedFor> waited = analysis::waited_for(instance_, schedule_);
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto& [attempt, wait, for_data] = waited[order[i]];
      const auto code = static_cast<std::uint64_t>(wait);
      if (!attempt) {
        packed_.waits.add(code);
        continue;
      }
      const auto distance = static_cast<std::int64_t>(position[*attempt]) - static_cast<std::int64_t>(i);
      packed_.waits.add(code + (distance == -1 ? 4U : 8U));
      if (distance != -1) packed_.waits.add_signed(distance);
    }
  }

  const Instance& instance_;
  const Schedule& schedule_;
  Grid grid_;
  std::vector<std::vector<State>> states_;
  std::vector<std::vector<Span>> held_up_;
  std::map<std::pair<MemoryId, MemoryId>, std::size_t> links_;  ///< and their numbers, from 1
  PackedRun packed_;
};

}  // namespace

PackedRun pack_run(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses, Grid grid) {
  return RunPacker(instance, schedule, losses, grid).pack();
}

}  // namespace heddle::report
