#include <algorithm>
#include <memory>
#include <utility>

#include "heddle/policy/kit/placement/spoliation.hpp"
#include "heddle/policy/kit/queues/class_queues.hpp"
#include "heddle/policy/kit/ranks/affinity.hpp"
#include "heddle/policy/kit/ranks/urgency.hpp"
#include "heddle/policy/policy_table.hpp"

namespace heddle::policy {
namespace {

/// HeteroPrio for any number of classes: each has a score for each cost row and takes tasks of the highest first. Fast
/// classes (fast_classes) look at rows of similar scores together and take the most urgent task; slow classes take the
/// least urgent one of a single score. A fast class for which nothing is ready spoliates the most urgent task of a slow
/// class among those that it would end strictly earlier.
///
/// The section says nothing of the order in which idle classes are served. Here the one goes first whose task has the
/// highest heterogeneity index there (then the shorter duration, then the class listed last), whatever the score: a
/// task that suits an idle group of cores does not go to a GPU. Area scores would not do: their parts are larger for
/// classes with more workers. That scores differ by less than 25 % is taken relative to the best score of the merged
/// queue, since heterogeneity indices are no percentages.
class HeteroPrioMulti {
 public:
  enum class Score : std::uint8_t { area, het_index };

  HeteroPrioMulti(Score score, double merge, Priority priority) : score_(score), merge_(merge), priority_(priority) {}

  void start(const View& view) {
    const Instance& instance = view.instance();
    Scores het_index = het_index_scores(instance);
    Scores scores = score_ == Score::area ? area_scores(instance) : het_index;
    scoring_ =
        std::make_shared<const Scoring>(Scoring{std::move(scores), std::move(het_index), fast_classes(instance)});
    queues_.start(view, orders(instance), priorities(view, priority_));
    spoliation_.start(view);
  }

  void ready(const View& view, std::span<const TaskId> tasks) {
    for (const TaskId task : tasks) queues_.push(view, task);
  }

  void started(const View& view, TaskId, WorkerId worker) { spoliation_.started(view, worker); }

  void refused(const View& view, Action action) {
    if (action.kind == Action::Kind::run) queues_.push(view, action.task);
  }

  [[nodiscard]] Action next(const View& view) {
    const Offer best = best_offer(view);
    if (best.task != kNone<TaskId>) {
      queues_.take(view, best.task);
      return run(best.task, view.first_idle(best.to));
    }
    return view.asks_ahead() ? wait() : spoliate(view);
  }

 private:
  /// What never changes during a run; clones share it.
  struct Scoring {
    Scores scores;
    Scores het_index;
    Table<ClassId, bool> fast;
  };

  /// The task that an idle class would take.
  struct Offer {
    TaskId task = kNone<TaskId>;
    ClassId to{};
    double het_index = -1;
    Time duration = kMaxTime;
  };

  [[nodiscard]] Table<ClassId, ClassOrder> orders(const Instance& instance) const {
    Table<ClassId, ClassOrder> result;
    for (const ClassId c : instance.platform.classes()) result.push_back(order(instance, c));
    return result;
  }

  [[nodiscard]] ClassOrder order(const Instance& instance, ClassId c) const {
    const std::vector<double>& scores = scoring_->scores[c];
    std::vector<std::uint32_t> rows = used_rows(instance);
    std::erase_if(rows, [&](std::uint32_t row) { return instance.costs.estimate_row(row)[index(c)] == kCannotRun; });
    std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) { return scores[a] > scores[b]; });
    std::vector<double> sorted;
    for (const std::uint32_t row : rows) sorted.push_back(scores[row]);
    const std::vector<std::uint32_t> group = group_similar(sorted, scoring_->fast[c] ? merge_ : 0);
    ClassOrder result{std::vector<std::uint32_t>(scores.size(), ClassOrder::kNever), scoring_->fast[c]};
    for (std::size_t i = 0; i < rows.size(); ++i) result.queue_of_row[rows[i]] = group[i];
    return result;
  }

  [[nodiscard]] Offer best_offer(const View& view) {
    Offer best;
    for (std::size_t c = view.platform().class_count(); c-- > 0;) {
      const ClassId here = make_id<ClassId>(c);
      if (!view.has_idle(here)) continue;
      const TaskId task = queues_.front(here);
      if (task == kNone<TaskId> || (view.asks_ahead() && !is_favourable(view, here, task))) continue;
      const double index = scoring_->het_index[here][view.instance().costs.row(task)];
      const Time duration = view.estimate(task, here);
      if (index > best.het_index || (index == best.het_index && duration < best.duration)) {
        best = {task, here, index, duration};
      }
    }
    return best;
  }

  /// Ahead of time only what suits the worker: the rest may still find a better one.
  [[nodiscard]] static bool is_favourable(const View& view, ClassId here, TaskId task) {
    return view.estimate(task, here) == std::ranges::min(view.instance().costs.estimate_row(task));
  }

  [[nodiscard]] Action spoliate(const View& view) {
    for (std::size_t c = view.platform().class_count(); c-- > 0;) {
      const ClassId here = make_id<ClassId>(c);
      const WorkerId idle = view.first_idle(here);
      if (!scoring_->fast[here] || idle == kNone<WorkerId>) continue;
      const TaskId victim = spoliation_.find(
          view, idle, [&](TaskId, ClassId there) { return !scoring_->fast[there]; },
          [&](WorkerId a, WorkerId b) { return queues_.more_urgent(view.running(a), view.running(b)); });
      if (victim != kNone<TaskId>) return restart(victim, idle);
    }
    return wait();
  }

  Score score_;
  double merge_;
  Priority priority_;
  std::shared_ptr<const Scoring> scoring_;
  ClassQueues queues_;
  Spoliation spoliation_;
};

}  // namespace

Entry heteroprio_multi() {
  return {
      .name = "heteroprio-multi",
      .summary = "HeteroPrio for any number of classes: each class takes the tasks with the highest score for it",
      .publication = "Kumar 2017, tel-01538516, section 4.3.2",
      .complexity =
          "O(e + n c log n), and O(w) for each search for a task to spoliate; score=area: a linear program first, with "
          "c variables for each row of the cost table",
      .options =
          {choice("score", "het-index", {"area", "het-index"},
                  "score of a task for a class: the share of such tasks that the class gets in the area bound (area), "
                  "or the heterogeneity index of their durations (het-index)"),
           number("merge", "0.25", 0, 1,
                  "a fast class looks together at tasks whose scores are below the best one by less than this share"),
           priority_option()},
      .needs = [](const Options&) { return Needs{.whole_graph = true, .abort = true}; },
      .make =
          [](const Setup& setup) {
            const Options& options = setup.options;
            return Policy(HeteroPrioMulti(static_cast<HeteroPrioMulti::Score>(options.choice("score")),
                                          options.number("merge"), chosen_priority(options)));
          }};
}

}  // namespace heddle::policy
