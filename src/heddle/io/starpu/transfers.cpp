#include "heddle/io/starpu/transfers.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "heddle/io/file.hpp"
#include "heddle/io/starpu/recording.hpp"
#include "heddle/io/text.hpp"

namespace heddle::io {
namespace {

/// The words of a line; what is in double quotes is one.
void split_quoted(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return;
    line.remove_prefix(begin);
    const bool quoted = line.front() == '"';
    if (quoted) line.remove_prefix(1);
    const std::size_t end = std::min(line.find_first_of(quoted ? "\"" : kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(line.size(), end + (quoted ? 1 : 0)));
  }
}

class PajeReader {
 public:
  PajeReader(std::string_view text, std::string_view source) : lines_(text, source) {}

  std::vector<RecordedTransfer> read() {
    while (const auto line = lines_.next()) {
      split_quoted(*line, words_);
      if (words_.empty()) continue;
      if (words_[0].starts_with('%')) {
        define();
      } else if (const auto event = events_.find(words_[0]); event != events_.end()) {
        take(event->second);
      }
    }
    if (!has_header_) lines_.fail("found no definition of events (%EventDef); expected a Paje trace");
    return std::move(transfers_);
  }

 private:
  /// Where the fields of an event stand among the words of its line.
  struct Event {
    bool is_start = false;
    std::size_t fields = 0;
    std::unordered_map<std::string_view, std::size_t> position{};
  };

  /// "%EventDef NAME NUMBER", or "% FIELD TYPE", or "%EndEventDef"; a blank may follow the percent sign.
  void define() {
    std::vector<std::string_view>& words = words_;
    words[0].remove_prefix(1);
    if (words[0].empty()) words.erase(words.begin());
    if (words.empty()) return;
    if (words[0] == "EventDef") {
      if (words.size() < 3) lines_.fail("found an event without name or number");
      has_header_ = true;
      const bool is_start = words[1] == "PajeStartLink";
      const bool is_link = is_start || words[1] == "PajeEndLink";
      defined_ = is_link ? &(events_[words[2]] = Event{.is_start = is_start}) : nullptr;
    } else if (words[0] == "EndEventDef") {
      defined_ = nullptr;
    } else if (defined_ != nullptr) {
      defined_->position[words[0]] = ++defined_->fields;
    }
  }

  [[nodiscard]] std::string_view field(const Event& event, std::string_view name) const {
    const auto found = event.position.find(name);
    return found == event.position.end() ? std::string_view() : words_[found->second];
  }

  void take(const Event& event) {
    if (words_.size() <= event.fields) {
      lines_.fail("the line has " + std::to_string(words_.size()) + " fields; expected " +
                  std::to_string(event.fields + 1));
    }
    const std::string_view key = field(event, "Key");
    if (event.is_start) {
      start(event, key);
      return;
    }
    const auto open = open_.find(key);
    if (open == open_.end()) return;
    RecordedTransfer transfer = std::move(open->second);
    open_.erase(open);
    const std::optional<std::uint32_t> node = node_of(field(event, "EndContainer"));
    if (!node || *node == transfer.from) return;
    transfer.to = *node;
    transfer.end = std::max(transfer.start, time_of(event));
    transfers_.push_back(std::move(transfer));
  }

  void start(const Event& event, std::string_view key) {
    const std::string_view handle = field(event, "Handle");
    const std::optional<std::uint32_t> node = node_of(field(event, "StartContainer"));
    if (handle.empty() || !node) return;
    const std::optional<std::int64_t> bytes = parse_integer(field(event, "Value"));
    if (!bytes || *bytes < 0) lines_.fail("found " + in_quotes(field(event, "Value")) + "; expected a number of bytes");
    open_[key] = {std::string(handle), *node, 0, time_of(event), 0, *bytes};
  }

  [[nodiscard]] Time time_of(const Event& event) const {
    return parse_any_time(field(event, "Time"), kMillisecond, lines_);
  }

  /// The memory manager of node 3 is called "mm3". Those of several MPI ranks have a prefix; such runs are no single
  /// one.
  static std::optional<std::uint32_t> node_of(std::string_view container) {
    if (!container.starts_with("mm")) return std::nullopt;
    const std::optional<std::int64_t> node = parse_integer(container.substr(2));
    if (!node || *node < 0 || *node > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
    return static_cast<std::uint32_t>(*node);
  }

  Lines lines_;
  std::vector<std::string_view> words_;
  bool has_header_ = false;
  Event* defined_ = nullptr;
  std::unordered_map<std::string_view, Event> events_;
  std::unordered_map<std::string_view, RecordedTransfer> open_;
  std::vector<RecordedTransfer> transfers_;
};

}  // namespace

std::vector<RecordedTransfer> read_paje_transfers(std::string_view text, std::string_view source) {
  return PajeReader(text, source).read();
}

std::optional<std::vector<RecordedTransfer>> load_transfers(const std::string& tasks) {
  const std::optional<std::string> path = find_companion(tasks, "paje", ".trace");
  if (!path) return std::nullopt;
  return read_paje_transfers(read_file(*path), *path);
}

}  // namespace heddle::io
