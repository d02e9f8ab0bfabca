#include "heddle/runtime/kernel.hpp"

#include <algorithm>

#include "heddle/model/error.hpp"

namespace heddle::runtime {

KernelInfo::KernelInfo(std::string kernel_name, std::vector<Implementation> list)
    : name(std::move(kernel_name)), implementations(std::move(list)) {
  for (auto one = implementations.begin(); one != implementations.end(); ++one) {
    const std::span before(implementations.begin(), one);
    const auto number = 1 + std::ranges::count(before, one->processor, &Implementation::processor);
    if (one->name.empty() && number > 1) one->name = std::to_string(number);
    const auto has_its_name = [&](const Implementation& other) {
      return other.processor == one->processor && other.name == one->name;
    };
    if (std::ranges::any_of(before, has_its_name)) {
      throw InputError("kernel '" + name + "' has two implementations called '" + one->name +
                       "' for one kind of processor");
    }
  }
}

}  // namespace heddle::runtime
