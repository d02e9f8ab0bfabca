#pragma once

#include <functional>
#include <optional>

#include "heddle/cli/commands.hpp"
#include "heddle/cli/diagnosed_run.hpp"

namespace heddle::cli {

/// A run with all that is known of it, at a place of its own: what is known points to the run.
class AnalyzedRun {
 public:
  /// `simulates`: changes of the run, too. `stop`: asked often; when it says so, Interrupted is thrown. Of the options
  /// counts what they say of bounds and of limits: with `json`, the number of simulated attempts is the limit, and the
  /// answer the same in every run.
  AnalyzedRun(files::LoadedRun run, const AnalyzeOptions& options, bool simulates, const std::function<bool()>& stop);
  AnalyzedRun(const AnalyzedRun&) = delete;
  AnalyzedRun& operator=(const AnalyzedRun&) = delete;
  ~AnalyzedRun() = default;

  [[nodiscard]] DiagnosedRun diagnosed() const { return {run_, bounds_, diagnosis_, what_if_}; }

 private:
  files::LoadedRun run_;
  analysis::Recording recording_;
  KnownBounds bounds_;
  judge::Diagnosis diagnosis_;
  std::optional<judge::WhatIf> what_if_{};
};

}  // namespace heddle::cli
