#include <optional>
#include <taskflow/taskflow.hpp>
#include <vector>

#include "system.hpp"

namespace heddle::bench {
namespace {

/// A taskflow has no access modes: its edges are the dependencies that we know.
void make(tf::Taskflow& flow, const Problem& problem) {
  std::vector<tf::Task> made;
  made.reserve(problem.graph.task_count());
  for (const TaskId task : problem.graph.tasks()) {
    made.push_back(flow.emplace([&problem, task] { problem.run(task); }));
    for (const TaskId before : problem.graph.predecessors(task)) made[index(before)].precede(made.back());
  }
}

class Flow : public Session {
 public:
  Flow(const Problem& problem, unsigned workers, bool again) : problem_(problem), executor_(workers) {
    if (again) make(made_.emplace(), problem);
  }

  double run() override {
    const Stopwatch watch;
    if (made_) {
      executor_.run(*made_).wait();
      return watch.seconds();
    }
    tf::Taskflow flow;
    make(flow, problem_);
    executor_.run(flow).wait();
    return watch.seconds();
  }

 private:
  const Problem& problem_;
  tf::Executor executor_;
  std::optional<tf::Taskflow> made_;
};

}  // namespace

System taskflow() {
  return {
      .name = "taskflow",
      .variants = {"graph made before", "graph made and run"},
      .start = [](const Problem& problem, unsigned workers, const std::string& variant) -> std::unique_ptr<Session> {
        return std::make_unique<Flow>(problem, workers, variant == "graph made before");
      }};
}

}  // namespace heddle::bench
