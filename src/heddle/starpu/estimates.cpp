#include "heddle/starpu/estimates.hpp"

#include <algorithm>

namespace heddle::starpu {

void Estimates::add_type(const Table<ClassId, bool>& can_run) {
  for (const bool can : can_run) cells_.push_back({.can_run = can});
}

void Estimates::measure(TypeId type, ClassId c, Time duration) {
  Cell& one = cell(type, c);
  one.measured += duration;
  ++one.count;
}

Time Estimates::estimate(TypeId type, ClassId c) const {
  const Cell& one = cell(type, c);
  if (!one.can_run) return kCannotRun;
  if (one.known() > 0) return one.known();
  Time fastest = 2 * kMicrosecond;
  bool some = false;
  for (const ClassId other : ids<ClassId>(classes_)) {
    const Time known = cell(type, other).known();
    if (known == 0) continue;
    fastest = some ? std::min(fastest, known) : known;
    some = true;
  }
  return std::max<Time>(fastest / 2, 1);
}

Time Estimates::mean(TypeId type, ClassId c) const {
  const Cell& one = cell(type, c);
  return one.can_run && one.count > 0 ? static_cast<Time>(one.measured / one.count) : estimate(type, c);
}

}  // namespace heddle::starpu
