#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heddle/runtime/device.hpp"
#include "heddle/runtime/scheduling/scheduler.hpp"

namespace heddle::runtime {

/// A device whose operations end, one after the other, when a test says so.
class StepDevice final : public Device {
 public:
  /// Ends the operation that was asked for first: it is carried out, unless it fails.
  void end(const std::exception_ptr& failure = nullptr);
  /// Ends the kernel that was asked for last, which ran beside all others.
  void end_last_kernel();
  /// How many were asked for and have not ended.
  [[nodiscard]] std::size_t copies_under_way() const { return copies_; }
  [[nodiscard]] std::size_t kernels_under_way() const { return asked_.size() - copies_; }
  /// From now on operations wait for end(); before, while links are measured, they end at once.
  void begin_stepping() { steps_ = true; }

  [[nodiscard]] std::uint64_t memory_bytes() const override { return std::uint64_t{1} << 20; }
  [[nodiscard]] bool runs(const Implementation& implementation) const override {
    return implementation.form == Implementation::Form::native;
  }
  [[nodiscard]] void* allocate(std::size_t bytes) override { return ::operator new(bytes); }
  void release(void* memory) override { ::operator delete(memory); }
  void copy_in(const Shape& shape, const Piece& from, void* to, Done done) override;
  void copy_out(const Shape& shape, void* from, const Piece& to, Done done) override;
  void copy_within(std::size_t bytes, void* from, void* to) override;
  void run(const Implementation& implementation, const Job& job, Done done) override;

 private:
  struct Operation {
    std::function<void()> work;
    Done done;
    bool is_copy;
  };

  void ask(Operation operation);
  void end(std::deque<Operation>::iterator one, const std::exception_ptr& failure);

  bool steps_ = false;
  std::size_t copies_ = 0;
  std::deque<Operation> asked_;
};

/// The scheduler of a runtime without its threads: a test tells it step by step what they would, with a clock of its
/// own, so that nothing depends on when they meet. Takes the place of Engine.
class Stepper {
 public:
  /// Of the configuration, those parts that concern the scheduler count. Workers are of one core each; class "step" has
  /// a device.
  explicit Stepper(const Config& config);

  /// Before tasks are submitted; as the command spells contexts.
  void set_contexts(const std::string& text);
  /// Workers, by name, are added to a context, or removed from it.
  void add_worker(ContextId context, const std::string& name);
  void remove_worker(ContextId context, const std::string& name);

  // The program:
  /// The number of the task, from 1 on.
  template <class... Params>
  std::uint64_t submit(const Kernel<Params...>& kernel, const std::vector<BlockAccess>& accesses = {},
                       TaskOptions options = {}, ContextId context = kNone<ContextId>) {
    return submission_.submit(kernel.info(), accesses, {}, options, context).task.sequence;
  }
  /// The same, from a task that runs.
  template <class... Params>
  std::uint64_t submit_nested(const Kernel<Params...>& kernel, const std::vector<BlockAccess>& accesses = {}) {
    TaskOptions options;
    return submission_.submit(kernel.info(), accesses, {}, options, kNone<ContextId>, true).task.sequence;
  }
  /// So many at once.
  template <class... Params>
  void submit_many(const Kernel<Params...>& kernel, int count) {
    for (int i = 0; i < count; ++i) submit(kernel);
  }
  /// So many tasks, which can be run again and again.
  template <class... Params>
  [[nodiscard]] std::shared_ptr<Recording> record_many(const Kernel<Params...>& kernel, int count, ContextId context) {
    auto recording = std::make_shared<Recording>(1, ++recordings_);
    submission_.begin(recording);
    for (int i = 0; i < count; ++i) {
      TaskOptions options;
      static_cast<void>(submission_.submit(kernel.info(), {}, {}, options, context, false, recording.get()));
    }
    submission_.finish(*recording, submission_.describe(*recording).contexts.of);
    return recording;
  }
  void run(const std::shared_ptr<Recording>& recording) { submission_.submit(recording); }
  /// Memory of the program, which must outlive this.
  [[nodiscard]] Block* datum(int& number);
  /// What tasks have written is where the program sees it; nothing runs, and no device has any of it.
  void bring_home() { scheduler_.copies().bring_home(); }
  [[nodiscard]] Scheduler& scheduler() { return scheduler_; }
  [[nodiscard]] const Scheduler& scheduler() const { return scheduler_; }
  [[nodiscard]] const Progress& progress() const { return progress_; }
  [[nodiscard]] std::size_t records() const { return submission_.records(); }

  // The clock:
  [[nodiscard]] Time now() const { return now_; }
  void pass(Time duration) { now_ += duration; }

  // The threads of workers:
  void look_around(std::size_t worker);
  static constexpr std::uint64_t kAborted = ~std::uint64_t{0};
  /// The worker begins what it was given: the number of the task, kAborted if it was aborted since; 0: it was given
  /// nothing.
  std::uint64_t begin(std::size_t worker);
  /// What it has begun ends now; it tells of it, for which it waits so long: for how long it is to back off.
  Time end(std::size_t worker, Time waited = 0);
  /// It executes what it was given, all of its local batch, for so long each, and tells of it: the numbers of the
  /// tasks.
  std::vector<std::uint64_t> execute(std::size_t worker, Time each, Time waited = 0);
  /// For how long the worker was to back off when it told of tasks last.
  [[nodiscard]] Time backs_off(std::size_t worker) const { return backs_off_[worker]; }
  /// The same for the worker of a device: begins what was requested, or tells what has ended.
  void drive(std::size_t worker);
  [[nodiscard]] StepDevice& device(std::size_t worker);

  // What the engine looks at:
  [[nodiscard]] const Worker& worker(std::size_t number) const { return *workers_[number]; }
  /// Whether an idle worker was to be woken since this was asked last.
  [[nodiscard]] bool woke() { return std::exchange(woke_, false); }

 private:
  [[nodiscard]] std::vector<std::unique_ptr<Worker>> make_workers();
  void bind(TaskType& type) const;
  [[nodiscard]] Execution* next_execution(std::size_t worker);
  void begin(std::size_t worker, Execution& execution);
  void tell(std::size_t worker, Time waited);
  void change_contexts(const JobContexts& contexts);
  void do_afterwards();

  Time now_ = 0;
  const RunClock clock_{&now_};
  Team team_{1, [](std::size_t) {}};
  const std::vector<WorkerClass> classes_;
  const std::vector<DeviceChoice> chosen_;
  std::vector<std::unique_ptr<Device>> devices_;
  Links links_;
  const Platform platform_;
  JobContexts contexts_;
  std::uint64_t recordings_ = 0;
  std::vector<std::unique_ptr<Block>> blocks_;
  Submission submission_;
  Progress progress_{submission_};
  std::vector<std::unique_ptr<Worker>> workers_;
  Scheduler scheduler_;
  struct Begun {
    Execution* execution = nullptr;
    Time first = 0;  ///< when the first began that it has not told of
  };
  std::vector<Begun> begun_;
  std::vector<Time> backs_off_;
  bool woke_ = false;
};

}  // namespace heddle::runtime
