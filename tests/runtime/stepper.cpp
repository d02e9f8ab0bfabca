#include "tests/runtime/stepper.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "heddle/runtime/threads/workers.hpp"

namespace heddle::runtime {
namespace {

constexpr std::size_t kCores = 8;

class StepBackend final : public Backend {
 public:
  [[nodiscard]] std::string name() const override { return "step"; }
  [[nodiscard]] Processor processor() const override { return Processor::opencl; }
  [[nodiscard]] std::vector<DeviceInfo> devices() const override { return {{.name = "a step"}}; }
  [[nodiscard]] std::unique_ptr<Device> open(std::size_t) override { return std::make_unique<StepDevice>(); }
};

const std::vector<std::shared_ptr<Backend>> kBackends{std::make_shared<StepBackend>()};

/// Links that were measured, as fast as the same everywhere.
std::vector<MemoryLink> equally_fast(std::vector<MemoryLink> links) {
  for (MemoryLink& link : links) link.speed = {kMicrosecond, 1e9};
  return links;
}

}  // namespace

void StepDevice::ask(Operation operation) {
  if (operation.is_copy) ++copies_;
  asked_.push_back(std::move(operation));
  if (!steps_) end();
}

void StepDevice::end(const std::exception_ptr& failure) {
  if (asked_.empty()) {
    ADD_FAILURE() << "the device was asked for nothing";
    return;
  }
  end(asked_.begin(), failure);
}

void StepDevice::end_last_kernel() {
  const auto last = std::ranges::find(asked_.rbegin(), asked_.rend(), false, &Operation::is_copy);
  if (last == asked_.rend()) {
    ADD_FAILURE() << "the device was asked for no kernel";
    return;
  }
  end(last.base() - 1, nullptr);
}

void StepDevice::end(std::deque<Operation>::iterator one, const std::exception_ptr& failure) {
  const Operation ended = std::move(*one);
  asked_.erase(one);
  if (ended.is_copy) --copies_;
  if (!failure) ended.work();
  ended.done(failure);
}

void StepDevice::copy_in(const Shape& shape, const Piece& from, void* to, Done done) {
  ask({[=] { copy(shape, from, {to, shape.rows}); }, std::move(done), true});
}

void StepDevice::copy_out(const Shape& shape, void* from, const Piece& to, Done done) {
  ask({[=] { copy(shape, {from, shape.rows}, to); }, std::move(done), true});
}

void StepDevice::copy_within(std::size_t bytes, void* from, void* to) {
  std::memcpy(to, from, bytes);
}

void StepDevice::run(const Implementation& implementation, const Job& job, Done done) {
  ask({[&implementation, job] { implementation.run(job); }, std::move(done), false});
}

Stepper::Stepper(const Config& config)
    : classes_(parse_workers(config.workers, kCores, kBackends)),
      chosen_(choose_devices(classes_, kBackends)),
      devices_(open_devices(chosen_)),
      links_(chosen_, devices_, std::nullopt),
      platform_(platform_of(classes_, equally_fast(links_.all()))),
      submission_([this](TaskType& type) { bind(type); }, false, config.most_nested),
      workers_(make_workers()),
      scheduler_(config, platform_, clock_, submission_, progress_, workers_, links_, std::nullopt),
      begun_(workers_.size()),
      backs_off_(workers_.size(), 0) {}

void Stepper::set_contexts(const std::string& text) {
  contexts_ = JobContexts(platform_, parse_contexts("contexts", text));
  scheduler_.check_contexts(contexts_);
  submission_.set_contexts(contexts_);
  scheduler_.set_contexts(contexts_);
}

void Stepper::change_contexts(const JobContexts& contexts) {
  submission_.change_contexts(contexts);
  scheduler_.change_contexts(contexts);
  contexts_ = contexts;
}

void Stepper::add_worker(ContextId context, const std::string& name) {
  change_contexts(contexts_.with_workers(platform_, context, {contexts_.name(context), {}, {name}}));
}

void Stepper::remove_worker(ContextId context, const std::string& name) {
  change_contexts(contexts_.without_workers(platform_, context, {contexts_.name(context), {}, {name}}));
}

std::vector<std::unique_ptr<Worker>> Stepper::make_workers() {
  std::vector<std::unique_ptr<Worker>> workers;
  const MemoryPlaces places(platform_);
  auto device = devices_.begin();
  for (const WorkerId id : platform_.workers()) {
    const ClassId c = platform_.class_of(id);
    Worker& worker = *workers.emplace_back(std::make_unique<Worker>(id, c, places.of(platform_.memory_of(id))));
    if (!classes_[index(c)].is_device()) continue;
    static_cast<StepDevice&>(**device).begin_stepping();
    worker.driver = std::make_unique<Driver>(std::move(*device++), clock_, worker.bell);
  }
  return workers;
}

void Stepper::bind(TaskType& type) const {
  type.variants.resize(platform_.class_count());
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    std::vector<Variant> all;
    for (const Implementation& one : type.kernel->implementations) {
      if (one.processor == classes_[c].processor) all.push_back({&one});
    }
    type.variants[c] = Variants(std::move(all));
  }
}

