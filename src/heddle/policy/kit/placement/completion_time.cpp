#include "heddle/policy/kit/placement/completion_time.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle::policy {

void CompletionTime::start(const View& view, Table<TaskId, std::int64_t> urgency) {
  urgency_ = std::make_shared<const Table<TaskId, std::int64_t>>(std::move(urgency));
  queues_.reset(view, rules_.queues == Queues::priority ? order() : nullptr);
  transfer_.assign(view.platform().memories().size(), 0);
  batch_ = {};
  if (rules_.use_slack()) slack_.start(view);
}

std::shared_ptr<const TaskOrder> CompletionTime::order() const {
  return std::make_shared<const TaskOrder>(urgency_->size(),
                                           [this](TaskId task) { return queue_key(0, ~urgency(task), task); });
}

void CompletionTime::ready(const View& view, std::span<const TaskId> tasks) {
  const bool in_steps = rules_.data_aware && view.moves_data();
  if (tasks.size() == 1 && !in_steps) return place(view, tasks.front());
  sorted_.assign(tasks.begin(), tasks.end());
  const Table<TaskId, std::int64_t>& urgency = *urgency_;
  const auto before = [&](TaskId a, TaskId b) { return urgency[a] != urgency[b] ? urgency[a] > urgency[b] : a < b; };
  // Many at once are often alike, and in order.
  if (!std::ranges::is_sorted(sorted_, before)) std::ranges::sort(sorted_, before);
  for (const TaskId task : sorted_) in_steps ? batch_.push_back(task) : place(view, task);
}

CompletionTime::Offer CompletionTime::best_offer(const View& view, TaskId task) {
  estimate_transfers(view, task);
  if (rules_.cheapest_class) return cheapest(view, task).offer;
  Choice best;
  for (const ClassId c : view.platform().classes()) consider(view, task, c, best);
  return best.offer;
}

CompletionTime::Offer CompletionTime::best_offer(const View& view, TaskId task, ClassId c) {
  estimate_transfers(view, task);
  Choice best;
  consider(view, task, c, best);
  return best.offer;
}

CompletionTime::Choice CompletionTime::cheapest(const View& view, TaskId task) {
  choices_.assign(view.platform().class_count(), {});
  for (const ClassId c : choices_.ids()) consider(view, task, c, choices_[c]);
  const Choice first = *std::ranges::min_element(choices_, {}, &Choice::cost);
  const Time wait = can_wait(view, task) / 2;
  if (wait == 0) return first;
  const auto in_time = [&](ClassId c) {
    return choices_[c].offer.worker != kNone<WorkerId> && choices_[c].cost - first.cost <= wait;
  };
  std::optional<Slack::Cost> least;
  for (const ClassId c : choices_.ids()) {
    if (!in_time(c)) continue;
    const Slack::Cost cost = slack_.cost(c, view.estimate(task, c));
    least = std::min(cost, least.value_or(cost));
  }
  Choice best;
  for (const ClassId c : choices_.ids()) {
    if (!in_time(c) || !Slack::equal(*least, slack_.cost(c, view.estimate(task, c)))) continue;
    if (choices_[c].cost < best.cost) best = choices_[c];
  }
  return best;
}

Time CompletionTime::can_wait(const View& view, TaskId task) const {
  return slack_.share(view, task, [&](WorkerId worker) { return queues_.expected_free(view, worker); });
}

void CompletionTime::place(const View& view, TaskId task) {
  const Offer offer = best_offer(view, task);
  if (rules_.use_slack()) slack_.place(view, task);
  put(view, task, offer);
}

/// As far as the data of the tasks before has been asked for.
void CompletionTime::place_batch(const View& view) {
  while (!batch_.empty() && !queues_.fetches()) {
    place(view, batch_.front());
    batch_.pop_front();
  }
}

Action CompletionTime::serve_nearest(const View& view) {
  return queues_.serve_nearest(view, *urgency_,
                               [&](TaskId first) { return rules_.lets_pass ? can_wait(view, first) : 0; });
}

inline void CompletionTime::consider(const View& view, TaskId task, ClassId c, Choice& best) const {
  if (!view.can_run(task, c)) return;
  const Time estimate = view.estimate(task, c);
  for (const WorkerId worker : view.platform().workers(c)) {
    if (!view.is_available(worker)) continue;
    const Time transfer = transfer_[view.memory_of(worker)];
    const Time free = queues_.expected_free(view, worker);
    const Time end = std::max(free, view.now() + transfer) + estimate;
    const Time counted = rules_.overlap ? end : free + transfer + estimate;
    const Time price = transfer == 0 ? 0 : static_cast<Time>(rules_.beta * static_cast<double>(transfer));
    const Time cost = counted + price;
    if (cost < best.cost) best = {{worker, end, end - free}, cost};
  }
}

void CompletionTime::put(const View& view, TaskId task, const Offer& offer) {
  if (offer.worker == kNone<WorkerId>) {
    queues_.keep(task);
  } else {
    queues_.push(view, offer.worker, task, offer.work);
  }
}

void CompletionTime::estimate_transfers(const View& view, TaskId task) {
  if (!rules_.data_aware || !view.moves_data()) return;
  const std::size_t rivals = 2 * (view.platform().memories().size() - 1);
  for (const MemoryId memory : transfer_.ids()) transfer_[memory] = view.transfer_estimate(task, memory, rivals);
}

void CompletionTime::refused(const View& view, Action action) {
  if (action.kind == Action::Kind::run) place(view, action.task);
}

std::vector<Option> transfer_options(bool overlap, const char* beta) {
  return {flag("overlap", overlap,
               "whether a transfer that ends before the worker is free delays nothing, as StarPU counts; if not, it "
               "counts in full, since its links serve no other worker meanwhile"),
          number("beta", beta, 0, 100, "how many times a transfer counts besides, as the price of its links")};
}

CompletionTime::Rules with_transfers(CompletionTime::Rules rules, const Options& options) {
  rules.data_aware = true;
  rules.overlap = options.flag("overlap");
  rules.beta = options.number("beta");
  return rules;
}

}  // namespace heddle::policy
