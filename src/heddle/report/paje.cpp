#include "heddle/report/paje.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <tuple>
#include <vector>

#include "heddle/analysis/chain.hpp"
#include "heddle/report/text_table.hpp"

namespace heddle::report {
namespace {

/// What the header defines, by number: those that the reader must know are defined there, too.
constexpr std::string_view kPajeHeader = R"(%EventDef PajeDefineContainerType 1
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineStateType 2
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineLinkType 3
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 4
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 5
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 6
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajePushState 7
% Time date
% Type string
% Container string
% Value string
% Task string
%EndEventDef
%EventDef PajePopState 8
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeStartLink 9
% Time date
% Type string
% Container string
% StartContainer string
% Value string
% Key string
%EndEventDef
%EventDef PajeEndLink 10
% Time date
% Type string
% Container string
% EndContainer string
% Value string
% Key string
%EndEventDef
1 Machine 0 "Machine"
1 Class Machine "Class"
1 Worker Class "Worker"
1 Memory Machine "Memory"
2 Activity Worker "Activity"
3 Transfer Machine Memory Memory "Transfer"
3 Waited Machine Worker Worker "Waited for"
)";

/// For types and causes, in turn: what computes is saturated, and what is lost is pale.
constexpr std::array<std::string_view, 8> kStateColours{"0.12 0.47 0.71", "1.00 0.50 0.05", "0.17 0.63 0.17",
                                                        "0.58 0.40 0.74", "0.55 0.34 0.29", "0.89 0.47 0.76",
                                                        "0.74 0.74 0.13", "0.09 0.75 0.81"};
constexpr std::string_view kAbortedColour = "0.84 0.15 0.16";
constexpr std::array<std::string_view, analysis::kCauseCount> kIdleColours{"",
                                                                           "",
                                                                           "0.65 0.81 0.89",
                                                                           "0.79 0.88 0.94",
                                                                           "0.99 0.80 0.60",
                                                                           "0.85 0.85 0.85",
                                                                           "0.92 0.92 0.92",
                                                                           "0.92 0.92 0.92",
                                                                           "0.98 0.75 0.83"};

/// A field: a double quote has no place in one.
std::string field(std::string_view text) {
  std::string value = harmless(text);
  std::ranges::replace(value, '"', '\'');
  return '"' + value + '"';
}

class PajeWriter {
 public:
  PajeWriter(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses)
      : instance_(instance), schedule_(schedule), end_(schedule.makespan()) {
    for (const Attempt& attempt : schedule.attempts) end_ = std::max(end_, attempt.end);
    for (const Transfer& transfer : schedule.transfers) end_ = std::max(end_, transfer.end);
    for (const WorkerId worker : instance.platform.workers()) {
      for (const analysis::Span& span : losses.idle_spans(worker)) idle_.push_back({worker, span});
    }
    waits_ = analysis::waited_for(instance, schedule);
  }

  std::string write() && {
    put("{}", kPajeHeader);
    define_values();
    create_containers();
    collect();
    std::ranges::sort(events_, {}, [](const Event& e) { return std::tuple(e.time, e.kind, e.number); });
    for (const Event& event : events_) write(event);
    destroy_containers();
    return fmt::to_string(text_);
  }

 private:
  /// In the order in which those of one instant are written: a state is closed before the next one opens, a link opens
  /// before it closes.
  enum class Kind : std::uint8_t {
    start_transfer,
    start_wait,
    end_transfer,
    end_wait,
    end_attempt,
    end_idle,
    attempt,
    idle
  };
  struct Event {
    Time time;
    Kind kind;
    std::size_t number;  ///< of the transfer, attempt or idle span
  };
  struct Idle {
    WorkerId worker;
    analysis::Span span;
  };

