#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/policy/kit/learning/execution_record.hpp"
#include "heddle/policy/kit/queues/bucket_queues.hpp"
#include "heddle/policy/kit/ranks/priority_heuristics.hpp"
#include "heddle/policy/kit/ranks/released_work.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// AutoHeteroprio: HeteroPrio with a bucket per type of task whose lists are computed while it runs. A heuristic scores
/// each bucket for each class from what is known of its tasks (BucketMetrics) and of the run so far: which part of
/// each type was executed where, and how idle each class has been. The lists are computed anew when a task comes of a
/// type never seen before, and with every n-th task.
///
/// What the paper averages over the tasks of a type comes from the whole graph (degrees) and, for durations, from the
/// estimates: what a calibrated history holds. With costs=measured it comes from the executions so far as in "Execution
/// time prediction"; a duration that was never seen is then 100,000 s, or the shortest that was seen elsewhere.
/// What was never executed is taken to release no known work: its execution proportions are 0.
///
/// Where tasks arrive while others run, it goes on with what it measured in the runs before, on types of the same name.
///
/// For any number of classes (bucket_metrics). Slowdown factors are those of the durations in use; the paper's
/// emulation has none. The service order is the usual one: the class listed last first.
class AutoHeteroprio {
 public:
  struct Settings {
    Heuristic heuristic = Heuristic::prws;
    Reading reading = Reading::formula;
    Hyperparameters parameters;
    std::uint64_t every = 32;
    bool measured = false;
    bool fastest_for_unknown = false;
  };

  AutoHeteroprio(const Settings& settings, bool slowdown, std::optional<Locality> locality)
      : settings_(settings), queues_(slowdown, locality) {}

  void recall(const AutoHeteroprio& before) {
    if (before.buckets_ == nullptr) return;
    learned_ = std::make_shared<const Learned>(
        Learned{kinds(*before.instance_, *before.buckets_), before.record_, before.seen_, before.pushed_});
  }

  void start(const View& view) {
    instance_ = &view.instance();
    auto buckets = std::make_shared<const TaskBuckets>(view.instance());
    released_ = std::make_shared<const ReleasedWork>(view.instance(), *buckets);
    buckets_ = buckets;
    record_.start(view, buckets->count());
    seen_.assign(buckets->count(), false);
    if (learned_) take_over(view, *std::exchange(learned_, nullptr));
    queues_.start(view, std::move(buckets), computed_orders(view));
  }

  void ready(const View& view, std::span<const TaskId> tasks) {
    bool due = false;
    for (const TaskId task : tasks) {
      const BucketId bucket = buckets_->bucket(view.instance(), task);
      due |= !seen_[bucket];
      seen_[bucket] = true;
      if (++pushed_ < settings_.every) continue;
      pushed_ = 0;
      due = true;
    }
    // Nothing is measured while a batch comes: once for all of it is the same as after each n-th.
    if (due) order(view);
    for (const TaskId task : tasks) queues_.push(view, task);
  }

