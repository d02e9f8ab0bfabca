#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heddle/runtime/runtime.hpp"
#include "system.hpp"

namespace heddle::bench {
namespace {

using runtime::on_cpu;
using runtime::read;
using runtime::rw;

/// What tasks of one type run, by how many tiles they read.
struct Kernels {
  Kernels(const Problem& problem, TypeId type)
      : none(name(problem, type), on_cpu([&problem, type](Tile written) { problem.call(type, {}, written); })),
        one(name(problem, type),
            on_cpu([&problem, type](ConstTile a, Tile written) { problem.call(type, std::array{a}, written); })),
        two(name(problem, type), on_cpu([&problem, type](ConstTile a, ConstTile b, Tile written) {
              problem.call(type, std::array{a, b}, written);
            })),
        three(name(problem, type), on_cpu([&problem, type](ConstTile a, ConstTile b, ConstTile c, Tile written) {
                problem.call(type, std::array{a, b, c}, written);
              })) {}

  static std::string name(const Problem& problem, TypeId type) { return std::string(problem.graph.type_name(type)); }

  runtime::Kernel<Tile> none;
  runtime::Kernel<ConstTile, Tile> one;
  runtime::Kernel<ConstTile, ConstTile, Tile> two;
  runtime::Kernel<ConstTile, ConstTile, ConstTile, Tile> three;
};

/// Task after task.
class Streamed : public Session {
 public:
  Streamed(const Problem& problem, unsigned workers, const std::string& policy, bool bind)
      : problem_(problem),
        runtime_({.workers = "cpu=" + std::to_string(workers), .policy = policy, .bind = bind, .history = ""}) {
    for (const TypeId type : problem.graph.types()) kernels_.emplace_back(problem, type);
    for (const Tile& tile : problem.tiles) data_.push_back(runtime_.data(tile));
  }

  double run() override {
    const Stopwatch watch;
    submit();
    runtime_.wait();
    return watch.seconds();
  }

 protected:
  [[nodiscard]] runtime::Runtime& runtime() { return runtime_; }
  void submit() {
    for (const TaskId task : problem_.graph.tasks()) submit(task);
  }

 private:
  void submit(TaskId task) {
    const Kernels& kernels = kernels_[index(problem_.graph.type(task))];
    const std::span<const Access> uses = problem_.graph.accesses(task);
    const auto data = [&](std::size_t i) -> const auto& { return data_[index(uses[i].data)]; };
    switch (uses.size()) {
      case 1:
        runtime_.submit(kernels.none, rw(data(0)));
        break;
      case 2:
        runtime_.submit(kernels.one, read(data(0)), rw(data(1)));
        break;
      case 3:
        runtime_.submit(kernels.two, read(data(0)), read(data(1)), rw(data(2)));
        break;
      default:
        runtime_.submit(kernels.three, read(data(0)), read(data(1)), read(data(2)), rw(data(3)));
    }
  }

  const Problem& problem_;
  runtime::Runtime runtime_;
  std::vector<Kernels> kernels_;
  std::vector<runtime::Data<Tile>> data_;
};

/// Recorded before, run again.
class Recorded : public Streamed {
 public:
  Recorded(const Problem& problem, unsigned workers, const std::string& policy)
      : Streamed(problem, workers, policy, runtime::Config().bind), graph_(runtime().record([this] { submit(); })) {}

  double run() override {
    const Stopwatch watch;
    runtime().run(graph_);
    runtime().wait();
    return watch.seconds();
  }

 private:
  runtime::Graph graph_;
};

std::unique_ptr<Session> start(const Problem& problem, unsigned workers, const std::string& variant) {
  const std::size_t comma = variant.find(", ");
  const std::string policy = variant.substr(0, comma);
  if (variant.ends_with(", recorded")) return std::make_unique<Recorded>(problem, workers, policy);
  const bool bind = comma == std::string::npos ? runtime::Config().bind : variant.ends_with(", bound");
  return std::make_unique<Streamed>(problem, workers, policy, bind);
}

}  // namespace

System heddle() {
  return {.name = "heddle",
          .variants = {"heteroprio-dep", "dmdas", "heteroprio-dep:priority=due", "dmdas:priority=due", "eager", "lws",
                       "heteroprio-dep, recorded", "dmdas, recorded", "dmdas, bound", "dmdas, not bound"},
          .start = start};
}

}  // namespace heddle::bench
