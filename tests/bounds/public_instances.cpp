#include "tests/bounds/public_instances.hpp"

#include <algorithm>
#include <utility>

#include "heddle/io/timed_graph.hpp"
#include "tests/support/test_data.hpp"

namespace heddle::test {
namespace {

Instance on_machine(const std::filesystem::path& path, std::vector<std::uint32_t> workers) {
  io::TimedGraph graph = io::read_hetero_swf(read_file(path), path.filename().string(), kMillisecond);
  workers.resize(graph.columns);
  std::vector<ResourceClass> classes;
  for (const std::uint32_t count : workers) {
    classes.push_back({"class" + std::string(1, static_cast<char>('a' + classes.size())), count, "ram", {}});
  }
  return io::place(std::move(graph), Platform(std::move(classes)));
}

}  // namespace

std::vector<Instance> hetero_swf_instances(const std::filesystem::path& data) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data / "instances/hetero-swf")) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Instance> instances;
  for (const auto& file : files) {
    for (const std::vector<std::uint32_t>& workers : {std::vector<std::uint32_t>{16, 4, 2}, {4, 2, 1}, {64, 32, 16}}) {
      instances.push_back(on_machine(file, workers));
    }
  }
  return instances;
}

}  // namespace heddle::test
