#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "heddle/facts/event.hpp"
#include "heddle/io/json_read.hpp"
#include "heddle/io/json_write.hpp"

/// The format heddle-facts, version 1 (docs/facts.md).
namespace heddle::facts {

/// What stands before the events; `policy`: as the command spells it, or empty.
void append_head(io::Buffer& out, std::string_view policy);
/// One item of the array of events.
void append_event(io::Buffer& out, const Event& event);
/// What stands behind the array.
void append_tail(io::Buffer& out);

/// An instance as policies see it, to the last detail: numbers instead of names, and dependencies that the accesses do
/// not imply, as they are.
void append_instance(io::Buffer& out, const Instance& instance);
/// Throws InputError.
[[nodiscard]] Instance read_instance(io::Json value);

/// Reads the events one after the other. They can be handed to policies and mirrors as they are: numbers are those of
/// things that there are, tasks end that run, copies are of policies that there are.
class EventReader {
 public:
  /// Throws InputError when the text is not of this format. `source` names it in errors.
  EventReader(std::string_view text, std::string_view source);
  EventReader(const EventReader&) = delete;
  EventReader& operator=(const EventReader&) = delete;

  /// The specification of the policy; empty when the log has none.
  [[nodiscard]] const std::string& policy() const { return policy_; }
  /// How many events there are.
  [[nodiscard]] std::size_t size() const { return events_.size(); }
  /// The next event; nothing at the end. Throws InputError.
  [[nodiscard]] std::optional<Event> next();

 private:
  enum class Status : std::uint8_t { waiting, ready, running, done };
  /// What a policy was told so far.
  struct Run {
    std::shared_ptr<const Instance> instance;  ///< null until it is started
    std::optional<io::Json> plan;              ///< of that instance
    Table<TaskId, Status> status;
    Table<TaskId, WorkerId> worker;  ///< of those that run
  };

  [[nodiscard]] Call read_call(io::Json event, std::uint32_t number);
  [[nodiscard]] Call read_make(io::Json event, std::uint32_t number);
  [[nodiscard]] Call read_copy(io::Json event, std::uint32_t number);
  [[nodiscard]] Call read_recall(io::Json event, const Run& run);
  [[nodiscard]] Call read_start(io::Json event, Run& run);
  [[nodiscard]] static Call read_ready(io::Json event, Run& run);
  [[nodiscard]] static Call read_started(io::Json event, Run& run);
  [[nodiscard]] static Call read_finished(io::Json event, Run& run);
  [[nodiscard]] static Call read_aborted(io::Json event, Run& run);

  io::JsonDocument document_;
  std::string policy_;
  io::Json events_;
  io::Json::iterator at_;
  std::unordered_map<std::uint32_t, Run> policies_;
};

}  // namespace heddle::facts
