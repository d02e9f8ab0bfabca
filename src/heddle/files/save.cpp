#include "heddle/files/save.hpp"

#include <filesystem>

#include "heddle/files/files.hpp"
#include "heddle/io/dot.hpp"
#include "heddle/io/file.hpp"
#include "heddle/io/instance_file.hpp"
#include "heddle/io/platform_file.hpp"
#include "heddle/io/schedule_file.hpp"
#include "heddle/io/timed_graph.hpp"
#include "heddle/model/error.hpp"

namespace heddle::files {

std::optional<Target> target_of(const std::string& path, Target json) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  if (suffix == ".dot" || suffix == ".gv") return Target::dot;
  if (suffix == ".swf" || suffix == ".txt") return Target::hetero_swf;
  if (suffix == ".json") return json;
  return std::nullopt;
}

std::string write(const Instance& instance, Target target) {
  switch (target) {
    case Target::instance:
      return io::write_instance(instance);
    case Target::hetero_swf:
      return io::write_hetero_swf(instance);
    case Target::dot:
      return io::write_dot(instance.graph, instance.name);
    case Target::platform:
      break;
  }
  throw InputError("an instance cannot be written as heddle-platform");
}

void save(const Instance& instance, const std::string& path) {
  const std::optional<Target> target = target_of(path, Target::instance);
  if (!target)
    throw InputError("the suffix of '" + path + "' names no format; expected .json, .swf, .txt, .dot or .gv");
  io::write_file(path, write(instance, *target));
}

void save(const Schedule& schedule, const Instance& instance, const std::string& path) {
  io::write_file(path, io::write_schedule(schedule, instance));
}

void save(const Machine& machine, const std::string& path) {
  io::write_file(path, io::write_platform(machine));
}

LoadedSchedule load_schedule(const std::string& path, const Instance& instance, const Reading& reading) {
  const File file = read(path, "heddle-schedule", reading);
  io::ScheduleFile found = io::read_schedule(file.content, file.path, instance);
  return {file.path, std::move(found.schedule), found.stated_makespan};
}

}  // namespace heddle::files
