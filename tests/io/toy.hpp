#pragma once

#include <string>
#include <string_view>

#include "heddle/model/error.hpp"

namespace heddle::test {

/// An instance that uses everything the format has.
inline constexpr std::string_view kToy = R"({
  "format": "heddle-instance", "version": 1, "name": "toy",
  "platform": {
    "classes": [
      {"name": "cpu", "workers": 2, "memory": "ram"},
      {"name": "gpu", "workers": 1, "memory": "each", "memory_bytes": 16000000000}
    ],
    "links": [
      {"from": "ram", "to": "gpu0", "bandwidth": 12000000000, "latency": 0.00001, "via": ["switch0"]},
      {"from": "gpu0", "to": "ram", "bandwidth": 12000000000, "latency": 0.00001}
    ],
    "buses": [
      {"name": "switch0", "bandwidth": 24000000000}
    ]
  },
  "types": [
    {"name": "POTRF", "seconds": {"cpu": 0.01, "gpu": 0.006}, "estimates": {"gpu": 0.007}},
    {"name": "CHECK", "seconds": {"cpu": 0.001}}
  ],
  "data": [
    {"name": "A", "bytes": 8000000, "home": "ram"}
  ],
  "tasks": [
    {"name": "p0", "type": "POTRF", "access": [["A", "rw"]]},
    {"name": "c0", "type": "CHECK", "after": ["p0"], "priority": 3},
    {"name": "x", "type": "POTRF", "seconds": {"gpu": 0.5}, "estimates": {"gpu": 0.25}}
  ]
}
)";

/// `text` with the first `from` replaced; the test is wrong when there is none.
inline std::string mutated(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t place = result.find(from);
  if (place == std::string::npos) throw InternalError("nothing to mutate: " + std::string(from));
  return result.replace(place, from.size(), to);
}

/// The sentence of the InputError that `step` throws; empty when it throws none.
template <class Step>
std::string error_of(Step step) {
  try {
    step();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A document with one mistake, and the sentence that the user shall read about it.
struct Mistake {
  std::string_view from;
  std::string_view to;
  std::string_view sentence;
};

}  // namespace heddle::test
