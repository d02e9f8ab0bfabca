#include "heddle/model/schedule.hpp"

#include <algorithm>

namespace heddle {

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed:
      return "completed";
    case Outcome::aborted:
      return "aborted";
    case Outcome::failed:
      return "failed";
  }
  return "?";
}

Time Schedule::makespan() const {
  Time last = 0;
  for (const Attempt& attempt : attempts) {
    if (attempt.outcome == Outcome::completed) last = std::max(last, attempt.end);
  }
  return last;
}

std::size_t Schedule::aborted_attempts() const {
  return static_cast<std::size_t>(std::ranges::count(attempts, Outcome::aborted, &Attempt::outcome));
}

}  // namespace heddle
