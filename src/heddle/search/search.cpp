#include "heddle/search/search.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "heddle/model/countdown.hpp"
#include "heddle/model/error.hpp"
#include "heddle/model/parallel.hpp"
#include "heddle/search/annealing.hpp"

namespace heddle::search {
namespace {

/// What ends a search, and how far it has come.
class Budget {
 public:
  explicit Budget(const Options& options) : options_(options), time_(options.seconds) {
    if (!options.moves && !options.seconds) throw InternalError("a search needs an end: moves or seconds");
  }

  /// From any thread.
  [[nodiscard]] bool out_of_time() const {
    return options_.seconds && time_.elapsed() + reserve_.load(std::memory_order_relaxed) >= *options_.seconds;
  }
  /// So many seconds are needed after the last move.
  void reserve(double seconds) { reserve_ = seconds; }
  void spend(std::uint64_t moves) { moves_ += moves; }
  [[nodiscard]] std::uint64_t spent() const { return moves_; }
  [[nodiscard]] bool over() const { return out_of_time() || (options_.moves && moves_ >= *options_.moves); }
  [[nodiscard]] double elapsed() const { return time_.elapsed(); }
  /// The part that is used up.
  [[nodiscard]] double done() const {
    if (!options_.moves) return time_.part();
    const double tried = static_cast<double>(moves_) / static_cast<double>(*options_.moves);
    return std::max(std::min(tried, 1.0), time_.part());
  }
  /// How many moves the whole search can try; where only time limits it, as many as the speed so far lets expect.
  [[nodiscard]] double expected_moves() const {
    double moves = options_.moves ? static_cast<double>(*options_.moves) : kUnlimited;
    if (options_.seconds && moves_ == 0) moves = std::min(moves, kFirstGuess);
    if (options_.seconds && moves_ > 0) {
      moves = std::min(moves, static_cast<double>(moves_) * *options_.seconds / std::max(time_.elapsed(), kTick));
    }
    return moves;
  }

 private:
  static constexpr double kUnlimited = 1e18;
  static constexpr double kFirstGuess = 1e5;
  static constexpr double kTick = 1e-6;

  const Options& options_;
  std::uint64_t moves_ = 0;
  Countdown time_;
  std::atomic<double> reserve_ = 0;
};

/// An annealing and the start it descends from.
struct Chain {
  std::unique_ptr<Annealing> annealing;
  std::size_t start = 0;
  Time judged = kMaxTime;       ///< the shortest makespan that a plan of it came to
  Time judged_plan = kMaxTime;  ///< what its latest plan that was judged seemed to come to
};

class Search {
 public:
  Search(const Instance& instance, std::span<const Schedule> starts, const Options& options)
      : instance_(instance),
        starts_(starts.begin(), starts.end()),
        options_(options),
        threads_(options.threads),
        budget_(options) {
    const auto shortest = std::ranges::min_element(starts_, {}, &Schedule::makespan);
    start_ = static_cast<std::size_t>(shortest - starts_.begin());
    best_ = as_found(*shortest);
    add_chains();
  }

  Result run() {
    while (!ended()) {
      select();
      run_round();
      judge();
      take_news();
    }
    if (!options_.judge) take_best_chain();
    return {std::move(best_), start_, budget_.spent()};
  }

 private:
  /// The pieces into which the budget is cut: between them chains are given up, and the temperature is set anew.
  static constexpr double kRounds = 50;

  /// How many are followed to the end. Where only time counts, every thread has one.
  [[nodiscard]] std::size_t kept() const {
    constexpr std::size_t kKept = 2;
    return options_.moves ? kKept : std::max(kKept, options_.threads);
  }

  /// Twice as many as are kept: half of them from the first start, one each from the shortest of the others.
  void add_chains() {
    std::vector<std::size_t> order(starts_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](std::size_t a, std::size_t b) { return starts_[a].makespan() < starts_[b].makespan(); });
    for (std::size_t i = 0; i < 2 * kept(); ++i) {
      const std::size_t start = order[i < kept() ? 0 : (i - kept() + 1) % order.size()];
      chains_.push_back(make_chain(start));
    }
  }

  [[nodiscard]] Chain make_chain(std::size_t start) {
    Chain chain{.annealing = std::make_unique<Annealing>(instance_, starts_[start], options_.seed, streams_++),
                .start = start};
    if (!options_.judge) chain.judged = chain.annealing->best_makespan();
    return chain;
  }

  /// A start as it would be found: without attempts that were aborted, and without a judge also without transfers.
  [[nodiscard]] Schedule as_found(const Schedule& start) const {
    return options_.judge ? start : DisjunctiveGraph(instance_, start).schedule();
  }

  /// The best first; of equals the one that was first.
  void rank() { std::ranges::stable_sort(chains_, {}, &Chain::judged); }

