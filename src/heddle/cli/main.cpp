#include "heddle/cli/command_line.hpp"

int main(int argc, char** argv) {
  return heddle::cli::run(argc, argv);
}
