#include "heddle/policy/view.hpp"

namespace heddle::policy {

HostView::HostView(const Instance& instance) {
  instance_ = &instance;
  workers_.resize(instance.platform.worker_count());
  std::uint32_t words = 0;
  for (const ClassId c : instance.platform.classes()) {
    Class info;
    info.first_word = words;
    info.words = (instance.platform.worker_count(c) + 63) / 64;
    words += info.words;
    classes_.push_back(info);
  }
  idle_.resize(words);
  for (const WorkerId worker : instance.platform.workers()) mark_idle(worker, true);
}

void HostView::begin(WorkerId worker, TaskId task, Time estimate) {
  workers_[worker].task = task;
  workers_[worker].expected_end = now_ + estimate;
  mark_idle(worker, false);
}

void HostView::end(WorkerId worker) {
  workers_[worker].task = kNone<TaskId>;
  workers_[worker].expected_end = 0;
  mark_idle(worker, true);
}

void HostView::set_available(WorkerId worker, bool available) {
  if (workers_[worker].available == available) return;
  workers_[worker].available = available;
  mark_idle(worker, available);
}

void HostView::mark_idle(WorkerId worker, bool idle) {
  const ClassId c = platform().class_of(worker);
  Class& info = classes_[c];
  const std::size_t number = index(worker) - index(*platform().workers(c).begin());
  const std::uint64_t bit = std::uint64_t{1} << number % 64;
  std::uint64_t& word = idle_[info.first_word + number / 64];
  if (idle) {
    word |= bit;
    ++info.idle;
  } else {
    word &= ~bit;
    --info.idle;
  }
}

}  // namespace heddle::policy
