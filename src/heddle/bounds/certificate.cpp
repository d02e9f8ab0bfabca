#include "heddle/bounds/certificate.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::bounds {

Certificate::Units Certificate::units(double value, double most) {
  constexpr double kOne = 1125899906842624.0;  // 2^50
  if (!(value > 0)) return 0;                  // also when the solver returned no number
  return std::llround(std::min(value, most) * kOne);
}

Certificate::Certificate(const Platform& platform, std::span<const double> duals) {
  for (const ClassId c : platform.classes()) {
    duals_.push_back(units(duals[index(c)]));
    right_ += Wide{duals_.back()} * platform.worker_count(c);
  }
}

void Certificate::add_work(std::span<const Time> durations, std::int64_t tasks, Units flow,
                           std::span<const Wide> in_windows) {
  Wide least = -1;
  for (std::size_t c = 0; c < durations.size(); ++c) {
    if (durations[c] == kCannotRun) continue;
    const Wide weighted = (Wide{duals_[c]} + flow) * durations[c] + (in_windows.empty() ? 0 : in_windows[c]);
    if (least < 0 || weighted < least) least = weighted;
  }
  left_ += std::max<Wide>(least, 0) * tasks;
}

void Certificate::add_flow(Units flow, Time length) {
  left_ += Wide{flow} * length;
  right_ += flow;
}

void Certificate::add_window(Units dual, std::uint32_t workers, Time outside) {
  left_ += Wide{dual} * workers * outside;
  right_ += Wide{dual} * workers;
}

std::vector<ClassId> Certificate::weighed_classes() const {
  std::vector<ClassId> classes;
  for (std::size_t c = 0; c < duals_.size(); ++c) {
    if (duals_[c] > 0) classes.push_back(make_id<ClassId>(c));
  }
  return classes;
}

Time Certificate::bound() const {
  return right_ == 0 ? 0 : static_cast<Time>(left_ / right_);
}

}  // namespace heddle::bounds
