#include "heddle/policy/search_starts.hpp"

#include <algorithm>
#include <utility>

#include "heddle/policy/registry.hpp"

namespace heddle::policy {

std::vector<std::string> search_starts(bool data_moves) {
  std::vector<std::string> starts;
  const auto add = [&](std::string start) {
    if (std::ranges::find(starts, start) == starts.end()) starts.push_back(std::move(start));
  };
  add(kSearchStarts.front());
  if (data_moves) {
    for (const char* start : kLinkAwareStarts) add(start);
  }
  for (const char* start : kSearchStarts) add(start);
  for (const Entry& entry : entries()) {
    const Needs needs = entry.needs(Spec(entry.name).options());
    if (!needs.lookahead && !needs.plan) add(entry.name);
  }
  return starts;
}

}  // namespace heddle::policy