  /// Of all that counts.
  [[nodiscard]] Time best() const {
    Time best = best_.makespan();
    for (const Chain& chain : chains_) best = std::min(best, chain.judged);
    return best;
  }

  [[nodiscard]] bool ended() const { return stopped_ || best() <= options_.enough || budget_.over(); }

  /// Without a judge, what the chains have found is what it seems to be.
  void take_best_chain() {
    rank();
    const Chain& chain = chains_.front();
    if (chain.judged > best_.makespan()) return;
    best_ = chain.annealing->best();
    start_ = chain.start;
  }

  void judge() {
    if (options_.judge) {
      carry_out_plans();
    } else {
      for (Chain& chain : chains_) chain.judged = chain.annealing->best_makespan();
    }
  }

  /// The best plan of each chain, if it is a new one. Where only time counts, this takes a part of it.
  void carry_out_plans() {
    constexpr double kPart = 0.2;
    const Countdown all;
    for (Chain& chain : chains_) {
      const Time seems = chain.annealing->best_makespan();
      if (seems == chain.judged_plan || (!options_.moves && judging_ > kPart * budget_.elapsed())) continue;
      const Countdown one;
      Schedule schedule = options_.judge(chain.annealing->best());
      judging_ += one.elapsed();
      chain.judged_plan = seems;
      chain.judged = std::min(chain.judged, schedule.makespan());
      if (schedule.makespan() >= best_.makespan()) continue;
      best_ = std::move(schedule);
      start_ = chain.start;
    }
    budget_.reserve(all.elapsed());
  }

  void take_news() {
    if (!options_.news) return;
    News news = options_.news();
    threads_ = news.threads;
    for (Schedule& start : news.starts) {
      starts_.push_back(std::move(start));
      take_start(starts_.size() - 1);
    }
  }

  /// The chain that has come least far goes on from the start, if that is further.
  void take_start(std::size_t number) {
    const Schedule& start = starts_[number];
    Chain& worst = *std::ranges::max_element(chains_, {}, &Chain::judged);
    if (start.makespan() < worst.judged) worst = make_chain(number);
    if (start.makespan() >= best_.makespan()) return;
    best_ = as_found(start);
    start_ = number;
  }

  /// The worse half of the chains is given up soon.
  void select() {
    constexpr double kSoon = 0.15;
    if (chains_.size() == kept() || budget_.done() < kSoon) return;
    rank();
    chains_.resize(kept());
  }

  /// In mean durations of a task, when a part of the search is over. The more moves there are, the hotter it begins,
  /// but not so hot that what is good in a start is lost: a search seldom finds it again. Measured on tiled
  /// factorizations with 100 to 5,000 tasks.
  [[nodiscard]] double temperature(double done) const {
    const auto tasks = static_cast<double>(instance_.graph.task_count());
    const double hot = std::max(0.02, std::min(0.004 * std::sqrt(budget_.expected_moves()), 2.5) / std::sqrt(tasks));
    return hot * deterministic_exp(std::min(done, 1.0) * kCooling);
  }

  void run_round() {
    const double done = budget_.done();
    const double first = temperature(done);
    const double last = temperature(done + 1 / kRounds);
    const double share = std::ceil(budget_.expected_moves() / kRounds / static_cast<double>(chains_.size()));
    const auto moves = static_cast<std::uint64_t>(share);
    std::vector<std::uint64_t> tried(chains_.size());
    const auto stop = [&] { return stopped_.load(std::memory_order_relaxed) || budget_.out_of_time(); };
    const Time best_before = best();
    crew_.run(
        chains_.size(), threads_,
        [&](std::size_t i) {
          Annealing& annealing = *chains_[i].annealing;
          const double unit = annealing.mean_duration();
          tried[i] = annealing.run(moves, first * unit, last * unit, stop);
        },
        [&](std::size_t) { tell(best_before); });
    for (const std::uint64_t one : tried) budget_.spend(one);
  }

  void tell(Time best) {
    if (options_.progress && !options_.progress({budget_.done(), best, budget_.spent()})) stopped_ = true;
  }

  static constexpr double kCooling = -4.605170185988091;  ///< of the temperature's logarithm: to a hundredth

  const Instance& instance_;
  std::vector<Schedule> starts_;
  const Options& options_;
  std::size_t threads_;
  Budget budget_;
  std::vector<Chain> chains_;
  std::uint64_t streams_ = 0;  ///< of random numbers, one for each annealing
  double judging_ = 0;         ///< seconds
  Schedule best_;              ///< so far
  std::size_t start_ = 0;      ///< that it descends from
  std::atomic<bool> stopped_ = false;
  Crew crew_;  ///< for the rounds
};

}  // namespace

Result improve(const Instance& instance, std::span<const Schedule> starts, const Options& options) {
  if (starts.empty()) throw InternalError("a search needs a schedule to start from");
  return Search(instance, starts, options).run();
}

}  // namespace heddle::search
