#include "heddle/bounds/work_program.hpp"

#include <algorithm>
#include <utility>

namespace heddle::bounds {
namespace {

/// All work on its fastest class, shared out over all workers: at most the area bound, and seldom far below.
double rough_makespan(const Instance& instance) {
  double work = 0;
  for (const TaskId task : instance.graph.tasks()) {
    work += static_cast<double>(std::ranges::min(instance.costs.actual_row(task)));
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

void WorkProgram::add_fastest_work(WindowRow& window, const Item& item, std::int64_t tasks) {
  if (item.fastest == window.window.on) {
    window.fastest_work += in_units(window.amounts[item.group]) * static_cast<double>(tasks);
  }
  const double outside = in_units(window.window.head + window.window.tail);
  const double workers = instance_->platform.worker_count(window.window.on);
  program_.set_row_upper(window.row, -window.fastest_work - workers * outside);
}

void WorkProgram::enter(WindowRow& window, const Item& item) {
  const ClassId on = window.window.on;
  const double amount = in_units(window.amounts[item.group]);
  if (amount > 0) {
    for_each_other(item, [&](ClassId c, LinearProgram::Column column) {
      if (item.fastest == on) program_.set(window.row, column, -amount);
      if (c == on) program_.set(window.row, column, amount);
    });
  }
  add_fastest_work(window, item, item.tasks);
}

void WorkProgram::add_window(const ClassWindow& window, std::vector<Time> amounts) {
  const LinearProgram::Row row = program_.add_row(-LinearProgram::kInfinity, 0);
  program_.set(row, makespan_, -static_cast<double>(instance_->platform.worker_count(window.on)));
  windows_.push_back({window, std::move(amounts), row});
  for (const Item& item : items_) enter(windows_.back(), item);
}

WorkProgram::Work WorkProgram::add(std::uint32_t row, std::int64_t tasks, std::uint32_t group) {
  Item item{row, tasks, {}, 0, {}, group};
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
  for (WindowRow& window : windows_) enter(window, item);
  items_.push_back(item);
  return static_cast<Work>(items_.size() - 1);
}

void WorkProgram::resize(Work work, std::int64_t tasks) {
  Item& item = items_[work];
  const auto count = static_cast<double>(tasks);
  const double fastest = in_units(durations(item)[index(item.fastest)]);
  add_fastest_work(item.fastest, fastest * static_cast<double>(tasks - item.tasks));
  for (WindowRow& window : windows_) add_fastest_work(window, item, tasks - item.tasks);
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

Certificate::Units WorkProgram::dual(const WindowRow& window) const {
  return Certificate::units(-program_.dual(window.row), 2.0 / instance_->platform.worker_count(window.window.on));
}

std::vector<double> WorkProgram::duals() const {
  std::vector<double> duals;
  for (const LinearProgram::Row row : area_) duals.push_back(-program_.dual(row));
  return duals;
}

Certificate WorkProgram::certificate() const {
  Certificate certificate(instance_->platform, duals());
  for (const WindowRow& window : windows_) {
    certificate.add_window(dual(window), instance_->platform.worker_count(window.window.on),
                           window.window.head + window.window.tail);
  }
  return certificate;
}

std::vector<Wide> WorkProgram::in_windows(std::uint32_t group) const {
  std::vector<Wide> weighed(instance_->platform.class_count(), 0);
  for (const WindowRow& window : windows_) {
    weighed[index(window.window.on)] += Wide{dual(window)} * window.amounts[group];
  }
  return weighed;
}

std::vector<ClassWindow> WorkProgram::binding_windows() const {
  std::vector<std::pair<Certificate::Units, ClassWindow>> weighed;
  for (const WindowRow& window : windows_) {
    if (dual(window) > 0)
      weighed.emplace_back(dual(window) * instance_->platform.worker_count(window.window.on), window.window);
  }
  std::ranges::stable_sort(weighed, std::ranges::greater(), &std::pair<Certificate::Units, ClassWindow>::first);
  std::vector<ClassWindow> windows;
  for (const auto& [weight, window] : weighed) windows.push_back(window);
  return windows;
}

}  // namespace heddle::bounds
