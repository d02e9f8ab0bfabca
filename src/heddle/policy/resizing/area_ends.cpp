#include "heddle/policy/resizing/area_ends.hpp"

#include <algorithm>
#include <cmath>

#include "heddle/bounds/linear_program.hpp"

namespace heddle::policy {
namespace {

/// Coarser than the tolerance of the solver.
constexpr double kGrain = 1e-6;

/// The least time in which workers do what they were given and some tasks.
class Area {
 public:
  Area(const Situation& now, const std::vector<WorkerId>& workers, double unit)
      : end_(program_.add_column(0, bounds::LinearProgram::kInfinity, 1)),
        workers_(now.platform.class_count(), 0),
        rows_(workers_.size()),
        unit_(unit) {
    Table<ClassId, double> given(workers_.size(), 0);
    for (const WorkerId worker : workers) {
      const ClassId c = now.platform.class_of(worker);
      ++workers_[c];
      given[c] += static_cast<double>(now.busy[worker]) / unit_;
    }
    // Work of a class <= its workers x the end.
    for (const ClassId c : workers_.ids()) {
      if (workers_[c] == 0) continue;
      rows_[c] = program_.add_row(-bounds::LinearProgram::kInfinity, -given[c]);
      program_.set(rows_[c], end_, -static_cast<double>(workers_[c]));
    }
  }

  void add(const AlikeTasks& alike) {
    const auto tasks = static_cast<double>(alike.tasks);
    const bounds::LinearProgram::Row all = program_.add_row(tasks, tasks);
    bool runs = false;
    for (const ClassId c : workers_.ids()) {
      if (workers_[c] == 0 || alike.mean[c] == kCannotRun) continue;
      const bounds::LinearProgram::Column here = program_.add_column(0, bounds::LinearProgram::kInfinity);
      program_.set(all, here, 1);
      program_.set(rows_[c], here, static_cast<double>(alike.mean[c]) / unit_);
      runs = true;
    }
    is_possible_ = is_possible_ && runs;
  }

  [[nodiscard]] double end() {
    if (!is_possible_) return bounds::LinearProgram::kInfinity;
    program_.minimise();
    return std::round(program_.value(end_) / kGrain) * kGrain;
  }

 private:
  bounds::LinearProgram program_;
  bounds::LinearProgram::Column end_;
  Table<ClassId, std::uint32_t> workers_;
  Table<ClassId, bounds::LinearProgram::Row> rows_;
  double unit_;
  bool is_possible_ = true;
};

std::vector<WorkerId> all_workers(const Situation& now) {
  std::vector<WorkerId> workers;
  for (const ContextState& context : now.contexts) {
    workers.insert(workers.end(), context.workers.begin(), context.workers.end());
  }
  std::ranges::sort(workers);
  workers.erase(std::unique(workers.begin(), workers.end()), workers.end());
  return workers;
}

}  // namespace

AreaEnds::AreaEnds(const Situation& now) {
  TimeSum work = 0;
  for (const ContextState& context : now.contexts) work += context.work_left;
  const std::size_t workers = all_workers(now).size();
  if (work > 0) unit_ = static_cast<double>(work) / static_cast<double>(workers);
}

double AreaEnds::of(const Situation& now, ContextId context) const {
  const ContextState& state = now.contexts[context];
  if (state.left == 0) return 0;
  Area area(now, state.workers, unit_);
  for (const AlikeTasks& alike : state.waiting) area.add(alike);
  return area.end();
}

double AreaEnds::together(const Situation& now) const {
  Area area(now, all_workers(now), unit_);
  for (const ContextState& context : now.contexts) {
    for (const AlikeTasks& alike : context.waiting) area.add(alike);
  }
  return area.end();
}

}  // namespace heddle::policy
