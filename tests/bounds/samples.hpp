#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::test {

/// A task of a hand-made instance: its type, its durations by class, and the numbers of the tasks it waits for.
struct SampleTask {
  std::string type;
  std::vector<Time> durations;
  std::vector<std::size_t> after;
};

/// An instance on classes "a", "b", ... with so many workers.
[[nodiscard]] Instance sample_instance(const std::vector<std::uint32_t>& workers, const std::vector<SampleTask>& tasks);

}  // namespace heddle::test
