#include "tests/report/paje_reader.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace heddle::report::test {
namespace {

using Fields = std::map<std::string, std::string>;

/// The words of a line; what is in double quotes is one.
std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < line.size();) {
    if (line[i] == ' ' || line[i] == '\t') {
      ++i;
    } else if (line[i] == '"') {
      const std::size_t end = std::min(line.find('"', i + 1), line.size());
      found.push_back(line.substr(i + 1, end - i - 1));
      i = end + 1;
    } else {
      const std::size_t end = std::min(line.find_first_of(" \t", i), line.size());
      found.push_back(line.substr(i, end - i));
      i = end;
    }
  }
  return found;
}

class Reader {
 public:
  PajeTrace read(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      ++line_;
      if (line.empty()) continue;
      if (line[0] == '%') {
        take_definition(words(line.substr(1)));
      } else {
        take_event(words(line));
      }
    }
    for (const auto& [alias, container] : containers_) {
      if (!container.destroyed) fail("container " + container.name + " is never destroyed");
    }
    for (const auto& [key, link] : open_links_) fail("link " + key.second + " never ends");
    return std::move(trace_);
  }

 private:
  struct Event {
    std::string name;
    std::vector<std::string> fields;
  };
  struct Container {
    std::string name;
    std::string type;
    std::string parent;  ///< alias
    bool destroyed = false;
    std::vector<PajeState> open{};
  };

  void fail(const std::string& sentence) { trace_.errors.push_back("line " + std::to_string(line_) + ": " + sentence); }

  void take_definition(const std::vector<std::string>& line) {
    if (line.empty()) return fail("an empty definition");
    if (line[0] == "EventDef") {
      if (line.size() != 3) return fail("a definition without name or number");
      number_ = line[2];
      if (!events_.try_emplace(number_, Event{line[1], {}}).second) fail("event " + number_ + " is defined twice");
    } else if (line[0] != "EndEventDef") {
      events_[number_].fields.push_back(line[0]);
    }
  }

  void take_event(const std::vector<std::string>& line) {
    const auto event = events_.find(line[0]);
    if (event == events_.end()) return fail("event " + line[0] + " is not defined");
    const auto& [name, names] = event->second;
    if (names.size() + 1 != line.size()) return fail(name + " has another number of fields");
    Fields fields;
    for (std::size_t i = 0; i < names.size(); ++i) fields[names[i]] = line[i + 1];
    if (fields.contains("Time")) check_time(fields["Time"]);
    if (name == "PajeDefineContainerType") return define_type(fields, container_types_);
    if (name == "PajeDefineStateType") return define_type(fields, state_types_);
    if (name == "PajeDefineLinkType") return define_link_type(fields);
    if (name == "PajeDefineEntityValue") return define_value(fields);
    if (name == "PajeCreateContainer") return create(fields);
    if (name == "PajeDestroyContainer") return destroy(fields);
    if (name == "PajePushState") return push(fields);
    if (name == "PajePopState") return pop(fields);
    if (name == "PajeStartLink") return start_link(fields);
    if (name == "PajeEndLink") return end_link(fields);
    fail(name + " is not known");
  }

  void check_time(const std::string& text) {
    const double time = std::stod(text);
    if (time < now_) fail("time runs backwards");
    now_ = time;
  }

  /// Alias and the type that it belongs to.
  void define_type(Fields& fields, std::map<std::string, std::string>& types) {
    if (fields["Type"] != "0" && !container_types_.contains(fields["Type"])) fail("type " + fields["Type"]);
    if (!types.try_emplace(fields["Alias"], fields["Type"]).second) fail("a type that is there");
  }
  void define_link_type(Fields& fields) {
    define_type(fields, link_types_);
    link_ends_[fields["Alias"]] = {fields["StartContainerType"], fields["EndContainerType"]};
    if (!container_types_.contains(fields["StartContainerType"])) fail("no such start of a link");
    if (!container_types_.contains(fields["EndContainerType"])) fail("no such end of a link");
  }
  void define_value(Fields& fields) {
    if (!state_types_.contains(fields["Type"])) fail("a value of no state");
    if (words(fields["Color"]).size() != 3) fail("no colour");
    if (!values_.try_emplace({fields["Type"], fields["Alias"]}, fields["Name"]).second) fail("a value that is there");
  }

  void create(Fields& fields) {
    const std::string parent = fields["Container"];
    const std::string parent_type = container_types_[fields["Type"]];
    if (parent_type == "0" ? parent != "0" : !is_container(parent, parent_type)) fail("in a container of another type");
    const Container made{fields["Name"], fields["Type"], parent};
    if (!containers_.try_emplace(fields["Alias"], made).second) fail("a container that is there");
    trace_.parents[made.name] = parent == "0" ? "" : containers_[parent].name;
  }
  void destroy(Fields& fields) {
    if (!is_container(fields["Name"], fields["Type"])) return fail("no such container");
    Container& container = containers_[fields["Name"]];
    if (!container.open.empty()) fail("a state of " + container.name + " never ends");
    for (const auto& [alias, other] : containers_) {
      if (other.parent == fields["Name"] && !other.destroyed) fail("a container in it is still there");
    }
    container.destroyed = true;
  }
  [[nodiscard]] bool is_container(const std::string& alias, const std::string& type) const {
    const auto found = containers_.find(alias);
    return found != containers_.end() && !found->second.destroyed && found->second.type == type;
  }

  void push(Fields& fields) {
    if (!is_container(fields["Container"], state_types_[fields["Type"]])) return fail("a state of no container");
    const auto value = values_.find({fields["Type"], fields["Value"]});
    if (value == values_.end()) return fail("no such value");
    Container& container = containers_[fields["Container"]];
    container.open.push_back({container.name, value->second, fields["Task"], fields["Time"], ""});
  }
  void pop(Fields& fields) {
    if (!is_container(fields["Container"], state_types_[fields["Type"]])) return fail("a state of no container");
    std::vector<PajeState>& open = containers_[fields["Container"]].open;
    if (open.empty()) return fail("a state that never began");
    open.back().end = fields["Time"];
    trace_.states.push_back(open.back());
    open.pop_back();
  }

  void start_link(Fields& fields) {
    if (!is_container(fields["StartContainer"], link_ends_[fields["Type"]].first)) return fail("a link from nowhere");
    const PajeLink link{
        fields["Type"], containers_[fields["StartContainer"]].name, "", fields["Value"], fields["Time"], ""};
    if (!open_links_.try_emplace({fields["Type"], fields["Key"]}, link).second) fail("a link with this key is open");
  }
  void end_link(Fields& fields) {
    if (!is_container(fields["EndContainer"], link_ends_[fields["Type"]].second)) return fail("a link to nowhere");
    const auto found = open_links_.find({fields["Type"], fields["Key"]});
    if (found == open_links_.end()) return fail("a link that never began");
    PajeLink link = found->second;
    if (link.value != fields["Value"]) fail("a link with two values");
    open_links_.erase(found);
    link.to = containers_[fields["EndContainer"]].name;
    link.end = fields["Time"];
    trace_.links.push_back(link);
  }

  PajeTrace trace_;
  std::size_t line_ = 0;
  double now_ = 0;
  std::string number_;
  std::map<std::string, Event> events_;
  std::map<std::string, std::string> container_types_;  ///< alias, and the type that contains it
  std::map<std::string, std::string> state_types_;
  std::map<std::string, std::string> link_types_;
  std::map<std::string, std::pair<std::string, std::string>> link_ends_;
  std::map<std::pair<std::string, std::string>, std::string> values_;
  std::map<std::string, Container> containers_;  ///< by alias
  std::map<std::pair<std::string, std::string>, PajeLink> open_links_;
};

}  // namespace

PajeTrace read_paje(std::string_view text) {
  return Reader().read(text);
}

}  // namespace heddle::report::test