Block* Stepper::datum(int& number) {
  using Traits = ViewTraits<int&>;
  return blocks_
      .emplace_back(std::make_unique<Block>(nullptr, make_id<DataId>(blocks_.size()), Traits::shape(number),
                                            Traits::piece(number), platform_.memories().size() - 1, nullptr))
      .get();
}

void Stepper::look_around(std::size_t worker) {
  scheduler_.look_around(make_id<WorkerId>(worker));
  do_afterwards();
}

/// What its thread finds: what it gave itself, or what is in its local batch.
Execution* Stepper::next_execution(std::size_t worker) {
  Worker& self = *workers_[worker];
  Execution* execution = std::exchange(self.next, nullptr);
  if (execution == nullptr) execution = self.batch.begin();
  return execution;
}

/// The kernel has done its work as soon as it has begun, which takes until end().
void Stepper::begin(std::size_t worker, Execution& execution) {
  execution.started = std::max(execution.started, now_);
  execution.execute(team_);
  begun_[worker].execution = &execution;
}

std::uint64_t Stepper::begin(std::size_t worker) {
  Execution* execution = next_execution(worker);
  if (execution == nullptr) return 0;
  begin(worker, *execution);
  begun_[worker].first = execution->started;
  return execution->node != nullptr ? execution->node->sequence.load() : kAborted;
}

Time Stepper::end(std::size_t worker, Time waited) {
  if (begun_[worker].execution == nullptr) {
    ADD_FAILURE() << "worker " << worker << " has begun nothing";
    return 0;
  }
  begun_[worker].execution->ended = workers_[worker]->last_ended = now_;
  tell(worker, waited);
  return backs_off_[worker];
}

std::vector<std::uint64_t> Stepper::execute(std::size_t worker, Time each, Time waited) {
  std::vector<std::uint64_t> executed;
  if (begin(worker) == 0) return executed;
  for (Execution* execution = begun_[worker].execution; execution != nullptr;) {
    executed.push_back(execution->node->sequence);
    now_ = execution->ended = workers_[worker]->last_ended = execution->started + each;
    execution = execution->failure ? nullptr : workers_[worker]->batch.begin();
    if (execution != nullptr) begin(worker, *execution);
  }
  tell(worker, waited);
  return executed;
}

void Stepper::tell(std::size_t worker, Time waited) {
  const Time began = std::exchange(begun_[worker], {}).first;
  backs_off_[worker] =
      scheduler_.executions_ended(make_id<WorkerId>(worker), began, workers_[worker]->last_ended, waited);
  do_afterwards();
}

void Stepper::drive(std::size_t worker) {
  const WorkerId id = make_id<WorkerId>(worker);
  const std::vector<Driver::Ended> ended = workers_[worker]->driver->work(team_);
  scheduler_.operations_ended(id, ended);
  do_afterwards();
}

StepDevice& Stepper::device(std::size_t worker) {
  return static_cast<StepDevice&>(workers_[worker]->driver->device());
}

/// What is done without the lock.
void Stepper::do_afterwards() {
  if (!scheduler_.deferred().some()) return;
  Afterwards afterwards = scheduler_.deferred().take();
  woke_ = woke_ || afterwards.wakes;
  for (std::stop_source& stop : afterwards.stops) stop.request_stop();
  for (const auto& call : afterwards.calls) call.function();
  scheduler_.calls_returned(afterwards.program_parts());
}

}  // namespace heddle::runtime
