#include "heddle/io/json.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "heddle/io/text.hpp"
#include "heddle/model/error.hpp"

namespace heddle::io {
namespace {

constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxLength = std::numeric_limits<std::uint32_t>::max();

using Parser = nlohmann::json;

/// nlohmann's sentence without its error number, position and quotation of the input, which may be any bytes.
std::string reason(std::string_view message) {
  const std::size_t number = message.find("] ");
  if (number != std::string_view::npos) message.remove_prefix(number + 2);
  const std::size_t detail = message.find(" - ");
  if (detail != std::string_view::npos) message.remove_prefix(detail + 3);
  const std::size_t quotation = message.find("; last read: ");
  if (quotation == std::string_view::npos) return std::string(message);
  const std::size_t expected = message.find("; expected", quotation);
  const std::string_view rest = expected == std::string_view::npos ? std::string_view() : message.substr(expected);
  return std::string(message.substr(0, quotation)) + std::string(rest);
}

}  // namespace

/// Receives the parser's events and appends them to a document.
class JsonDocument::Builder : public nlohmann::json_sax<Parser> {
 public:
  Builder(JsonDocument& document, std::string_view text) : document_(document), text_(text) {}

  bool null() override { return add(JsonKind::null, "null"); }
  bool boolean(bool value) override { return add(JsonKind::boolean, value ? "true" : "false"); }
  bool number_integer(std::int64_t value) override { return add(JsonKind::number, std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) override { return add(JsonKind::number, std::to_string(value)); }
  bool number_float(double /*rounded*/, const std::string& text) override { return add(JsonKind::number, text); }
  bool string(std::string& value) override { return add(JsonKind::string, value); }
  bool binary(Parser::binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*unknown*/) override { return open(JsonKind::object); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t /*unknown*/) override { return open(JsonKind::array); }
  bool end_array() override { return close(); }
  bool key(std::string& value) override {
    key_ = value;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*last*/, const Parser::exception& error) override {
    // The position counts the characters read, the offending one included.
    const std::size_t offset = std::min(position == 0 ? 0 : position - 1, text_.size());
    const std::string_view before = text_.substr(0, offset);
    const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
    const std::size_t column = offset - (before.rfind('\n') + 1) + 1;
    throw InputError(document_.source_ + ":" + std::to_string(line) + ":" + std::to_string(column) +
                     ": the text cannot be read as JSON: " + reason(error.what()));
  }

 private:
  bool add(JsonKind kind, std::string_view text) {
    if (document_.nodes_.size() >= kMaxLength || std::max(text.size(), key_.size()) >= kMaxLength) {
      throw InputError(document_.source_ +
                       ": the document is too large: it has more than 4294967295 values, or letters in one");
    }
    const auto number = static_cast<std::uint32_t>(document_.nodes_.size());
    document_.nodes_.push_back({document_.texts_.size(), static_cast<std::uint32_t>(key_.size()),
                                static_cast<std::uint32_t>(text.size()), number + 1, kind});
    document_.texts_ += key_;
    document_.texts_ += text;
    key_.clear();
    return true;
  }

  bool open(JsonKind kind) {
    if (open_.size() == kMaxDepth) {
      throw InputError(document_.source_ + ": the document is nested deeper than " + std::to_string(kMaxDepth) +
                       " levels");
    }
    open_.push_back(static_cast<std::uint32_t>(document_.nodes_.size()));
    return add(kind, "");
  }

  bool close() {
    document_.nodes_[open_.back()].end = static_cast<std::uint32_t>(document_.nodes_.size());
    open_.pop_back();
    return true;
  }

  JsonDocument& document_;
  std::string_view text_;
  std::string key_;
  std::vector<std::uint32_t> open_;
};

JsonDocument::JsonDocument(std::string_view text, std::string_view source) : source_(source) {
  Builder builder(*this, text);
  Parser::sax_parse(text.begin(), text.end(), &builder);
}

Json JsonDocument::root() const {
  return {this, 0};
}

std::size_t Json::size() const {
  std::size_t count = 0;
  for (auto member = begin(); member != end(); ++member) ++count;
  return count;
}

std::string Json::path() const {
  std::string path;
  std::uint32_t at = 0;
  while (at != number_) {
    const Json parent(document_, at);
    std::size_t position = 0;
    auto member = parent.begin();
    // The member that contains the value, or is it.
    while ((*member).node().end <= number_) {
      ++member;
      ++position;
    }
    if (parent.kind() == JsonKind::array) {
      path += "[" + std::to_string(position) + "]";
    } else {
      path += (path.empty() ? "" : ".") + printable((*member).key());
    }
    at = (*member).number_;
  }
  return path;
}

std::string Json::describe() const {
  switch (kind()) {
    case JsonKind::object:
      return "an object";
    case JsonKind::array:
      return "an array of length " + std::to_string(size());
    case JsonKind::string:
      return "the string " + in_quotes(text());
    case JsonKind::number:
      return "the number " + printable(text());
    case JsonKind::boolean:
    case JsonKind::null:
      break;
  }
  return std::string(text());
}

void Json::fail(std::string_view sentence) const {
  const std::string where = path();
  throw InputError(document_->source_ + ": " + (where.empty() ? "the document" : where) + " " + std::string(sentence));
}

void Json::fail_because(std::string_view sentence) const {
  const std::string where = path();
  throw InputError(document_->source_ + ": " + (where.empty() ? "" : where + ": ") + std::string(sentence));
}

void Json::fail_expected(std::string_view expected) const {
  fail("is " + describe() + "; expected " + std::string(expected));
}

namespace {

/// Waits for one member of the outermost object and stops the parser there.
class MemberFinder : public nlohmann::json_sax<Parser> {
 public:
  explicit MemberFinder(std::string_view key) : wanted_(key) {}

  bool null() override { return go_on(); }
  bool boolean(bool /*value*/) override { return go_on(); }
  bool number_integer(std::int64_t /*value*/) override { return go_on(); }
  bool number_unsigned(std::uint64_t /*value*/) override { return go_on(); }
  bool number_float(double /*rounded*/, const std::string& /*text*/) override { return go_on(); }
  bool binary(Parser::binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*unknown*/) override { return enter(); }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t /*unknown*/) override { return depth_ > 0 && enter(); }
  bool end_array() override { return leave(); }
  bool key(std::string& value) override {
    is_next_ = depth_ == 1 && value == wanted_;
    return true;
  }
  bool string(std::string& value) override {
    if (is_next_) found_ = value;
    return go_on();
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*last*/, const Parser::exception& /*error*/) override {
    return false;
  }

  [[nodiscard]] const std::string& found() const { return found_; }

 private:
  /// Any value under the key ends the search.
  [[nodiscard]] bool go_on() const { return !is_next_; }
  bool enter() {
    ++depth_;
    return go_on();
  }
  bool leave() {
    --depth_;
    return true;
  }

  std::string wanted_;
  std::string found_;
  std::size_t depth_ = 0;
  bool is_next_ = false;
};

}  // namespace

std::string find_string_member(std::string_view text, std::string_view key) {
  MemberFinder finder(key);
  Parser::sax_parse(text.begin(), text.end(), &finder);
  return finder.found();
}

}  // namespace heddle::io
