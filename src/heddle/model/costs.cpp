#include <utility>

#include "heddle/model/instance.hpp"

namespace heddle {

Costs::Costs(const TaskGraph& graph, std::size_t class_count)
    : class_count_(class_count),
      actual_(graph.type_count() * class_count, kCannotRun),
      row_(graph.task_count()),
      type_count_(graph.type_count()) {
  for (const TaskId task : graph.tasks()) row_[task] = row(graph.type(task));
}

Costs::Costs(const TaskGraph& graph, std::size_t class_count, const DurationSource& durations)
    : Costs(graph, class_count) {
  for (const TypeId type : graph.types()) {
    for (const ClassId c : ids<ClassId>(class_count)) set_actual(row(type), c, durations(type, c));
  }
}

std::uint32_t Costs::own_row(TaskId task) {
  if (row_[task] >= type_count_) return row_[task];
  const std::size_t source = row_[task] * class_count_;
  const auto copy = [&](std::vector<Time>& values) {
    for (std::size_t c = 0; c < class_count_; ++c) values.push_back(values[source + c]);
  };
  row_[task] = static_cast<std::uint32_t>(row_count());
  copy(actual_);
  for (std::vector<Time>* values : {&estimate_, &open_actual_, &open_estimate_}) {
    if (!values->empty()) copy(*values);
  }
  return row_[task];
}

void Costs::set_actual(std::uint32_t row, ClassId c, Time duration) {
  const std::size_t place = row * class_count_ + index(c);
  actual_[place] = duration;
  if (!open_actual_.empty()) open_actual_[place] = duration;
}

void Costs::set_estimate(std::uint32_t row, ClassId c, Time duration) {
  if (estimate_.empty()) {
    estimate_ = actual_;
    open_estimate_ = open_actual_;
  }
  const std::size_t place = row * class_count_ + index(c);
  estimate_[place] = duration;
  if (!open_estimate_.empty()) open_estimate_[place] = duration;
}

void Costs::close(ClassId c) {
  if (open_actual_.empty()) {
    open_actual_ = actual_;
    open_estimate_ = estimate_;
  }
  for (std::size_t place = index(c); place < actual_.size(); place += class_count_) {
    actual_[place] = kCannotRun;
    if (estimates_differ()) estimate_[place] = kCannotRun;
  }
}

Costs Costs::reopened() const {
  Costs costs = *this;
  if (open_actual_.empty()) return costs;
  costs.actual_ = std::exchange(costs.open_actual_, {});
  costs.estimate_ = std::exchange(costs.open_estimate_, {});
  return costs;
}

Costs Costs::as_estimated() const {
  Costs costs = *this;
  if (!costs.estimate_.empty()) costs.actual_ = std::exchange(costs.estimate_, {});
  return costs;
}

}  // namespace heddle
