#include <starpu.h>
#include <starpu_mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <random>
#include <utility>

#include "heddle/starpu/cluster/cluster.hpp"

namespace heddle::starpu::cluster {
namespace {

/// The contexts of this rank, as long as it lives.
class Contexts {
 public:
  Contexts(const Plan& plan, int rank) : ids_(plan.contexts.size(), STARPU_NMAX_SCHED_CTXS) {
    for (std::size_t i = 0; i < ids_.size(); ++i) {
      if (plan.contexts[i].rank != rank) continue;
      std::vector<int> workers = plan.contexts[i].workers;
      ids_[i] = starpu_sched_ctx_create(workers.data(), static_cast<int>(workers.size()), "heddle",
                                        STARPU_SCHED_CTX_POLICY_NAME, plan.contexts[i].policy.c_str(), 0);
    }
  }
  ~Contexts() {
    for (const unsigned id : ids_) {
      if (id != STARPU_NMAX_SCHED_CTXS) starpu_sched_ctx_delete(id);
    }
  }
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;

  /// 0 for a context of another rank, where StarPU-MPI does not look at it.
  [[nodiscard]] unsigned id(int context) const {
    const unsigned id = ids_[static_cast<std::size_t>(context)];
    return id == STARPU_NMAX_SCHED_CTXS ? 0 : id;
  }

 private:
  std::vector<unsigned> ids_;  ///< by context of the plan
};

/// x, y and z of the tasks that concern this rank: all on rank 0, where they are at home, on others those that it runs.
class Data {
 public:
  static constexpr std::size_t kBuffers = 3;

  Data(MPI_Comm comm, const Settings& settings, const Plan& plan, int rank)
      : size_(settings.numbers()), handles_(kBuffers * settings.tasks) {
    if (rank == 0) fill(settings);
    for (std::size_t i = 0; i < handles_.size(); ++i) {
      if (rank != 0 && plan.rank_of(i / kBuffers) != rank) continue;
      const bool is_home = rank == 0;
      starpu_vector_data_register(&handles_[i], is_home ? STARPU_MAIN_RAM : -1,
                                  is_home ? reinterpret_cast<uintptr_t>(&numbers_[i * size_]) : 0,
                                  static_cast<std::uint32_t>(size_), sizeof(double));
      starpu_mpi_data_register_comm(handles_[i], static_cast<starpu_mpi_tag_t>(i), 0, comm);
    }
  }
  ~Data() { release(); }
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  [[nodiscard]] starpu_data_handle_t handle(std::size_t task, std::size_t buffer) const {
    return handles_[task * kBuffers + buffer];
  }
  /// Brings what this rank has home to its memory, and forgets the handles.
  void release() {
    for (starpu_data_handle_t& handle : handles_) {
      if (handle != nullptr) starpu_data_unregister(std::exchange(handle, nullptr));
    }
  }
  /// On rank 0, after release(): how many results are wrong.
  [[nodiscard]] std::size_t count_wrong() const {
    std::vector<double> right(size_);
    std::size_t wrong = 0;
    for (std::size_t task = 0; task * kBuffers < handles_.size(); ++task) {
      kernels()[kernel_of(task)].compute(numbers(task, 0), numbers(task, 1), right);
      if (!std::ranges::equal(right, numbers(task, 2))) ++wrong;
    }
    return wrong;
  }

 private:
  [[nodiscard]] std::span<const double> numbers(std::size_t task, std::size_t buffer) const {
    return {&numbers_[(task * kBuffers + buffer) * size_], size_};
  }
  /// Inputs are whole numbers, so that results are exact on any machine; what is not computed is wrong.
  void fill(const Settings& settings) {
    std::mt19937_64 random(settings.seed);
    numbers_.resize(handles_.size() * size_);
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      numbers_[i] = i / size_ % kBuffers == 2 ? -1e9 : static_cast<double>(random() % 100);
  }