  void started(const View& view, TaskId, WorkerId worker) { record_.started(view, worker); }
  void finished(const View& view, std::span<const Completion> completions) {
    record_.finished(view, *buckets_, completions);
    queues_.finished(completions);
  }
  void aborted(const View& view, TaskId, WorkerId worker) { record_.aborted(view, worker); }
  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) queues_.put_back(view, action.task);
  }
  void workers_changed(const View& view) { queues_.workers_changed(view); }
  [[nodiscard]] Action next(const View& view) { return queues_.serve(view); }

 private:
  /// What there is of a bucket in every run: the name of its type, and the classes that can run it.
  using Kind = std::pair<std::string, std::vector<bool>>;
  /// In the run before.
  struct Learned {
    std::map<Kind, BucketId> buckets;
    ExecutionRecord record;
    Table<BucketId, bool> seen;
    std::uint64_t pushed;
  };

  /// Those of which there is one bucket only.
  [[nodiscard]] static std::map<Kind, BucketId> kinds(const Instance& instance, const TaskBuckets& buckets) {
    std::map<Kind, BucketId> kinds;
    for (const BucketId bucket : buckets.ids()) {
      Kind kind{std::string(instance.graph.type_name(buckets.type(bucket))), {}};
      for (const ClassId c : instance.platform.classes()) kind.second.push_back(buckets.can_run(bucket, c));
      const auto [found, is_new] = kinds.try_emplace(std::move(kind), bucket);
      if (!is_new) found->second = kNone<BucketId>;
    }
    std::erase_if(kinds, [](const auto& one) { return one.second == kNone<BucketId>; });
    return kinds;
  }

  void take_over(const View& view, const Learned& learned) {
    Table<BucketId, BucketId> earlier(buckets_->count(), kNone<BucketId>);
    for (const auto& [kind, bucket] : kinds(view.instance(), *buckets_)) {
      const auto found = learned.buckets.find(kind);
      if (found == learned.buckets.end()) continue;
      earlier[bucket] = found->second;
      seen_[bucket] = learned.seen[found->second];
    }
    pushed_ = learned.pushed;
    record_.recall(view, learned.record, earlier);
  }

  [[nodiscard]] bool is_known(BucketId bucket, ClassId c) const {
    return settings_.measured ? record_.executions(bucket, c) > 0 : buckets_->can_run(bucket, c);
  }
  [[nodiscard]] double known(BucketId bucket, ClassId c) const {
    return settings_.measured ? std::max(record_.mean(bucket, c), 1.0) : buckets_->mean(bucket, c);
  }

  /// By class, in picoseconds.
  [[nodiscard]] std::vector<double> durations(const View& view, BucketId bucket) const {
    constexpr double kNeverSeen = 1e5 * static_cast<double>(kSecond);
    double least = kNeverSeen;
    for (const ClassId c : view.platform().classes()) {
      if (settings_.fastest_for_unknown && is_known(bucket, c)) least = std::min(least, known(bucket, c));
    }
    std::vector<double> row;
    for (const ClassId c : view.platform().classes()) row.push_back(is_known(bucket, c) ? known(bucket, c) : least);
    return row;
  }

  [[nodiscard]] RunKnowledge knowledge(const View& view) const {
    RunKnowledge known;
    for (const ClassId c : view.platform().classes()) known.idle.push_back(record_.idle_proportion(view, c));
    for (const BucketId bucket : buckets_->ids()) {
      known.durations.push_back(durations(view, bucket));
      std::vector<double> proportions;
      for (const ClassId c : view.platform().classes()) proportions.push_back(record_.proportion(bucket, c));
      known.proportions.push_back(std::move(proportions));
    }
    normalize(*buckets_, known.durations);
    return known;
  }

  [[nodiscard]] BucketOrders computed_orders(const View& view) const {
    const RunKnowledge known = knowledge(view);
    Table<ClassId, std::vector<std::pair<double, BucketId>>> scored(view.platform().class_count());
    for (const BucketId bucket : buckets_->ids()) {
      const std::vector<BucketMetrics> metrics = bucket_metrics(*buckets_, *released_, known, bucket);
      for (const ClassId c : view.platform().classes()) {
        if (!buckets_->can_run(bucket, c)) continue;
        const double score =
            priority_score(settings_.heuristic, metrics[index(c)], settings_.reading, settings_.parameters);
        scored[c].emplace_back(-score, bucket);
      }
    }
    BucketOrders orders(scored.size());
    for (const ClassId c : scored.ids()) {
      std::ranges::sort(scored[c]);
      for (const auto& [score, bucket] : scored[c]) orders[c].push_back(bucket);
    }
    return orders;
  }

  void order(const View& view) {
    BucketOrders orders = computed_orders(view);
    if (orders != queues_.orders()) queues_.set_orders(view, std::move(orders));
    if (settings_.measured) queues_.set_speeds(measured_speeds(view));
  }

  /// A class that was never seen to run a bucket is not held back: else it never would be.
  [[nodiscard]] Table<BucketId, BucketSpeed> measured_speeds(const View& view) const {
    const std::size_t classes = view.platform().class_count();
    Table<BucketId, BucketSpeed> speeds(buckets_->count(), {kNone<ClassId>, std::vector<double>(classes, 1)});
    for (const BucketId bucket : buckets_->ids()) {
      BucketSpeed& speed = speeds[bucket];
      for (const ClassId c : view.platform().classes()) {
        if (!is_known(bucket, c)) continue;
        if (speed.fastest == kNone<ClassId> || known(bucket, c) < known(bucket, speed.fastest)) speed.fastest = c;
      }
      for (const ClassId c : view.platform().classes()) {
        if (is_known(bucket, c)) speed.slowdown[index(c)] = known(bucket, c) / known(bucket, speed.fastest);
      }
    }
    return speeds;
  }

  Settings settings_;
  std::shared_ptr<const Learned> learned_;  ///< until the start
  const Instance* instance_ = nullptr;
  std::shared_ptr<const TaskBuckets> buckets_;
  std::shared_ptr<const ReleasedWork> released_;
  ExecutionRecord record_;
  BucketQueues queues_;
  Table<BucketId, bool> seen_;
  std::uint64_t pushed_ = 0;  ///< tasks since the last n-th
};

}  // namespace

