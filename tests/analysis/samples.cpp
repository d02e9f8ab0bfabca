#include "tests/analysis/samples.hpp"

#include "heddle/io/instance_file.hpp"
#include "heddle/io/schedule_file.hpp"

namespace heddle::test {

Instance four_tasks() {
  return io::read_instance(R"({"format": "heddle-instance", "version": 1, "name": "four tasks",
    "platform": {
      "classes": [{"name": "cpu", "workers": 2}, {"name": "gpu", "workers": 1, "memory": "each"}],
      "links": [{"from": "ram", "to": "gpu0", "bandwidth": 1e9, "latency": 0},
                {"from": "gpu0", "to": "ram", "bandwidth": 1e9, "latency": 0}]},
    "types": [{"name": "P", "seconds": {"cpu": 2}}, {"name": "Q", "seconds": {"cpu": 4, "gpu": 1}},
              {"name": "R", "seconds": {"cpu": 3}}, {"name": "S", "seconds": {"cpu": 1}}],
    "data": [{"name": "A", "bytes": 1000000000}],
    "tasks": [{"name": "p", "type": "P", "access": [["A", "w"]]}, {"name": "q", "type": "Q", "access": [["A", "r"]]},
              {"name": "r", "type": "R"}, {"name": "s", "type": "S", "after": ["q"]}]})",
                           "four tasks");
}

Schedule four_tasks_schedule(const Instance& instance) {
  return io::read_schedule(R"({"format": "heddle-schedule", "version": 1, "instance": "four tasks", "attempts": [
      {"task": "p", "worker": "cpu0", "start": 0, "end": 2, "outcome": "completed"},
      {"task": "r", "worker": "cpu1", "start": 1, "end": 4, "outcome": "completed"},
      {"task": "q", "worker": "gpu0", "start": 3, "end": 4, "outcome": "completed"},
      {"task": "s", "worker": "cpu0", "start": 4, "end": 4.5, "outcome": "aborted"},
      {"task": "s", "worker": "cpu1", "start": 5, "end": 6, "outcome": "completed"}],
    "transfers": [{"data": "A", "from": "ram", "to": "gpu0", "start": 2, "end": 3, "bytes": 1000000000}]})",
                           "four tasks", instance)
      .schedule;
}

}  // namespace heddle::test
