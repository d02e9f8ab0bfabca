#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <deque>
#include <optional>

#include "system.hpp"

namespace heddle::bench {
namespace {

using tbb::flow::continue_msg;
using tbb::flow::continue_node;

/// A flow graph has no access modes: its edges are the dependencies that we know.
class FlowGraph {
 public:
  explicit FlowGraph(const Problem& problem) {
    for (const TaskId task : problem.graph.tasks()) {
      nodes_.emplace_back(graph_, [&problem, task](const continue_msg&) { problem.run(task); });
      const auto before = problem.graph.predecessors(task);
      for (const TaskId other : before) tbb::flow::make_edge(nodes_[index(other)], nodes_.back());
      if (before.empty()) sources_.push_back(&nodes_.back());
    }
  }

  void run() {
    for (continue_node<continue_msg>* source : sources_) source->try_put(continue_msg());
    graph_.wait_for_all();
  }

 private:
  tbb::flow::graph graph_;
  std::deque<continue_node<continue_msg>> nodes_;
  std::vector<continue_node<continue_msg>*> sources_;
};

class Arena : public Session {
 public:
  Arena(const Problem& problem, unsigned workers, bool again)
      : problem_(problem),
        threads_(tbb::global_control::max_allowed_parallelism, workers),
        arena_(static_cast<int>(workers)) {
    if (again) arena_.execute([this] { made_.emplace(problem_); });
  }
  ~Arena() override {
    arena_.execute([this] { made_.reset(); });
  }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  double run() override {
    double seconds = 0;
    arena_.execute([&] {
      const Stopwatch watch;
      if (made_) {
        made_->run();
        seconds = watch.seconds();
      } else {
        FlowGraph graph(problem_);
        graph.run();
        seconds = watch.seconds();
      }
    });
    return seconds;
  }

 private:
  const Problem& problem_;
  tbb::global_control threads_;
  tbb::task_arena arena_;
  std::optional<FlowGraph> made_;
};

}  // namespace

System tbb() {
  return {
      .name = "tbb",
      .variants = {"graph made before", "graph made and run"},
      .start = [](const Problem& problem, unsigned workers, const std::string& variant) -> std::unique_ptr<Session> {
        return std::make_unique<Arena>(problem, workers, variant == "graph made before");
      }};
}

}  // namespace heddle::bench
