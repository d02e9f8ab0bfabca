#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"

namespace heddle::test {

/// A tiny instance and what is expected to happen on it, as text. Times are picoseconds. Lines:
///   # comment
///   policy SPEC
///   ahead N
///   class NAME WORKERS [MEMORY [BYTES]]
///   link FROM TO LATENCY [BUS]        a byte per picosecond
///   bus NAME                          a byte per picosecond
///   datum NAME BYTES [HOME] [write_back]
///   task NAME [type=NAME] CLASS=DURATION... [after=A,B] [r=DATA,...] [w=...] [rw=...] [commute=...] [reduce=...]
///   expect
/// and after that what describe() says.
class Scenario {
 public:
  explicit Scenario(const std::filesystem::path& file);

  [[nodiscard]] Instance instance();

  std::string policy;
  std::uint32_t ahead = 1;
  std::string expected;

 private:
  void read(const std::string& line);
  void read_task(std::istringstream& words);
  [[nodiscard]] TypeId type_of(const std::string& name);

  bool expecting_ = false;
  std::vector<ResourceClass> classes_;
  std::vector<Link> links_;
  std::vector<Bus> buses_;
  std::map<std::string, TypeId> types_;
  std::map<std::string, DataId> data_;
  TaskGraphBuilder builder_;
  std::map<std::string, TaskId> tasks_;
  std::vector<std::map<std::string, Time>> durations_;
};

/// A line per attempt, in the order in which they end: "START END WORKER TASK OUTCOME"; then one per transfer: "START
/// END FROM TO DATUM".
[[nodiscard]] std::string describe(const Instance& instance, const Schedule& schedule);

}  // namespace heddle::test
