#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "heddle/policy/kit/queues/polling.hpp"
#include "heddle/policy/kit/ranks/released_work.hpp"
#include "heddle/policy/kit/ranks/task_buckets.hpp"
#include "heddle/policy/lookahead.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// What StarPU's heteroprio has learned, and keeps from run to run.
class Learned {
 public:
  Learned(const View& view, const TaskBuckets& buckets)
      : classes_(view.platform().class_count()),
        counts_(buckets.count() * classes_, 0),
        shares_(buckets.count() * classes_, 0),
        busy_(classes_, 0),
        free_(classes_, 0) {}

  /// A task of the bucket ended on a class. Only the last few hundred count.
  void add(BucketId bucket, ClassId c) {
    constexpr std::uint32_t kWindow = 256;
    std::uint32_t all = 0;
    for (std::size_t i = 0; i < classes_; ++i) all += counts_[index(bucket) * classes_ + i];
    all = std::min(all + 1, kWindow);
    std::uint32_t& count = counts_[index(bucket) * classes_ + index(c)];
    count = std::min(count + 1, kWindow);
    double* const shares = &shares_[index(bucket) * classes_];
    shares[index(c)] += 1 / static_cast<double>(std::max(all - 1, std::uint32_t{1}));
    double sum = 0;
    for (std::size_t i = 0; i < classes_; ++i) sum += shares[i];
    for (std::size_t i = 0; i < classes_; ++i) shares[i] /= sum;
  }
  /// How long the workers of a class worked and waited in a whole run.
  void add_times(ClassId c, double busy, double free) {
    busy_[index(c)] += busy;
    free_[index(c)] += free;
  }

  [[nodiscard]] std::uint32_t count(BucketId bucket, ClassId c) const {
    return counts_[index(bucket) * classes_ + index(c)];
  }
  /// Which part of the bucket's tasks ran on the class.
  [[nodiscard]] double share(BucketId bucket, ClassId c) const { return shares_[index(bucket) * classes_ + index(c)]; }
  [[nodiscard]] double busy_part(ClassId c) const {
    const double all = busy_[index(c)] + free_[index(c)];
    return all > 0 ? busy_[index(c)] / all : 0;
  }

 private:
  std::size_t classes_;
  std::vector<std::uint32_t> counts_;
  std::vector<double> shares_;
  std::vector<double> busy_;
  std::vector<double> free_;
};

/// HeteroPrio as StarPU 1.4 has it by default, without data locality:
/// - a bucket per type; the newest task of a bucket goes first;
/// - a worker that comes for a task fills a queue of its own with up to two, where there are as many tasks as workers,
///   and one otherwise; their data is fetched. A worker that finds nothing steals from those of its class;
/// - a class that is slower than an accelerator for a type takes such a task only if enough are ready;
/// - the classes order the types by what they learned in earlier runs, again with every 32nd task. A type that a class
///   has run less than 16 times comes first, so that it is learned. The score is (1 + URT) * (difference of the
///   durations), less the own duration where the class is more in demand than the other.
/// What it would have learned in earlier runs it learns at the start, by looking ahead `runs` times.
class HeteroprioStarpu {
 public:
  static constexpr bool kPolls = true;

  /// `runs`: how many runs to look ahead. `learned`: in earlier ones, if there were any.
  explicit HeteroprioStarpu(std::uint64_t runs, std::optional<Learned> learned = {})
      : runs_(runs), learned_(std::move(learned)) {}

