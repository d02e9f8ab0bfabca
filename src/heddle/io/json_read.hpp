#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heddle/io/json.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/ids.hpp"
#include "heddle/model/time.hpp"

/// What the readers of Heddle's own formats expect of a value. Each function throws InputError, with the file and the
/// JSON path, when it is something else; `what` then says what was expected.
namespace heddle::io {

/// An object, in which each key is one of `known` (at most 31) or "meta", and there once.
void expect_object(Json value, std::string_view what, std::span<const std::string_view> known);
inline void expect_object(Json value, std::string_view what, std::initializer_list<std::string_view> known) {
  expect_object(value, what, std::span(known.begin(), known.size()));
}
/// An object with names for keys, which the caller checks.
void expect_map(Json value, std::string_view what);
void expect_array(Json value, std::string_view what);
/// An object that says it is `format`, version 1; `known` are its other keys.
void expect_document(Json root, std::string_view format, std::initializer_list<std::string_view> known);

/// The member of an object, or nothing.
[[nodiscard]] std::optional<Json> find(Json object, std::string_view key);
/// The member of an object; `what` says what should have been there.
[[nodiscard]] Json require(Json object, std::string_view key, std::string_view what);

[[nodiscard]] std::string_view read_string(Json value, std::string_view what);
/// A string that is not empty.
[[nodiscard]] std::string_view read_name(Json value, std::string_view what);
[[nodiscard]] bool read_boolean(Json value);
/// A whole number between `least` and `most`, both included, written without point and exponent.
[[nodiscard]] std::int64_t read_integer(Json value, std::string_view what,
                                        std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                                        std::int64_t most = std::numeric_limits<std::int64_t>::max());
/// The number of one of `count` things.
[[nodiscard]] std::size_t read_index(Json value, std::size_t count, std::string_view noun);
[[nodiscard]] std::uint64_t read_unsigned(Json value, std::string_view what);
/// Seconds, not negative.
[[nodiscard]] Time read_duration(Json value);
/// Seconds of any sign, so few that the difference of two instants fits in Time.
[[nodiscard]] Time read_instant(Json value);
/// Bytes per second, above 0.
[[nodiscard]] double read_bandwidth(Json value);
/// Watts, not negative.
[[nodiscard]] double read_watts(Json value);

/// Takes a step that knows no files, and puts file and place before the sentence of its InputError.
template <class Step>
auto with_place(Json place, Step step) {
  try {
    return step();
  } catch (const InputError& error) {
    place.fail_because(error.what());
  }
}

/// The sentences about names; `noun` is what they are names of.
[[noreturn]] void fail_repeated(Json value, std::string_view noun);
[[noreturn]] void fail_unknown(Json value, std::string_view noun, const std::vector<std::string>& known);
[[noreturn]] void fail_unknown_key(Json member, std::string_view noun, const std::vector<std::string>& known);

/// Names, and the ids of what they name. The strings they come from must outlive it.
template <StrongId Id>
class NameTable {
 public:
  /// `noun` stands in errors: "task", "class".
  explicit NameTable(std::string_view noun) : noun_(noun) {}

  void reserve(std::size_t count) { ids_.reserve(count); }
  /// The name gets the next id, unless it has one already: then nothing is found under the next. Whether it is new.
  bool add(std::string_view name) { return ids_.try_emplace(name, make_id<Id>(count_++)).second; }
  /// The same for a value that must be a new name.
  std::string_view add(Json value) {
    const std::string_view name = read_name(value, "the name of a " + noun_);
    if (!add(name)) fail_repeated(value, noun_);
    return name;
  }
  [[nodiscard]] std::size_t size() const { return count_; }

  /// The id that a value, which must be a string, names.
  [[nodiscard]] Id resolve(Json value) const {
    const auto found = ids_.find(read_string(value, "the name of a " + noun_));
    if (found == ids_.end()) fail_unknown(value, noun_, names());
    return found->second;
  }
  /// The id that a value's key names.
  [[nodiscard]] Id resolve_key(Json member) const {
    const auto found = ids_.find(member.key());
    if (found == ids_.end()) fail_unknown_key(member, noun_, names());
    return found->second;
  }

 private:
  /// In the order of their ids, so that sentences do not depend on the hash.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names(count_);
    for (const auto& [name, id] : ids_) names[index(id)] = name;
    return names;
  }

  std::string noun_;
  std::size_t count_ = 0;
  std::unordered_map<std::string_view, Id> ids_;
};

}  // namespace heddle::io
