#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "heddle/host/rounds.hpp"
#include "heddle/model/access.hpp"
#include "heddle/starpu/estimates.hpp"
#include "heddle/starpu/recorder.hpp"

namespace heddle::starpu {

/// A task of the engine among all of a context, in the order of submission.
enum class JobNumber : std::uint64_t {};

/// A scheduler of tasks that are pushed and popped, free of the engine's types: what each hook of StarPU tells it, and
/// what a worker gets that asks (docs/starpu.md). Has no lock: the engine's calls must not overlap.
class Core {
 public:
  struct Job {
    TypeId type{};
    std::vector<Access> accesses{};  ///< each datum once; what the task waits for follows from them
    std::int64_t priority = 0;
    std::string name{};
    /// The workers that can run it, where they are not all of the classes that can run the type; else empty.
    std::vector<WorkerId> only_on{};
    bool is_pinned = false;    ///< the engine starts it itself, without a push (began_pinned)
    bool is_internal = false;  ///< the engine made it, and does not tell when it ends
  };

  /// `asks_early`: by worker, whether it asks for the next task while it runs one.
  Core(Platform platform, host::Rounds::MakePolicy make_policy, host::Aborts aborts, Table<WorkerId, bool> asks_early,
       bool records);

  TypeId add_type(std::string name, const Table<ClassId, bool>& can_run);
  /// The present size of a datum counts, and a datum's name is its own.
  DataId add_datum(Datum datum);
  [[nodiscard]] Estimates& estimates() { return *estimates_; }

  JobNumber submit(Job job);
  /// The job waits for nothing any more. `by`: the worker whose thread tells so, if it is one.
  void push(JobNumber job, std::optional<WorkerId> by, Time now);
  /// The worker asks: lets the policy decide. Nothing: it waits.
  [[nodiscard]] std::optional<JobNumber> pop(WorkerId worker, Time now);
  /// The worker, which popped it just now, turns out to be unable to run it: these can.
  void put_back(WorkerId worker, std::vector<WorkerId> only_on, Time now);
  /// The worker has the data of the job that it popped, and starts.
  void began(WorkerId worker, Time now);
  void began_pinned(JobNumber job, WorkerId worker, Time now);
  /// The worker has ended what it ran; if it had, this says nothing.
  void ended(WorkerId worker, Time now);
  void set_available(WorkerId worker, bool available);
  /// Workers other than those that asked that have got a job since the last call: they shall ask.
  [[nodiscard]] std::vector<WorkerId> take_called() { return std::exchange(called_, {}); }

  [[nodiscard]] const Platform& platform() const { return platform_; }
  [[nodiscard]] std::size_t unfinished() const { return live_.size(); }
  [[nodiscard]] std::size_t round_count() const { return rounds_.count(); }
  /// How many jobs workers have popped that the policy placed.
  [[nodiscard]] std::uint64_t placed() const { return placed_; }
  /// What happened. Only where it `records`.
  [[nodiscard]] Recorder::Record record(std::string policy) const;

 private:
  struct Live {
    Job job;
    std::optional<host::TaskNumber> number;  ///< in the rounds; none: the policy does not decide on it
    std::vector<JobNumber> after{};          ///< as far as they had not ended
    std::size_t recorded = 0;
  };
  struct Slot {
    std::optional<JobNumber> job{};  ///< that it runs, or fetches data for
    std::optional<Time> start{};
    bool away = false;
    bool given = false;  ///< it shall ask, for the policy has a job for it
  };

  [[nodiscard]] std::optional<JobNumber> pop_narrow(WorkerId worker);
  [[nodiscard]] std::vector<JobNumber> wait_for(JobNumber job, const std::vector<Access>& accesses);
  void enqueue_narrow(JobNumber job);

  const Platform platform_;
  const Table<WorkerId, bool> asks_early_;
  std::unique_ptr<Estimates> estimates_;  ///< at an address that stays, for the rounds
  host::Rounds rounds_;
  std::unique_ptr<Recorder> recorder_;  ///< null: nothing is recorded
  std::vector<std::string> types_;
  Table<DataId, Datum> data_;
  Table<DataId, AccessHistory<JobNumber>> history_;
  std::unordered_map<JobNumber, Live> live_;
  std::unordered_map<host::TaskNumber, JobNumber> job_of_;
  std::vector<JobNumber> narrow_;  ///< pushed ones that only some workers of a class can run, the first to serve first
  Table<WorkerId, Slot> slots_;
  std::vector<WorkerId> called_;
  std::uint64_t submitted_ = 0;
  std::uint64_t placed_ = 0;
  bool news_ = false;  ///< something happened since the policy was asked
};

}  // namespace heddle::starpu
