#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heddle/model/platform.hpp"
#include "heddle/runtime/history.hpp"
#include "heddle/runtime/models/power_law.hpp"
#include "heddle/runtime/submission/task_type.hpp"

namespace heddle::runtime {

/// What is known of the durations of one kernel, by the shapes of its data. Kernels of one name on elements of unlike
/// sizes (float and double) are as unlike as two kernels.
class KernelModel {
 public:
  struct Durations {
    Estimate measured;
    std::uint64_t resumed = 0;  ///< so many of the measurements are of former runs
  };
  /// By class, and by the name of the implementation.
  using Signature = std::vector<std::map<std::string, Durations>>;

  /// How the duration on a class, with the quickest implementation, depends on the size of the data; nothing unless it
  /// was measured. While few shapes were, all that was measured counts; later, the fit may be older by as many
  /// questions as an eighth of the shapes, so that a question costs the same however many there are.
  [[nodiscard]] const std::optional<PowerLaw>& law(std::size_t c);
  /// An implementation was measured on a class at these shapes, for the first time.
  void note_measured(const std::vector<Shape>& shapes, std::size_t c);

  std::map<std::vector<Shape>, Signature> signatures;

 private:
  /// Of a class.
  struct Fit {
    std::vector<const std::pair<const std::vector<Shape>, Signature>*> measured;  ///< in the order of first measurement
    std::size_t questions = 0;                                                    ///< since the law was fitted
    std::optional<PowerLaw> law;
  };

  std::vector<Fit> fits_;  ///< by class, as far as something was measured
};

/// What all data of a task have together, in bytes: what durations are a function of where they were not measured.
[[nodiscard]] double size_of(std::span<const Shape> shapes);

/// What is known of all durations: of this run, which goes on from what a history tells of those before. Guarded by the
/// engine's lock.
class PerformanceModel {
 public:
  /// Histories that cannot be read or written are reported to `warn`, and done without; one that cannot be read is not
  /// written, either.
  PerformanceModel(const Platform& platform, std::optional<History> history, History::Warn warn = {});

  /// Gives types that it has not seen their estimates.
  void adopt(std::span<TaskType* const> types);
  /// Adds to the history what was measured since the begin, or since the last call.
  void save();

 private:
  [[nodiscard]] KernelModel& model_of(const std::string& kernel, std::span<const Shape> shapes);
  [[nodiscard]] KernelModel::Signature& signature_of(KernelModel& model, const std::vector<Shape>& shapes) const;
  void load();

  std::vector<std::string> classes_;  ///< their names
  std::optional<History> history_;
  History::Warn warn_;
  /// By name and sizes of elements.
  std::map<std::pair<std::string, std::vector<std::size_t>>, KernelModel> models_;
};

}  // namespace heddle::runtime
