#pragma once

#include <filesystem>
#include <vector>

#include "heddle/model/instance.hpp"

namespace heddle::test {

/// Every hetero-swf file of the outside data, each on a few machines.
[[nodiscard]] std::vector<Instance> hetero_swf_instances(const std::filesystem::path& data);

}  // namespace heddle::test
