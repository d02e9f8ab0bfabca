#include <starpu.h>
#include <starpu_profiling.h>

#include <numeric>

#include "heddle/starpu/cluster/cluster.hpp"

namespace heddle::starpu::cluster {
namespace {

/// Of each kernel, on each worker. The first is left out of the mean: it warms up caches and pages.
constexpr int kTasks = 6;

/// Data of this rank alone.
class Buffer {
 public:
  explicit Buffer(std::size_t size) : numbers_(size, 1.0) {
    starpu_vector_data_register(&handle_, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(numbers_.data()),
                                static_cast<std::uint32_t>(size), sizeof(double));
  }
  ~Buffer() { starpu_data_unregister(handle_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] starpu_data_handle_t handle() const { return handle_; }

 private:
  std::vector<double> numbers_;
  starpu_data_handle_t handle_{};
};

/// What a task takes in the context, in seconds.
double measure(const Kernel& kernel, std::size_t numbers, unsigned context) {
  const Buffer x(numbers);
  const Buffer y(numbers);
  const Buffer z(numbers);
  double seconds = 0;
  for (int i = 0; i < kTasks; ++i) {
    starpu_task* const task = starpu_task_create();
    task->cl = kernel.codelet;
    task->handles[0] = x.handle();
    task->handles[1] = y.handle();
    task->handles[2] = z.handle();
    task->sched_ctx = context;
    task->synchronous = 1;
    task->destroy = 0;
    STARPU_CHECK_RETURN_VALUE(starpu_task_submit(task), "starpu_task_submit");
    starpu_profiling_task_info* const info = task->profiling_info;
    if (i > 0) seconds += starpu_timing_timespec_delay_us(&info->start_time, &info->end_time) * 1e-6;
    starpu_task_destroy(task);
  }
  return seconds / (kTasks - 1);
}

}  // namespace

std::vector<Machine> calibrate(MPI_Comm comm, const Settings& settings) {
  std::vector<int> workers(starpu_worker_get_count());
  std::iota(workers.begin(), workers.end(), 0);
  Machine here{static_cast<int>(workers.size())};
  starpu_profiling_status_set(STARPU_PROFILING_ENABLE);
  for (int& worker : workers) {
    const unsigned context =
        starpu_sched_ctx_create(&worker, 1, "calibration", STARPU_SCHED_CTX_POLICY_NAME, "eager", 0);
    for (std::size_t k = 0; k < kKernels; ++k)
      here.seconds[k] += measure(kernels()[k], settings.numbers(), context) / static_cast<double>(workers.size());
    starpu_sched_ctx_delete(context);
  }
  starpu_profiling_status_set(STARPU_PROFILING_DISABLE);

  int ranks = 0;
  MPI_Comm_size(comm, &ranks);
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  std::vector<double> seconds(counts.size() * kKernels);
  MPI_Allgather(&here.workers, 1, MPI_INT, counts.data(), 1, MPI_INT, comm);
  MPI_Allgather(here.seconds.data(), kKernels, MPI_DOUBLE, seconds.data(), kKernels, MPI_DOUBLE, comm);
  std::vector<Machine> machines(counts.size());
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    machines[rank].workers = counts[rank];
    for (std::size_t k = 0; k < kKernels; ++k) machines[rank].seconds[k] = seconds[rank * kKernels + k];
  }
  return machines;
}

}  // namespace heddle::starpu::cluster
