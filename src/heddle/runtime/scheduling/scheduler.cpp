#include "heddle/runtime/scheduling/scheduler.hpp"

#include <algorithm>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/runtime/task.hpp"

namespace heddle::runtime {
namespace {

std::vector<Device*> devices_of(const std::vector<std::unique_ptr<Worker>>& workers) {
  std::vector<Device*> devices;
  for (const auto& worker : workers) {
    if (worker->driver) devices.push_back(&worker->driver->device());
  }
  return devices;
}

}  // namespace

Scheduler::Scheduler(const Config& config, const Platform& platform, const RunClock& clock, Submission& submission,
                     Progress& progress, const std::vector<std::unique_ptr<Worker>>& workers, Links& links,
                     std::optional<History> history)
    : platform_(platform),
      places_(platform),
      clock_(clock),
      submission_(submission),
      links_(links),
      workers_(workers, contexts_),
      new_policy_(config, platform_),
      progress_(progress),
      warn_(config.warn),
      types_(platform_, std::move(history), config.warn),
      copies_(places_, devices_of(workers), config.device_memory, links.all(),
              [this](Transfer& transfer) { request(transfer); }) {
  if (config.trace) recorder_.emplace();
}

void Scheduler::set_contexts(const JobContexts& contexts) {
  new_policy_.set_contexts(contexts, platform_);
  contexts_.set(contexts);
  if (recorder_) recorder_->contexts().begin(contexts.all());
}

void Scheduler::change_contexts(const JobContexts& contexts) {
  new_policy_.change_contexts(contexts, platform_);
  contexts_.set(contexts);
  runs_.forget_epoch();  // which knows others
  if (nothing_left()) {
    record_contexts(clock_.now());
  } else {
    stale_ = true;
    outdate();
  }
}

/// The policy has moved workers between contexts: the engine respects that, and the next epoch begins so.
void Scheduler::adopt_moves() {
  resizings_ = new_policy_.resizings();
  contexts_.move(platform_, epoch_->instance().contexts.all, epoch_->session().policy().moves());
  // What such a worker was given may have begun.
  record_contexts(epoch_->view().now());
  // The new policy of a context may be of another kind.
  if (epoch_->session().policy().keeps_order() != keeps_order_) stale_ = true;
}

void Scheduler::finish_facts() {
  try {
    new_policy_.finish_facts();
  } catch (const InputError& error) {
    if (warn_) warn_(error.what());
  }
}

void Scheduler::operations_ended(WorkerId worker, std::span<const Driver::Ended> ended) {
  for (const Driver::Ended& one : ended) {
    if (one.transfer != nullptr) {
      transfer_ended(worker, one);
    } else {
      kernel_ended(workers_[worker], one);
    }
  }
  if (ended.empty()) look_around(worker);
}

/// Kernels that a device runs side by side are attempts that follow each other, in the order in which they end: the
/// time of each is what it adds.
void Scheduler::kernel_ended(Worker& worker, const Driver::Ended& ended) {
  Execution& execution = *ended.execution;
  execution.started = std::max(ended.began, worker.told);
  execution.ended = worker.told = std::max(ended.ended, execution.started);
  execution.failure = ended.failure;
  execution_ended(execution);
}

void Scheduler::transfer_ended(WorkerId worker, const Driver::Ended& ended) {
  const Transfer& transfer = *ended.transfer;
  Block& block = *transfer.block;
  if (!ended.failure) {
    // Nothing takes no time, and tells nothing of a link.
    const std::size_t bytes = block.shape.bytes();
    if (bytes > 0) links_.observe(transfer.from, transfer.to, bytes, ended.ended - ended.began);
    if (recorder_) recorder_->transferred(transfer, places_, ended.began, ended.ended);
  }
  if (epoch_) epoch_->view().set_now(std::max(epoch_->view().now(), ended.ended));
  std::vector<Execution*> waited;
  const bool lost = copies_.arrived(*ended.transfer, ended.failure, waited);
  if (block.poisoned_by) validity_.poison(block);
  if (lost) validity_.note(ended.failure);
  for (Execution* execution : waited) {
    if (execution->node == nullptr) continue;  // refused with one before it
    if (execution->refused) {
      refuse(*execution, execution->refused);
    } else {
      advance(workers_[execution->worker]);
    }
  }
  stage_again();
  if (copies_.under_way() == 0 || waiters_.some_want_news()) waiters_.ended().notify_all();
  act(workers_[worker], ended.ended);
}

std::exception_ptr Scheduler::take_failure() {
  if (progress_.unfinished() == 0) validity_.renew();
  return validity_.take_first();
}

void Scheduler::cancel() {
  if (progress_.unfinished() == 0) return;
  validity_.cancel(submission_.submitted());
  stale_ = !nothing_left();
}

void Scheduler::forget(Block& block) {
  validity_.forget(block);
  if (epoch_ && block.epoch == epochs_) epoch_->forget(block);
}

Trace Scheduler::trace(Time begin) const {
  if (!recorder_) throw InputError("nothing was recorded: Config::trace was not set");
  Trace trace = recorder_->trace(platform_, begin);
  trace.schedule.policy = new_policy_.text();
  trace.schedule.instance = trace.instance.name;
  trace.schedule.seed = new_policy_.seed();
  if (epoch_) trace.note = epoch_->session().policy().note();
  return trace;
}

}  // namespace heddle::runtime