  void start(const View& view) {
    grouping_ = std::make_shared<const Grouping>(view.instance());
    if (!learned_) learned_ = Learned(view, grouping_->buckets);
    ready_.assign(grouping_->buckets.count(), {});
    own_.assign(view.platform().worker_count(), {});
    remaining_.assign(view.platform().class_count(), 0);
    polling_.start(view);
    workers_changed(view);
    for (std::uint64_t run = 0; run < runs_ && view.lookahead() != nullptr; ++run) practise(view);
  }
  void started(const View& view, TaskId, WorkerId worker) { polling_.started(view, worker); }
  void finished(const View& view, std::span<const Completion> completions) {
    polling_.finished(view, completions);
    for (const Completion& completion : completions) {
      learned_->add(bucket(view, completion.task), view.platform().class_of(completion.worker));
    }
  }
  void ready(const View& view, std::span<const TaskId> tasks) {
    polling_.ready(view, tasks, [&](TaskId task) { push(view, task); });
  }
  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) put(view, action.task);
  }
  void workers_changed(const View& view) {
    available_.assign(view.platform().class_count(), 0);
    for (const WorkerId worker : view.platform().workers()) {
      if (view.is_available(worker)) {
        ++available_[view.platform().class_of(worker)];
        continue;
      }
      for (const TaskId task : std::exchange(own_[worker], {})) put(view, task);
    }
  }
  [[nodiscard]] Action next(const View& view) {
    if (!fetches_.empty()) {
      const Action action = fetches_.back();
      fetches_.pop_back();
      return action;
    }
    return polling_.next(
        view, [&](TaskId task) { push(view, task); }, [&](WorkerId worker) { return pop(view, worker); });
  }

 private:
  struct Grouping {
    explicit Grouping(const Instance& instance) : buckets(instance), released(instance, buckets) {}
    TaskBuckets buckets;
    ReleasedWork released;
  };

  [[nodiscard]] BucketId bucket(const View& view, TaskId task) const {
    return grouping_->buckets.bucket(view.instance(), task);
  }

  /// A whole run ahead of this one, to learn from.
  void practise(const View& view) {
    Table<WorkerId, Time> last(view.platform().worker_count(), 0);
    std::vector<double> busy(view.platform().class_count(), 0);
    static_cast<void>(view.lookahead()->run(Policy(HeteroprioStarpu(0, learned_)), [&](const Attempt& attempt) {
      const ClassId c = view.platform().class_of(attempt.worker);
      learned_->add(bucket(view, attempt.task), c);
      busy[index(c)] += static_cast<double>(attempt.end - attempt.start);
      last[attempt.worker] = attempt.end;
      return true;
    }));
    std::vector<double> all(view.platform().class_count(), 0);
    for (const WorkerId worker : last.ids()) {
      all[index(view.platform().class_of(worker))] += static_cast<double>(last[worker]);
    }
    for (const ClassId c : view.platform().classes()) {
      learned_->add_times(c, busy[index(c)], all[index(c)] - busy[index(c)]);
    }
  }

  /// Picoseconds; a millisecond while nothing is known.
  [[nodiscard]] double duration(BucketId bucket, ClassId c) const {
    return learned_->count(bucket, c) > 0 ? grouping_->buckets.mean(bucket, c) : static_cast<double>(kMillisecond);
  }
  [[nodiscard]] ClassId fastest(const View& view, BucketId bucket) const {
    ClassId best = kNone<ClassId>;
    for (const ClassId c : view.platform().classes()) {
      if (!grouping_->buckets.can_run(bucket, c)) continue;
      if (best == kNone<ClassId> || duration(bucket, c) < duration(bucket, best)) best = c;
    }
    return best;
  }

  void order(const View& view) {
    const TaskBuckets& buckets = grouping_->buckets;
    const auto classes = view.platform().classes();
    double mean = 0;
    double tasks = 0;
    for (const BucketId b : buckets.ids()) {
      mean += static_cast<double>(buckets.task_count(b)) * duration(b, fastest(view, b));
      tasks += static_cast<double>(buckets.task_count(b));
    }
    mean /= tasks;
    const auto normalized = [&](BucketId b, ClassId c) { return duration(b, c) / mean; };
    const auto urt = [&](BucketId b, ClassId c) {
      double sum = 0;
      for (const ReleasedWork::Share& share : grouping_->released.shares(b)) {
        if (!buckets.can_run(share.bucket, c)) continue;
        sum += share.normalized * learned_->share(share.bucket, c) * normalized(share.bucket, c);
      }
      return sum;
    };
    Table<ClassId, std::vector<std::pair<double, BucketId>>> scored(view.platform().class_count());
    for (const BucketId b : buckets.ids()) {
      for (const ClassId c : classes) {
        if (!buckets.can_run(b, c)) continue;
        // The slowest of the others.
        ClassId other = kNone<ClassId>;
        for (const ClassId o : classes) {
          if (o == c || !buckets.can_run(b, o)) continue;
          if (other == kNone<ClassId> || duration(b, o) > duration(b, other)) other = o;
        }
        constexpr double kVeryLong = 1e15 * 1e6;
        const double own = normalized(b, c);
        const double theirs = other == kNone<ClassId> ? kVeryLong / mean : normalized(b, other);
        const double need_own = 1 - learned_->busy_part(c);
        const double need_other = 1 - (other == kNone<ClassId> ? 0 : learned_->share(b, other));
        const double released = urt(b, c) * need_own + (other == kNone<ClassId> ? 0 : urt(b, other)) * need_other;
        double score = (1 + released) * (theirs - own) - own * std::max(need_other - need_own, 0.0);
        constexpr std::uint32_t kEnough = 16;
        if (learned_->count(b, c) < kEnough) score += 99999999;
        scored[c].emplace_back(-score, b);
      }
    }
    orders_.assign(scored.size(), {});
    for (const ClassId c : scored.ids()) {
      std::ranges::sort(scored[c]);
      for (const auto& [score, b] : scored[c]) orders_[c].push_back(b);
    }
  }

  void push(const View& view, TaskId task) {
    constexpr std::uint32_t kEvery = 32;
    if (pushed_++ % kEvery == 0) order(view);
    put(view, task);
  }
  void put(const View& view, TaskId task) {
    const BucketId b = bucket(view, task);
    ready_[b].push_back(task);
    count(view, b, 1);
  }
  void count(const View& view, BucketId b, std::int32_t change) {
    for (const ClassId c : view.platform().classes()) {
      if (grouping_->buckets.can_run(b, c)) remaining_[c] += static_cast<std::uint32_t>(change);
    }
  }

  [[nodiscard]] bool may_take(const View& view, BucketId b, ClassId c) const {
    constexpr ClassId kCores{0};
    const ClassId best = fastest(view, b);
    if (best == c || best == kCores || available_[best] == 0) return true;
    return static_cast<double>(ready_[b].size()) / available_[best] >= duration(b, c) / duration(b, best);
  }

  [[nodiscard]] TaskId pop(const View& view, WorkerId worker) {
    const ClassId c = view.platform().class_of(worker);
    std::vector<TaskId>& own = own_[worker];
    constexpr std::size_t kOwn = 2;
    bool added = false;
    if (orders_.empty()) order(view);
    if (remaining_[c] > 0) {
      std::size_t wanted = std::min<std::size_t>(kOwn - own.size(), remaining_[c]);
      if (remaining_[c] < view.platform().worker_count()) wanted = own.empty() ? 1 : 0;
      for (const BucketId b : orders_[c]) {
        while (wanted > 0 && !ready_[b].empty() && may_take(view, b, c)) {
          const TaskId task = ready_[b].back();
          ready_[b].pop_back();
          count(view, b, -1);
          --wanted;
          added = true;
          const auto place = std::ranges::find_if(
              own, [&](TaskId queued) { return view.graph().priority(queued) <= view.graph().priority(task); });
          own.insert(place, task);
        }
      }
    }
    if (!own.empty()) {
      const TaskId task = own.front();
      own.erase(own.begin());
      if (added && remaining_[c] > 0 && view.moves_data()) {
        for (const TaskId queued : own) fetches_.push_back(prefetch(queued, worker));
      }
      return task;
    }
    return steal(view, worker);
  }

  [[nodiscard]] TaskId steal(const View& view, WorkerId thief) {
    const std::size_t workers = view.platform().worker_count();
    for (std::size_t i = 1; i < workers; ++i) {
      const WorkerId victim = make_id<WorkerId>((index(thief) + i) % workers);
      std::vector<TaskId>& own = own_[victim];
      if (own.empty() || view.platform().class_of(victim) != view.platform().class_of(thief)) continue;
      const TaskId task = own.front();
      own.erase(own.begin());
      return task;
    }
    return kNone<TaskId>;
  }

  std::uint64_t runs_;
  std::shared_ptr<const Grouping> grouping_;
  std::optional<Learned> learned_;  ///< nothing before the start
  BucketOrders orders_;
  Table<BucketId, std::vector<TaskId>> ready_;
  Table<WorkerId, std::vector<TaskId>> own_;
  Table<ClassId, std::uint32_t> remaining_;  ///< tasks in the buckets that the class can run
  Table<ClassId, std::uint32_t> available_;
  std::vector<Action> fetches_;
  std::uint32_t pushed_ = 0;
  Polling polling_;
};

}  // namespace

Entry heteroprio_starpu() {
  return {
      .name = "heteroprio-starpu",
      .summary = "HeteroPrio as StarPU 1.4 has it, with what it learned in earlier runs",
      .publication =
          "StarPU 1.4's heteroprio (handbook, scheduling policies); Flint, Paillat and Bramas 2022, "
          "doi:10.7717/peerj-cs.969",
      .complexity = "O(runs (n c b + e)) for b types",
      .options = {integer("runs", "5", 0, 1000,
                          "number of earlier runs to learn from, which are simulated at the start")},
      .needs =
          [](const Options& options) { return Needs{.whole_graph = true, .lookahead = options.integer("runs") > 0}; },
      .make = [](const Setup& setup) { return Policy(HeteroprioStarpu(setup.options.integer("runs"))); }};
}

}  // namespace heddle::policy
