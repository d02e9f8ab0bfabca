#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::report::test {

struct PajeState {
  std::string container;  ///< its name
  std::string value;
  std::string task;
  std::string start;
  std::string end;
};

struct PajeLink {
  std::string type;
  std::string from;  ///< names of containers
  std::string to;
  std::string value;
  std::string start;
  std::string end;
};

struct PajeTrace {
  std::map<std::string, std::string> parents;  ///< of containers, by name; the outermost has ""
  std::vector<PajeState> states;               ///< in the order in which they ended
  std::vector<PajeLink> links;                 ///< likewise
  std::vector<std::string> errors;             ///< a sentence each; empty when the trace is as it should be
};

/// Reads a Paje trace by what its own header says. Errors are: events that the header does not define, or with another
/// number of fields; types, values and containers that are not defined before they are used, or used as another type;
/// time that runs backwards; states and links that never end or begin; containers that outlive the trace or contain
/// something that does not end before them.
[[nodiscard]] PajeTrace read_paje(std::string_view text);

}  // namespace heddle::report::test
