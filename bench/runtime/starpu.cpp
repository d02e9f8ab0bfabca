#include <starpu.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "system.hpp"

namespace heddle::bench {
namespace {

Tile tile_of(void* buffer) {
  return {std::bit_cast<double*>(STARPU_MATRIX_GET_PTR(buffer)), STARPU_MATRIX_GET_NX(buffer),
          STARPU_MATRIX_GET_NY(buffer), STARPU_MATRIX_GET_LD(buffer)};
}

/// A codelet for the tasks of one type that read so many tiles; stays where it is, StarPU keeps its address.
struct Codelet {
  Codelet(const Problem& problem_of_all, TypeId type_of_all, std::size_t reads, bool measures)
      : problem(problem_of_all),
        type(type_of_all),
        name("heddle_bench_" + std::string(problem.graph.type_name(type)) + "_" + std::to_string(reads)) {
    starpu_codelet_init(&codelet);
    codelet.cpu_funcs[0] = run;
    codelet.cpu_funcs_name[0] = name.c_str();
    codelet.name = name.c_str();
    codelet.nbuffers = static_cast<int>(reads) + 1;
    for (std::size_t i = 0; i < reads; ++i) codelet.modes[i] = STARPU_R;
    codelet.modes[reads] = STARPU_RW;
    model.type = STARPU_HISTORY_BASED;
    model.symbol = name.c_str();
    if (measures) codelet.model = &model;
  }
  Codelet(const Codelet&) = delete;
  Codelet& operator=(const Codelet&) = delete;

  static void run(void* buffers[], void* self) {
    const auto& codelet = *static_cast<const Codelet*>(self);
    if (codelet.problem.body == nullptr) return;
    std::array<ConstTile, Problem::kMostReads> read;
    const auto reads = static_cast<std::size_t>(codelet.codelet.nbuffers) - 1;
    for (std::size_t i = 0; i < reads; ++i) read[i] = tile_of(buffers[i]);
    codelet.problem.call(codelet.type, std::span(read).first(reads), tile_of(buffers[reads]));
  }

  const Problem& problem;
  TypeId type;
  std::string name;
  starpu_perfmodel model{};
  starpu_codelet codelet{};
};

/// Where StarPU keeps its models: a folder of this process, not the user's.
class Scratch {
 public:
  Scratch() : folder_(std::filesystem::temp_directory_path() / "heddle-bench-XXXXXX") {
    std::string name = folder_.string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a folder like " + name);
    folder_ = name;
    setenv("STARPU_HOME", name.c_str(), 1);
    setenv("STARPU_SILENT", "1", 1);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

 private:
  std::filesystem::path folder_;
};

/// StarPU is one per process.
class Machine {
 public:
  Machine(unsigned workers, const std::string& policy) {
    static const Scratch kScratch;
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.precedence_over_environment_variables = 1;
    conf.ncpus = static_cast<int>(workers);
    conf.ncuda = 0;
    conf.nopencl = 0;
    conf.sched_policy_name = policy.c_str();
    if (starpu_init(&conf) != 0) throw std::runtime_error("StarPU does not start");
  }
  ~Machine() { starpu_shutdown(); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
};

class Starpu : public Session {
 public:
  Starpu(const Problem& problem, unsigned workers, const std::string& policy)
      : problem_(problem), machine_(workers, policy) {
    for (const TypeId type : problem.graph.types()) {
      for (std::size_t reads = 0; reads <= Problem::kMostReads; ++reads) {
        codelets_.push_back(std::make_unique<Codelet>(problem, type, reads, policy == "dmdas"));
      }
    }
    for (const Tile& tile : problem.tiles) {
      starpu_matrix_data_register(&handles_.emplace_back(), STARPU_MAIN_RAM, std::bit_cast<std::uintptr_t>(tile.data),
                                  static_cast<std::uint32_t>(tile.leading), static_cast<std::uint32_t>(tile.rows),
                                  static_cast<std::uint32_t>(tile.columns), sizeof(double));
    }
  }
  ~Starpu() override {
    for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
  }
  Starpu(const Starpu&) = delete;
  Starpu& operator=(const Starpu&) = delete;

  double run() override {
    const Stopwatch watch;
    for (const TaskId task : problem_.graph.tasks()) submit(task);
    starpu_task_wait_for_all();
    return watch.seconds();
  }

 private:
  void submit(TaskId task) {
    const std::span<const Access> uses = problem_.graph.accesses(task);
    Codelet& codelet = *codelets_[index(problem_.graph.type(task)) * (Problem::kMostReads + 1) + uses.size() - 1];
    starpu_task* made = starpu_task_create();
    made->cl = &codelet.codelet;
    made->cl_arg = &codelet;
    made->cl_arg_size = sizeof(Codelet);
    for (std::size_t i = 0; i < uses.size(); ++i) made->handles[i] = handles_[index(uses[i].data)];
    if (starpu_task_submit(made) != 0) throw std::runtime_error("StarPU refuses a task");
  }

  const Problem& problem_;
  std::vector<std::unique_ptr<Codelet>> codelets_;
  std::vector<starpu_data_handle_t> handles_;
  Machine machine_;  ///< writes the codelets' models when it ends
};

}  // namespace

System starpu() {
  return {.name = "starpu",
          .variants = {"eager", "lws", "dmdas"},
          .start = [](const Problem& problem, unsigned workers, const std::string& policy) -> std::unique_ptr<Session> {
            return std::make_unique<Starpu>(problem, workers, policy);
          }};
}

}  // namespace heddle::bench
