#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace heddle::cli {

/// How --help looks: names in one column, sentences beside them, wrapped.
class HelpFormat : public CLI::Formatter {
 public:
  explicit HelpFormat(std::size_t width);

  [[nodiscard]] std::string make_description(const CLI::App* app) const override;
  [[nodiscard]] std::string make_option(const CLI::Option* option, bool is_positional) const override;
  [[nodiscard]] std::string make_subcommand(const CLI::App* command) const override;

 private:
  [[nodiscard]] std::string entry(const std::string& title, const std::string& text, std::size_t column) const;

  std::size_t width_;
};

}  // namespace heddle::cli
