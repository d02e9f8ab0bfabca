#include "heddle/cli/command_line.hpp"
#include "heddle/cli/keep_memory.hpp"

int main(int argc, char** argv) {
  heddle::cli::keep_memory();
  return heddle::cli::run(argc, argv);
}
