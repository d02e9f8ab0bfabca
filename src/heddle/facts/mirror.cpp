#include "heddle/facts/mirror.hpp"

namespace heddle::facts {
namespace {

Change::Worker state_of(const policy::View& view, WorkerId worker) {
  // What is expected to have ended is expected now, whenever that is.
  const Time end = view.expected_end(worker);
  return {worker, view.running(worker), end > view.now() ? end : 0, view.is_idle(worker), view.is_available(worker)};
}

bool same(const Change::Worker& a, const Change::Worker& b) {
  return a.task == b.task && a.expected_end == b.expected_end && a.is_idle == b.is_idle &&
         a.is_available == b.is_available;
}

}  // namespace

Change Mirror::difference(const policy::View& view) const {
  Change change{view.now(), view.asks_ahead()};
  for (const WorkerId worker : view.platform().workers()) {
    const Change::Worker state = state_of(view, worker);
    const bool changed = !same(state, state_of(view_, worker));
    if (changed) change.workers.push_back(state);
    // What begins can be aborted, if anything can.
    const bool could = changed ? view_.may_abort(kNone<TaskId>) : view_.may_abort(worker);
    if (could && !view.may_abort(worker)) change.committed.push_back(worker);
  }
  view.visit_moved(view_, [&](DataId data, MemoryId memory) {
    using Copy = policy::HostView::Copy;
    const Copy state = view.has(data, memory) ? Copy::valid : view.holds(data, memory) ? Copy::coming : Copy::none;
    change.copies.push_back({data, memory, state});
  });
  return change;
}

void Mirror::apply(const Change& change) {
  view_.set_now(change.now);
  view_.set_asks_ahead(change.asks_ahead);
  for (const Change::Worker& state : change.workers) {
    view_.show(state.worker, {state.task, state.expected_end, state.is_idle, state.is_available});
    if (state.task != kNone<TaskId>) view_.set_committed(state.task, false);
  }
  for (const WorkerId worker : change.committed) {
    const TaskId task = view_.running(worker);
    if (task == kNone<TaskId>) {
      view_.forbid_aborts();  // a worker that has nothing shows it first
    } else {
      view_.set_committed(task, true);
    }
  }
  for (const Change::Copy& copy : change.copies) view_.set_copy(copy.data, copy.memory, copy.state);
}

}  // namespace heddle::facts
