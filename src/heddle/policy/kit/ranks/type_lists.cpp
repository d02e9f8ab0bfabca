#include "heddle/policy/kit/ranks/type_lists.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/model/suggest.hpp"

namespace heddle::policy {
namespace {

/// The text of a file as one would write it in a word.
std::string in_a_word(std::string_view text) {
  std::string word;
  bool comment = false;
  for (const char c : text) {
    const bool line_ends = c == '\n' || c == '\r';
    comment = !line_ends && (comment || c == '#');
    if (line_ends) {
      word += '/';
    } else if (!comment) {
      word += c == ' ' || c == '\t' ? '+' : c;
    }
  }
  return word;
}

/// The parts between separators, without empty ones.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class ListReader {
 public:
  ListReader(const Instance& instance, std::string_view owner) : instance_(instance), owner_(owner) {}

  [[nodiscard]] TypeLists read(std::string_view text) const {
    const std::string word = in_a_word(text);
    TypeLists lists(instance_.platform.class_count());
    std::vector<ClassId> named;
    for (const std::string_view part : split(word, '/')) {
      if (split(part, '+').empty()) continue;  // an empty line
      const std::size_t colon = part.find(':');
      const std::vector<std::string_view> name = split(part.substr(0, colon), '+');
      if (colon == std::string_view::npos || name.size() != 1) {
        fail("has '" + std::string(part) + "' where CLASS:TYPE+TYPE... is expected");
      }
      const ClassId c = find_class(name.front());
      if (std::ranges::find(named, c) != named.end()) fail("names class '" + std::string(name.front()) + "' twice");
      named.push_back(c);
      lists[c] = list(part.substr(colon + 1));
    }
    check(lists);
    return lists;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(owner_ + " " + what); }

  [[nodiscard]] ClassId find_class(std::string_view name) const {
    if (const std::optional<ClassId> found = instance_.platform.find_class(name)) return *found;
    std::vector<std::string> names;
    for (const ClassId c : instance_.platform.classes()) names.push_back(instance_.platform.class_name(c));
    fail("names class '" + std::string(name) + "', which the platform does not have" + suggest(name, names));
  }

  [[nodiscard]] TypeId find_type(std::string_view name) const {
    std::vector<std::string> names;
    for (const TypeId type : instance_.graph.types()) {
      if (instance_.graph.type_name(type) == name) return type;
      names.emplace_back(instance_.graph.type_name(type));
    }
    fail("names type '" + std::string(name) + "', which the instance does not have" + suggest(name, names));
  }

  [[nodiscard]] double slowdown(std::string_view text) const {
    const auto factor = parse_number(text);
    if (!factor || !(*factor > 0) || !std::isfinite(*factor)) {
      fail("has a slowdown of '" + std::string(text) + "'; expected a number above 0");
    }
    return *factor;
  }

  [[nodiscard]] std::vector<ListedType> list(std::string_view text) const {
    std::vector<ListedType> result;
    for (const std::string_view entry : split(text, '+')) {
      const std::size_t star = entry.rfind('*');
      const std::string_view name = entry.substr(0, star);
      const TypeId type = find_type(name);
      if (std::ranges::find(result, type, &ListedType::type) != result.end()) {
        fail("names type '" + std::string(name) + "' twice for one class");
      }
      result.push_back({type, star == std::string_view::npos ? 0 : slowdown(entry.substr(star + 1))});
    }
    return result;
  }

  /// Every task must be served by a class that can run it.
  void check(const TypeLists& lists) const {
    std::vector<std::vector<ClassId>> served_by(instance_.graph.type_count());
    for (const ClassId c : lists.ids()) {
      for (const ListedType& listed : lists[c]) served_by[index(listed.type)].push_back(c);
    }
    for (const TaskId task : instance_.graph.tasks()) {
      const TypeId type = instance_.graph.type(task);
      const auto runs = [&](ClassId c) { return instance_.costs.can_run(task, c); };
      if (std::ranges::any_of(served_by[index(type)], runs)) continue;
      fail("leaves out tasks of type '" + std::string(instance_.graph.type_name(type)) +
           "': no class that can run them serves it");
    }
  }

  const Instance& instance_;
  std::string owner_;
};

}  // namespace

TypeLists parse_type_lists(const Instance& instance, std::string_view text, std::string_view owner) {
  return ListReader(instance, owner).read(text);
}

}  // namespace heddle::policy