  template <class... Arguments>
  void put(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  void define_values() {
    const TaskGraph& graph = instance_.graph;
    for (const TypeId type : graph.types()) {
      put("4 t{} Activity {} \"{}\"\n", index(type), field(graph.type_name(type)),
          kStateColours[index(type) % kStateColours.size()]);
    }
    put("4 aborted Activity {} \"{}\"\n", field(title_of(analysis::Cause::aborted)), kAbortedColour);
    for (const analysis::Cause cause : analysis::kLosses) {
      if (cause == analysis::Cause::aborted) continue;
      put("4 {} Activity {} \"{}\"\n", to_string(cause), field(title_of(cause)),
          kIdleColours[static_cast<std::size_t>(cause)]);
    }
  }

  void create_containers() {
    const Platform& platform = instance_.platform;
    put("5 0 machine Machine 0 {}\n", field(instance_.name.empty() ? "machine" : instance_.name));
    for (const ClassId c : platform.classes()) {
      if (platform.worker_count(c) == 0) continue;
      put("5 0 c{} Class machine {}\n", index(c), field(platform.class_name(c)));
      for (const WorkerId worker : platform.workers(c)) {
        put("5 0 w{} Worker c{} {}\n", index(worker), index(c), field(platform.worker_name(worker)));
      }
    }
    for (const MemoryId memory : platform.memories().ids()) {
      put("5 0 m{} Memory machine {}\n", index(memory), field(platform.memories()[memory].name));
    }
  }

  void destroy_containers() {
    const Platform& platform = instance_.platform;
    const std::string end = format_seconds(end_);
    for (const MemoryId memory : platform.memories().ids()) put("6 {} Memory m{}\n", end, index(memory));
    for (const ClassId c : platform.classes()) {
      if (platform.worker_count(c) == 0) continue;
      for (const WorkerId worker : platform.workers(c)) put("6 {} Worker w{}\n", end, index(worker));
      put("6 {} Class c{}\n", end, index(c));
    }
    put("6 {} Machine machine\n", end);
  }

  void collect() {
    for (std::size_t i = 0; i < schedule_.attempts.size(); ++i) {
      const Attempt& attempt = schedule_.attempts[i];
      add(attempt.start, Kind::attempt, attempt.end, Kind::end_attempt, i);
      if (has_arrow(i)) {
        events_.push_back({schedule_.attempts[*waits_[i].attempt].end, Kind::start_wait, i});
        events_.push_back({attempt.start, Kind::end_wait, i});
      }
    }
    for (std::size_t i = 0; i < idle_.size(); ++i) {
      add(idle_[i].span.time.start, Kind::idle, idle_[i].span.time.end, Kind::end_idle, i);
    }
    for (std::size_t i = 0; i < schedule_.transfers.size(); ++i) {
      events_.push_back({schedule_.transfers[i].start, Kind::start_transfer, i});
      events_.push_back({schedule_.transfers[i].end, Kind::end_transfer, i});
    }
  }
  void add(Time start, Kind opens, Time end, Kind closes, std::size_t number) {
    if (start >= end) return;
    events_.push_back({start, opens, number});
    events_.push_back({end, closes, number});
  }
  [[nodiscard]] bool has_arrow(std::size_t attempt) const {
    const auto& [before, wait, for_data] = waits_[attempt];
    const bool for_task = wait == analysis::Wait::predecessor || wait == analysis::Wait::data;
    return before && for_task && schedule_.attempts[*before].end <= schedule_.attempts[attempt].start;
  }

  void write(const Event& event) {
    const std::string time = format_seconds(event.time);
    const std::size_t i = event.number;
    switch (event.kind) {
      case Kind::attempt: {
        const Attempt& attempt = schedule_.attempts[i];
        const bool completed = attempt.outcome == Outcome::completed;
        const std::string value = completed ? fmt::format("t{}", index(instance_.graph.type(attempt.task))) : "aborted";
        put("7 {} Activity w{} {} {}\n", time, index(attempt.worker), value, field(instance_.graph.name(attempt.task)));
        return;
      }
      case Kind::end_attempt:
        put("8 {} Activity w{}\n", time, index(schedule_.attempts[i].worker));
        return;
      case Kind::idle:
        put("7 {} Activity w{} {} \"\"\n", time, index(idle_[i].worker), to_string(idle_[i].span.cause));
        return;
      case Kind::end_idle:
        put("8 {} Activity w{}\n", time, index(idle_[i].worker));
        return;
      case Kind::start_transfer:
        put("9 {} Transfer machine m{} {} d{}\n", time, index(schedule_.transfers[i].from), data_name(i), i);
        return;
      case Kind::end_transfer:
        put("10 {} Transfer machine m{} {} d{}\n", time, index(schedule_.transfers[i].to), data_name(i), i);
        return;
      case Kind::start_wait:
        put("9 {} Waited machine w{} {} a{}\n", time, index(schedule_.attempts[*waits_[i].attempt].worker),
            to_string(waits_[i].wait), i);
        return;
      case Kind::end_wait:
        put("10 {} Waited machine w{} {} a{}\n", time, index(schedule_.attempts[i].worker), to_string(waits_[i].wait),
            i);
        return;
    }
  }
  [[nodiscard]] std::string data_name(std::size_t transfer) const {
    return field(instance_.graph.datum(schedule_.transfers[transfer].data).name);
  }

  const Instance& instance_;
  const Schedule& schedule_;
  Time end_;
  std::vector<Idle> idle_;
  std::vector<analysis::WaitedFor> waits_;
  std::vector<Event> events_;
  fmt::memory_buffer text_;
};

}  // namespace

std::string paje_trace(const Instance& instance, const Schedule& schedule, const analysis::Losses& losses) {
  return PajeWriter(instance, schedule, losses).write();
}

}  // namespace heddle::report
