#include "heddle/bounds/work_program.hpp"

#include <algorithm>

namespace heddle::bounds {
namespace {

/// All work on its fastest class, shared out over all workers: at most the area bound, and seldom far below.
double rough_makespan(const Instance& instance) {
  double work = 0;
  for (const TaskId task : instance.graph.tasks()) {
    work += static_cast<double>(std::ranges::min(instance.costs.actual_row(instance.costs.row(task))));
  }
  return std::max(1.0, work / static_cast<double>(instance.platform.worker_count()));
}

}  // namespace

WorkProgram::WorkProgram(const Instance& instance)
    : instance_(&instance),
      unit_(rough_makespan(instance)),
      makespan_(program_.add_column(0, LinearProgram::kInfinity, 1)),
      fastest_work_(instance.platform.class_count(), 0.0) {
  for (const ClassId c : instance.platform.classes()) {
    area_.push_back(program_.add_row(-LinearProgram::kInfinity, 0));
    program_.set(area_.back(), makespan_, -static_cast<double>(instance.platform.worker_count(c)));
  }
}

template <class Visit>
void WorkProgram::for_each_other(const Item& item, Visit visit) const {
  LinearProgram::Column column = item.first_other;
  for (const ClassId c : instance_->platform.classes()) {
    if (c != item.fastest && durations(item)[index(c)] != kCannotRun) visit(c, column++);
  }
}

void WorkProgram::add_fastest_work(ClassId c, double work) {
  fastest_work_[index(c)] += work;
  program_.set_row_upper(area_[index(c)], -fastest_work_[index(c)]);
}

WorkProgram::Work WorkProgram::add(std::uint32_t row, std::int64_t tasks) {
  Item item{row, tasks, {}, 0, {}};
  const auto times = durations(item);
  item.fastest = make_id<ClassId>(static_cast<std::size_t>(std::ranges::min_element(times) - times.begin()));
  const auto runnable = times.size() - static_cast<std::size_t>(std::ranges::count(times, kCannotRun));
  const auto count = static_cast<double>(tasks);
  if (runnable > 2) item.limit = program_.add_row(-LinearProgram::kInfinity, count);
  for (std::size_t i = 1; i < runnable; ++i) {
    const LinearProgram::Column column = program_.add_column(0, count);
    if (i == 1) item.first_other = column;
    if (item.limit) program_.set(*item.limit, column, 1);
  }
  const double fastest = in_units(times[index(item.fastest)]);
  for_each_other(item, [&](ClassId c, LinearProgram::Column column) {
    program_.set(area_[index(c)], column, in_units(times[index(c)]));
    program_.set(area_[index(item.fastest)], column, -fastest);
  });
  add_fastest_work(item.fastest, fastest * count);
  items_.push_back(item);
  return static_cast<Work>(items_.size() - 1);
}

void WorkProgram::resize(Work work, std::int64_t tasks) {
  Item& item = items_[work];
  const auto count = static_cast<double>(tasks);
  const double fastest = in_units(durations(item)[index(item.fastest)]);
  add_fastest_work(item.fastest, fastest * static_cast<double>(tasks - item.tasks));
  item.tasks = tasks;
  if (item.limit) program_.set_row_upper(*item.limit, count);
  for_each_other(item, [&](ClassId, LinearProgram::Column column) { program_.set_column_upper(column, count); });
}

LinearProgram::Row WorkProgram::add_length_row(std::span<const Work> works, double constant) {
  const LinearProgram::Row row = program_.add_row(-LinearProgram::kInfinity, 0);
  for (const Work work : works) {
    const Item& item = items_[work];
    const double fastest = in_units(durations(item)[index(item.fastest)]);
    constant += fastest * static_cast<double>(item.tasks);
    for_each_other(item, [&](ClassId c, LinearProgram::Column column) {
      program_.set(row, column, in_units(durations(item)[index(c)]) - fastest);
    });
  }
  program_.set_row_upper(row, -constant);
  return row;
}

double WorkProgram::share(Work work, ClassId wanted) const {
  const Item& item = items_[work];
  const auto tasks = static_cast<double>(item.tasks);
  double left = tasks;
  double found = 0;
  for_each_other(item, [&](ClassId c, LinearProgram::Column column) {
    const double part = std::clamp(program_.value(column), 0.0, left);
    left -= part;
    if (c == wanted) found = part;
  });
  return wanted == item.fastest ? left : found;
}

Table<ClassId, double> WorkProgram::use() const {
  Table<ClassId, double> use(instance_->platform.class_count(), 0.0);
  for (Work work = 0; work < items_.size(); ++work) {
    for (const ClassId c : use.ids()) {
      const Time duration = durations(items_[work])[index(c)];
      if (duration != kCannotRun) use[c] += share(work, c) * static_cast<double>(duration);
    }
  }
  return use;
}

Certificate WorkProgram::certificate() const {
  std::vector<double> prices;
  for (const LinearProgram::Row row : area_) prices.push_back(-program_.dual(row));
  return {instance_->platform, prices};
}

}  // namespace heddle::bounds
