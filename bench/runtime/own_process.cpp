#include "own_process.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>

namespace heddle::bench {

double resident() {
  double size = 0;
  double pages = 0;
  std::ifstream("/proc/self/statm") >> size >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double in_own_process(const std::function<void()>& function) {
  std::cout.flush();
  const pid_t child = fork();
  if (child == 0) {
    int status = 0;
    try {
      function();
      std::cout.flush();
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\n";
      status = 1;
    }
    _exit(status);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0)
    throw std::runtime_error("the memory of a process of its own could not be measured");
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

}  // namespace heddle::bench
