// heddle_describe FOLDER DATE: writes the manual pages and the completions of the command into FOLDER, as they are
// installed below share/. The build runs it.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "heddle/cli/command_table.hpp"
#include "heddle/cli/describe/describe.hpp"

namespace {

using namespace heddle::cli;
using Path = std::filesystem::path;

void write(const Path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text << std::flush;
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

void write_pages(const CLI::App& command, const Path& folder, const std::string& date) {
  write(folder / (page_name(command) + ".1"), man_page(command, date));
  for (const CLI::App* sub : commands_of(command)) write_pages(*sub, folder, date);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: heddle_describe FOLDER DATE\n", stderr);
    return 2;
  }
  try {
    CLI::App program;
    Chosen chosen;
    declare_commands(program, chosen);
    const Path folder = argv[1];
    std::filesystem::remove_all(folder);  // no page of a command that is gone
    write_pages(program, folder / "man" / "man1", argv[2]);
    write(folder / "bash-completion" / "completions" / "heddle", bash_completion(program));
    write(folder / "zsh" / "site-functions" / "_heddle", zsh_completion(program));
    write(folder / "fish" / "vendor_completions.d" / "heddle.fish", fish_completion(program));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "heddle_describe: %s\n", error.what());
    return 1;
  }
}
