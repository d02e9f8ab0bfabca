#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "heddle/host/present.hpp"
#include "heddle/model/instance.hpp"
#include "heddle/model/schedule.hpp"
#include "heddle/policy/policy.hpp"
#include "heddle/policy/registry.hpp"

namespace heddle::sim {

/// How actual durations differ from what the instance says; policies go on believing its estimates.
///
/// `uniform:a` multiplies a duration by U[1 - a, 1 + a]; `lognormal:s` by exp(N(-s^2 / 2, s)), whose mean is 1. Factors
/// are drawn per type and class and stay for the run (the default), or afresh for every execution. Draws are keyed by
/// (seed, type or task, class, attempt), never by the order of events.
class Noise {
 public:
  enum class Shape : std::uint8_t { none, uniform, lognormal };
  enum class Per : std::uint8_t { type, execution };

  Noise() = default;
  /// From "uniform:0.1,per=execution,normalized=true"; "" and "none" are no noise. Throws InputError.
  explicit Noise(std::string_view text);

  [[nodiscard]] bool none() const { return shape_ == Shape::none; }
  /// As the user wrote it; empty for none.
  [[nodiscard]] const std::string& text() const { return text_; }

  /// The durations of one run: `seed` keys every draw. The result is a value; asking it twice gives the same answer.
  class Durations;
  [[nodiscard]] Durations durations(const Instance& instance, std::uint64_t seed) const;

 private:
  void set_option(std::string_view key, std::string_view value);

  std::string text_;
  Shape shape_ = Shape::none;
  double amount_ = 0;
  Per per_ = Per::type;
  bool normalized_ = false;
};

/// The actual durations of one run.
class Noise::Durations {
 public:
  Durations(const Instance& instance, const Noise& noise, std::uint64_t seed);
  /// What the policies believe, as the truth.
  [[nodiscard]] static Durations estimated(const Instance& instance);

  /// How long the given attempt (0 is the first) of a task takes on a class that can run it.
  [[nodiscard]] Time operator()(TaskId task, ClassId c, std::uint32_t attempt) const {
    return per_execution_ ? draw(task, c, attempt) : costs_.actual(task, c);
  }

 private:
  [[nodiscard]] Time draw(TaskId task, ClassId c, std::uint32_t attempt) const;
  [[nodiscard]] double factor(std::uint64_t what, ClassId c, std::uint32_t attempt) const;
  void perturb_types(const Instance& instance);
  void normalize(const Instance& instance);

  Noise noise_;
  std::uint64_t seed_;
  bool per_execution_;
  double scale_ = 1;  ///< for `normalized`: keeps the area bound
  Costs costs_;       ///< per type: perturbed; per execution: as the instance says
};

struct Config {
  Noise noise{};
  std::uint64_t seed = 1;
  /// How many tasks a worker with a memory of its own asks for ahead of the one it runs, so that their data is fetched
  /// meanwhile; for the next one when the data of the last has arrived. Workers that compute in ram, where data is at
  /// home, fetch little, and ask when they are free. Means nothing on a platform without links.
  std::uint32_t ahead = 1;
  /// What policies that abort tasks can have. Holding back predicts hosts that cannot abort, as StarPU.
  host::Aborts aborts = host::Aborts::allowed;
};

/// Runs a policy from start to end in simulated time (Simulation). `plan`: for policies that follow one. Throws
/// InputError when the policy cannot take the instance.
[[nodiscard]] Schedule simulate(const Instance& instance, const policy::Spec& spec, const Config& config = {},
                                const Schedule* plan = nullptr);

/// The same with a policy that has no name in the registry; the schedule calls it `name`. That the policy can take the
/// instance is the caller's to know.
[[nodiscard]] Schedule simulate(const Instance& instance, policy::Policy policy, const std::string& name,
                                const Config& config = {});

/// What policies look ahead with in an engine that describes its present when asked, as host::Rounds wants it. The
/// instance must outlive it.
[[nodiscard]] std::unique_ptr<host::Foresight> foresee(const Instance& instance,
                                                       std::function<host::Present()> present);

}  // namespace heddle::sim
