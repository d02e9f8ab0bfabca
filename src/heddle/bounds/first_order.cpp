#include "heddle/bounds/first_order.hpp"

#include <algorithm>
#include <utility>

#include "heddle/bounds/primal_dual.hpp"
#include "heddle/bounds/regret_matching.hpp"
#include "heddle/bounds/saddle_point.hpp"
#include "heddle/bounds/slack.hpp"

namespace heddle::bounds {
namespace {

class Steps {
 public:
  Steps(const Instance& instance, const Options& options, const Countdown& countdown, Bound& best)
      : instance_(instance),
        options_(options),
        countdown_(countdown),
        best_(best),
        problem_(instance, static_cast<double>(best.value)) {}

  bool close() {
    // Regret matching slows down after that, if it has not come to the end.
    constexpr int kRegretLooks = 30;
    constexpr int kPrimalDualLooks = 300;
    RegretMatching game(problem_);
    if (close(game, kRegretLooks)) return true;
    if (countdown_.over()) return false;
    PrimalDual gradients(problem_, game.solution());
    return close(gradients, kPrimalDualLooks);
  }

 private:
  /// Every hundred steps, looks at what is proven, and now and then at whether that is all.
  template <class Method>
  bool close(Method& method, int looks) {
    constexpr int kLooksPerFit = 4;
    for (int look = 1; look <= looks; ++look) {
      if (!run(method)) return false;
      const Solution solution = method.solution();
      raise(proven_bound(problem_, solution));
      if (look % kLooksPerFit == 0 && fits(solution)) return true;
    }
    return false;
  }

  /// False when time was over.
  template <class Method>
  bool run(Method& method) const {
    constexpr int kParts = 20;
    for (int part = 0; part < kParts; ++part) {
      if (countdown_.over()) return false;
      method.run(5);
    }
    return true;
  }

  void raise(Bound bound) {
    if (bound.value <= best_.value) return;
    bound.use = std::move(best_.use);
    best_ = std::move(bound);
    best_.exact = false;
  }

  bool fits(const Solution& solution) {
    const double deadline = static_cast<double>(best_.value + 1) * (1 + options_.tolerance / 2);
    auto use = fit_near(instance_, deadline, durations(problem_, solution));
    best_.exact = use.has_value();
    if (use) best_.use = std::move(*use);
    return best_.exact;
  }

  const Instance& instance_;
  const Options& options_;
  const Countdown& countdown_;
  Bound& best_;
  SaddlePoint problem_;
};

}  // namespace

bool close_by_steps(const Instance& instance, const Options& options, const Countdown& countdown, Bound& best) {
  return Steps(instance, options, countdown, best).close();
}

}  // namespace heddle::bounds
