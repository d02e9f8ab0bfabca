#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

namespace heddle::starpu {

/// Gives each task a name of its own, by which it is found again in another run of the program: "potrf#3" is the fourth
/// that is submitted of those that StarPU calls "potrf".
class TaskNames {
 public:
  [[nodiscard]] std::string operator()(const std::string& name) { return name + "#" + std::to_string(count_[name]++); }

 private:
  std::unordered_map<std::string, std::size_t> count_;
};

}  // namespace heddle::starpu
