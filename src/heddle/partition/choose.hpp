#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/model/instance.hpp"
#include "heddle/partition/candidates.hpp"
#include "heddle/partition/estimate.hpp"

/// The choice among candidates: as published, by the estimate alone (Gazolla 2017, Procedure 1), or by simulated runs.
namespace heddle::partition {

enum class Method : std::uint8_t { estimate, simulate };
enum class Objective : std::uint8_t { time, energy, product };

/// The words of the command; throw InputError.
[[nodiscard]] Method parse_method(std::string_view text);
[[nodiscard]] Objective parse_objective(std::string_view text);
[[nodiscard]] Reading parse_reading(std::string_view text);

struct Options {
  std::vector<std::string> policies{"eager"};  ///< of contexts for which the candidate names none: one for all of them
  Method method = Method::simulate;
  Objective objective = Objective::time;
  Reading reading = Reading::example;
  std::size_t sample = 2000;  ///< of independent tasks so many of the most frequent type are simulated, at most
  double budget = 0.01;       ///< simulations take at most this part of the estimated run, at kEventSeconds per event
  std::uint64_t seed = 1;
  std::function<void(std::size_t done, std::size_t total)> watch{};  ///< told how many events of the budget are spent
};

/// What an event of a simulation (a task that ends) is taken to cost, in seconds, on any machine: the choice must not
/// depend on how fast this one is.
inline constexpr double kEventSeconds = 1e-6;

/// A candidate with its policies, and what is known of it.
struct Row {
  Candidate candidate;  ///< with a policy for each context
  Estimate estimate;
  std::optional<double> simulated{};  ///< makespan in seconds, of the sample times how much larger the whole is
  std::optional<double> joules{};     ///< simulated, or else estimated; where the platform says what workers draw
  bool given_up = false;              ///< its simulation was ended as soon as it was longer than another one
  std::string objection{};            ///< why it cannot be simulated, in a sentence; mostly empty
};

struct Choice {
  std::vector<Row> rows;  ///< candidate by candidate, policy by policy; then what was tried beyond them
  std::size_t best = 0;
  std::string reason;      ///< in a sentence
  Contexts contexts;       ///< of the best one, with the tasks of the instance
  std::size_t events = 0;  ///< that were simulated
  std::size_t sample = 0;  ///< tasks in each simulation
};

/// Chooses contexts for the tasks of the instance.
///
/// `estimate`: the candidate of the least estimate, the first of equals; that one is simulated as well.
///
/// `simulate`: candidates are simulated on the durations that are believed, each until it takes longer than the best so
/// far. First one context of all workers, which is added where it is missing, and the candidate of the least estimate,
/// with all policies; then the others, those with the best policies first, and among these those of the least
/// estimates. Independent tasks are represented by a sample. Means of contexts that took longer or shorter than
/// estimated are corrected, and the tasks distributed again, as long as that helps. Then single contexts get other
/// policies. The result is never worse, as simulated, than any candidate that was simulated. Nothing depends on the
/// time of day.
///
/// Throws InputError when no candidate can run all tasks, a policy is unknown, or energy is asked for and the platform
/// does not say what its workers draw.
[[nodiscard]] Choice choose(const Instance& instance, const std::vector<Candidate>& candidates,
                            const Options& options = {});

}  // namespace heddle::partition