  const std::size_t size_;  ///< of a buffer, in numbers
  std::vector<double> numbers_;
  std::vector<starpu_data_handle_t> handles_;
};

/// Told by StarPU of each task that has run on this rank.
struct Counter {
  const Plan& plan;
  std::array<std::atomic<long>, kKernels> tasks{};
  std::vector<std::atomic<long>> in_contexts;
  std::atomic<long> elsewhere = 0;

  explicit Counter(const Plan& of) : plan(of), in_contexts(of.contexts.size()) {}
};
struct Told {
  Counter* counter;
  std::size_t task;
};
void count(void* argument) {
  const Told& told = *static_cast<const Told*>(argument);
  const auto context = static_cast<std::size_t>(told.counter->plan.context[told.task]);
  ++told.counter->tasks[kernel_of(told.task)];
  ++told.counter->in_contexts[context];
  const std::vector<int>& workers = told.counter->plan.contexts[context].workers;
  if (std::ranges::find(workers, starpu_worker_get_id()) == workers.end()) ++told.counter->elsewhere;
}

/// What all ranks have done, on rank 0.
std::vector<Executed> gather(MPI_Comm comm, int rank, const Executed& here) {
  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  std::vector<long> counts(here.tasks.begin(), here.tasks.end());
  counts.insert(counts.end(), here.in_contexts.begin(), here.in_contexts.end());
  counts.push_back(here.elsewhere);
  const std::size_t each = counts.size();
  std::vector<long> all(each * static_cast<std::size_t>(ranks));
  std::vector<double> seconds(static_cast<std::size_t>(ranks));
  MPI_Gather(counts.data(), static_cast<int>(each), MPI_LONG, all.data(), static_cast<int>(each), MPI_LONG, 0, comm);
  MPI_Gather(&here.seconds, 1, MPI_DOUBLE, seconds.data(), 1, MPI_DOUBLE, 0, comm);
  std::vector<Executed> found;
  if (rank != 0) return found;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(i * each);
    Executed& one = found.emplace_back();
    one.seconds = seconds[i];
    std::copy_n(from, kKernels, one.tasks.begin());
    one.in_contexts.assign(from + kKernels, from + static_cast<std::ptrdiff_t>(each) - 1);
    one.elsewhere = all[(i + 1) * each - 1];
  }
  return found;
}

}  // namespace

Outcome execute(MPI_Comm comm, const Settings& settings, const Plan& plan) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Data data(comm, settings, plan, rank);
  Counter counter(plan);
  std::vector<Told> told(settings.tasks);
  Executed here;
  {
    const Contexts contexts(plan, rank);
    MPI_Barrier(comm);
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t task = 0; task < settings.tasks; ++task) {
      const int where = plan.rank_of(task);
      // Rank 0 sends and receives the data of all tasks; other ranks have nothing to do with each other's.
      if (rank != 0 && where != rank) continue;
      told[task] = {&counter, task};
      const int status = starpu_mpi_task_insert(
          comm, kernels()[kernel_of(task)].codelet, STARPU_R, data.handle(task, 0), STARPU_R, data.handle(task, 1),
          STARPU_W, data.handle(task, 2), STARPU_EXECUTE_ON_NODE, where, STARPU_SCHED_CTX,
          contexts.id(plan.context[task]), STARPU_CALLBACK, count, STARPU_CALLBACK_ARG_NFREE, &told[task], 0);
      STARPU_CHECK_RETURN_VALUE(status, "starpu_mpi_task_insert");
    }
    starpu_task_wait_for_all();
    here.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::ranges::copy(counter.tasks, here.tasks.begin());
  here.in_contexts.assign(counter.in_contexts.begin(), counter.in_contexts.end());
  here.elsewhere = counter.elsewhere;
  // What is still to be sent or received is waited for here. Not by starpu_mpi_wait_for_all(): in StarPU 1.3 a rank
  // that believes that all is done may enter its barrier and send nothing any more, while another one still waits.
  data.release();
  Outcome outcome{gather(comm, rank, here)};
  if (rank == 0) outcome.wrong = data.count_wrong();
  return outcome;
}

}  // namespace heddle::starpu::cluster
