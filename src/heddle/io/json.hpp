#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::io {

enum class JsonKind : std::uint8_t { null, boolean, number, string, array, object };

class Json;

/// A parsed JSON text. It keeps numbers as they were written, since times must be read exactly, and stores its values
/// one after the other: a document costs about as many bytes again as its text.
class JsonDocument {
 public:
  /// Throws InputError with file, line and column when the text is no JSON, is nested deeper than 100 levels, or has
  /// more values than 32 bits can number.
  JsonDocument(std::string_view text, std::string_view source);

  [[nodiscard]] Json root() const;

 private:
  friend class Json;
  class Builder;

  /// Values stand in the order of the text, an array or object before its members.
  struct Node {
    std::uint64_t begin;        ///< of the key in texts_, which is followed by the value's text
    std::uint32_t key_length;   ///< 0 for the items of an array
    std::uint32_t text_length;  ///< of a string or number
    std::uint32_t end;          ///< the number of the first value behind this one and all it contains
    JsonKind kind;
  };

  std::string source_;
  std::string texts_;
  std::vector<Node> nodes_;
};

/// A value inside a document, which must outlive it. Copies are cheap.
class Json {
 public:
  [[nodiscard]] JsonKind kind() const { return node().kind; }
  /// The key it stands under in its object.
  [[nodiscard]] std::string_view key() const { return slice(node().begin, node().key_length); }
  /// A string's content, a number as written, "true", "false" or "null"; empty for arrays and objects.
  [[nodiscard]] std::string_view text() const { return slice(node().begin + node().key_length, node().text_length); }

  /// The members of an array or object, for range-based loops.
  class iterator {
   public:
    iterator(const JsonDocument* document, std::uint32_t number) : document_(document), number_(number) {}
    Json operator*() const { return {document_, number_}; }
    iterator& operator++() {
      number_ = document_->nodes_[number_].end;
      return *this;
    }
    bool operator==(const iterator&) const = default;

   private:
    const JsonDocument* document_;
    std::uint32_t number_;
  };
  [[nodiscard]] iterator begin() const { return {document_, number_ + 1}; }
  [[nodiscard]] iterator end() const { return {document_, node().end}; }
  /// Walks over them.
  [[nodiscard]] std::size_t size() const;

  /// How to reach it from the root: "tasks[12].after[1]"; empty for the root.
  [[nodiscard]] std::string path() const;
  /// What it is, for a sentence: "the string 'p0'", "the number 3", "an object".
  [[nodiscard]] std::string describe() const;
  /// Throws InputError: file, path, and `sentence`, which begins with a verb.
  [[noreturn]] void fail(std::string_view sentence) const;
  /// Throws InputError: file, path, a colon, and a whole sentence of another origin.
  [[noreturn]] void fail_because(std::string_view sentence) const;
  /// Throws InputError: file, path, what the value is, and that something else was expected.
  [[noreturn]] void fail_expected(std::string_view expected) const;

 private:
  friend class JsonDocument;
  Json(const JsonDocument* document, std::uint32_t number) : document_(document), number_(number) {}

  [[nodiscard]] const JsonDocument::Node& node() const { return document_->nodes_[number_]; }
  [[nodiscard]] std::string_view slice(std::uint64_t begin, std::size_t length) const {
    return std::string_view(document_->texts_).substr(begin, length);
  }

  const JsonDocument* document_;
  std::uint32_t number_;
};

/// The string under `key` in the object that `text` begins with, looking no further than needed; empty when there is
/// none, also because the text breaks off or is no JSON.
[[nodiscard]] std::string find_string_member(std::string_view text, std::string_view key);

}  // namespace heddle::io
