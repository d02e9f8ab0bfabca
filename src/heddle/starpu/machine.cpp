#include "heddle/starpu/machine.hpp"

#include <starpu.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <string>
#include <utility>

namespace heddle::starpu {
namespace {

bool is_cpu(int worker) {
  return starpu_worker_get_type(worker) == STARPU_CPU_WORKER;
}

/// What the device's name has in parentheses, up to its first number with a point: its memory.
std::string model_of(int worker) {
  std::array<char, 256> name{};
  starpu_worker_get_name(worker, name.data(), name.size());
  std::string inside(name.data());
  inside.erase(0, inside.find('(') == std::string::npos ? inside.size() : inside.find('(') + 1);
  std::istringstream words(inside.substr(0, inside.rfind(')')));
  std::string model;
  for (std::string word; words >> word && word.find('.') == std::string::npos;) model += " " + word;
  return model;
}

std::string class_name(int worker, bool splits_cpus) {
  if (is_cpu(worker)) return splits_cpus && worker % 2 == 1 ? "other" : "cpu";
  std::string type = starpu_worker_get_type_as_string(starpu_worker_get_type(worker));
  std::ranges::transform(type, type.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return type.substr(0, type.find(' ')) + model_of(worker);
}

}  // namespace

Machine read_machine(bool splits_cpus) {
  // CPU cores come first, and then the order is of names.
  std::map<std::pair<bool, std::string>, std::vector<int>> classes;
  const int count = static_cast<int>(starpu_worker_get_count());
  for (int worker = 0; worker < count; ++worker) {
    classes[{!is_cpu(worker), class_name(worker, splits_cpus)}].push_back(worker);
  }
  Machine machine;
  machine.here.assign(static_cast<std::size_t>(count), kNone<WorkerId>);
  std::vector<ResourceClass> made;
  for (const auto& [key, workers] : classes) {
    const auto& [is_device, name] = key;
    made.push_back({.name = name, .workers = static_cast<std::uint32_t>(workers.size())});
    if (is_device) made.back().memory = ResourceClass::kEach;
    for (const int worker : workers) {
      machine.here[static_cast<std::size_t>(worker)] = machine.there.push_back(worker);
      machine.asks_early.push_back(is_device);
    }
  }
  machine.platform = Platform(std::move(made));
  return machine;
}

}  // namespace heddle::starpu