Entry auto_heteroprio() {
  constexpr double kMost = 1e6;
  std::vector<Option> options = {
      choice("heuristic", "prws",
             {"prws", "purws", "offset", "softplus", "interpolation", "ntc", "nod", "urt", "difference",
              "relative-difference"},
             "how a class scores a type: the six heuristics of the paper (prws to ntc), or one of the metrics that "
             "they combine"),
      choice("reading", "formula", {"formula", "prose", "software"},
             "which version to follow where the paper contradicts itself (prws, purws, interpolation, ntc): its "
             "formulas, its prose, or its authors' code in StarPU"),
      integer("every", "32", 1, 1'000'000'000, "number of ready tasks after which the priorities are computed again"),
      number("offset-alpha", "1.3", -kMost, kMost, "offset model: added to the useful released time"),
      number("offset-beta", "1", -kMost, kMost, "offset model: added to the difference of the durations"),
      number("ntc-alpha", "0.3", -kMost, kMost, "NOD-time combination: weight of the out-degree"),
      number("ntc-beta", "0.5", 0, kMost,
             "NOD-time combination: how fast the out-degree loses weight as the durations differ"),
      choice("costs", "estimates", {"estimates", "measured"},
             "durations: the estimates, or the means of the executions so far"),
      choice("unknown", "long", {"long", "fastest"},
             "duration of a type that was never executed on a class: 100,000 s (long), or its shortest duration on "
             "another class (fastest)"),
      slowdown_option(),
      flag("la", false, "whether each ready task waits in the memory that suits it, as in la-heteroprio"),
      affinity_option()};
  for (Option& option : stealing_options()) options.push_back(std::move(option));
  return {.name = "auto-heteroprio",
          .summary = "HeteroPrio whose classes order the types of tasks by a heuristic, computed during the run",
          .publication =
              "Flint, Paillat and Bramas 2022, doi:10.7717/peerj-cs.969, heuristics for automatic "
              "configuration",
          .complexity =
              "O(n c b + e + n c p / every) for b types and p pairs of types of which one releases the other; with "
              "la=true and m memories, O(n m) more for each access",
          .options = std::move(options),
          .needs = [](const Options&) { return Needs{.whole_graph = true}; },
          .make =
              [](const Setup& setup) {
                const Options& chosen = setup.options;
                const AutoHeteroprio::Settings settings{
                    .heuristic = static_cast<Heuristic>(chosen.choice("heuristic")),
                    .reading = static_cast<Reading>(chosen.choice("reading")),
                    .parameters = {chosen.number("offset-alpha"), chosen.number("offset-beta"),
                                   chosen.number("ntc-alpha"), chosen.number("ntc-beta")},
                    .every = chosen.integer("every"),
                    .measured = chosen.text("costs") == "measured",
                    .fastest_for_unknown = chosen.text("unknown") == "fastest"};
                std::optional<Locality> locality;
                if (chosen.flag("la")) locality = Locality{chosen_affinity(chosen), chosen_stealing(chosen)};
                return Policy(AutoHeteroprio(settings, chosen.flag("slowdown"), locality));
              }};
}

}  // namespace heddle::policy
