#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace heddle::runtime {

/// Instance files tell tasks, and types, apart by their names: of equal ones, the second is called "name#2".
class UniqueNames {
 public:
  [[nodiscard]] std::string operator()(const std::string& name) {
    std::uint64_t& repeated = repeated_[name];
    std::string unique = name;
    while (!given_.insert(unique).second) unique = name + "#" + std::to_string(++repeated + 1);
    return unique;
  }

 private:
  std::unordered_set<std::string> given_;
  std::unordered_map<std::string, std::uint64_t> repeated_;
};

}  // namespace heddle::runtime
