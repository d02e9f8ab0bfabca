#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "heddle/model/error.hpp"
#include "heddle/policy/resizing/area_ends.hpp"
#include "heddle/policy/resizing/resize_rule.hpp"

namespace heddle::policy {
namespace {

/// Contexts end together when the last of them ends so much later than all workers together would need, or less.
constexpr double kTogether = 1.0 / 128;
/// A move that makes the end less earlier than by this part is not worth it.
constexpr double kWorth = 1.0 / 512;

/// The worker of the class that is to leave the context if one is: that which is free first, of those the last one.
/// kNone: none may.
WorkerId leaver(const Situation& now, ContextId from, ContextId to, ClassId c) {
  WorkerId best = kNone<WorkerId>;
  for (const WorkerId worker : now.contexts[from].workers) {
    if (now.platform.class_of(worker) != c || !now.objection({worker, from, to}).empty()) continue;
    if (best == kNone<WorkerId> || now.busy[worker] <= now.busy[best]) best = worker;
  }
  return best;
}

/// Calls visit(move) for one worker of each class that can go from one context to another which has tasks left.
template <class Visit>
void visit_moves(const Situation& now, ContextId to, Visit&& visit) {
  if (now.contexts[to].left == 0) return;
  for (const ContextId from : now.contexts.ids()) {
    for (const ClassId c : now.platform.classes()) {
      if (from == to) continue;
      const WorkerId worker = leaver(now, from, to, c);
      if (worker != kNone<WorkerId>) visit(Move{worker, from, to});
    }
  }
}

/// Whether a worker of the class can run what the context has ready, or will have.
bool is_of_use(const Situation& now, ContextId context, ClassId c) {
  const auto runs = [&](const std::vector<bool>& need) { return need[index(c)]; };
  return std::ranges::any_of(now.contexts[context].needs, runs);
}

std::vector<Move> idle_moves(const Situation& situation) {
  Situation now = situation;
  std::vector<Move> moves;
  Table<ContextId, std::size_t> unserved(now.contexts.size(), 0);  // ready tasks for which no worker is idle
  for (const ContextId context : now.contexts.ids()) {
    const auto is_free = [&](WorkerId worker) { return now.busy[worker] == 0; };
    const auto free = static_cast<std::size_t>(std::ranges::count_if(now.contexts[context].workers, is_free));
    unserved[context] = now.contexts[context].ready - std::min(now.contexts[context].ready, free);
  }
  for (const WorkerId worker : now.movable.ids()) {
    const ContextId from = now.movable[worker];
    const bool idles = now.busy[worker] == 0 && 2 * now.idle[worker] > now.elapsed;
    if (from == kNone<ContextId> || !idles) continue;
    ContextId to = kNone<ContextId>;
    for (const ContextId context : now.contexts.ids()) {
      if (context == from || unserved[context] == 0) continue;
      if (!is_of_use(now, context, now.platform.class_of(worker))) continue;
      if (to == kNone<ContextId> || unserved[context] > unserved[to]) to = context;
    }
    if (to == kNone<ContextId>) continue;
    const Move move{worker, from, to};
    if (!now.objection(move).empty()) continue;
    now.make(move);
    moves.push_back(move);
    --unserved[to];
  }
  return moves;
}

/// What a context needs for what is left, at the speed that it had: a quotient.
struct Rest {
  ContextId context;
  TimeSum left;
  TimeSum done;  ///< per time that has elapsed; 0: its speed is not known

  /// Whether it takes longer, times a / b, than another.
  [[nodiscard]] bool exceeds(const Rest& other, TimeSum a, TimeSum b) const {
    return a * (left / 1024) * other.done > b * (other.left / 1024) * done;
  }
};

std::vector<Move> speed_moves(const Situation& now) {
  std::vector<Rest> rests;
  for (const ContextId context : now.contexts.ids()) {
    const ContextState& state = now.contexts[context];
    if (state.left > 0 && state.work_done == 0) continue;
    rests.push_back({context, state.work_left, std::max<TimeSum>(state.work_done / 1024, 1)});
  }
  const auto is_shorter = [](const Rest& a, const Rest& b) { return b.exceeds(a, 1, 1); };
  std::ranges::stable_sort(rests, is_shorter);
  if (rests.size() < 2) return {};
  const Rest& last = rests.back();
  for (const Rest& first : rests) {
    const auto workers = static_cast<TimeSum>(now.contexts[first.context].workers.size());
    if (first.context == last.context || workers == 0) continue;
    // Without one of its workers it must not be the last one.
    if (first.left > 0 && !last.exceeds(first, workers - 1, workers)) return {};
    std::vector<Move> moves;
    Situation after = now;
    for (std::size_t c = now.platform.class_count(); c-- > 0;) {
      const ClassId id = make_id<ClassId>(c);
      if (!is_of_use(now, last.context, id)) continue;
      // All that one without tasks has.
      for (WorkerId worker; (worker = leaver(after, first.context, last.context, id)) != kNone<WorkerId>;) {
        moves.push_back({worker, first.context, last.context});
        after.make(moves.back());
        if (first.left > 0) return moves;
      }
    }
    if (!moves.empty()) return moves;
  }
  return {};
}

std::vector<Move> lp_moves(const Situation& situation) {
  Situation now = situation;
  const AreaEnds area(now);
  const double together = area.together(now);
  Table<ContextId, double> ends;
  for (const ContextId context : now.contexts.ids()) ends.push_back(area.of(now, context));
  std::vector<Move> moves;
  while (moves.size() < now.movable.size()) {
    const ContextId last = make_id<ContextId>(static_cast<std::size_t>(std::ranges::max_element(ends) - ends.begin()));
    if (ends[last] <= together * (1 + kTogether)) break;
    std::optional<Move> best;
    Table<ContextId, double> best_ends;
    double least = ends[last] * (1 - kWorth);
    visit_moves(now, last, [&](const Move& move) {
      Situation after = now;
      after.make(move);
      Table<ContextId, double> after_ends = ends;
      for (const ContextId context : {move.from, move.to}) after_ends[context] = area.of(after, context);
      const double end = *std::ranges::max_element(after_ends);
      if (end >= least) return;
      least = end;
      best = move;
      best_ends = std::move(after_ends);
    });
    if (!best) break;
    now.make(*best);
    moves.push_back(*best);
    ends = std::move(best_ends);
  }
  return moves;
}

/// A worker, or all of its class where its context needs none any more.
std::vector<Move> with_likes(const Situation& now, const Move& move) {
  if (now.contexts[move.from].left > 0) return {move};
  std::vector<Move> moves;
  const Platform& platform = now.platform;
  for (const WorkerId worker : now.contexts[move.from].workers) {
    const Move one{worker, move.from, move.to};
    if (platform.class_of(worker) == platform.class_of(move.worker) && now.objection(one).empty()) moves.push_back(one);
  }
  return moves;
}

std::vector<Move> simulate_moves(const Situation& situation) {
  constexpr int kSteps = 4;
  Situation now = situation;
  std::vector<Move> moves;
  if (!now.foresee) throw InternalError("a rule that looks ahead was asked where that is not possible");
  Time least = now.foresee({});
  for (int step = 0; step < kSteps; ++step) {
    // What is won has to be worth it.
    const Time enough = least - static_cast<Time>(static_cast<double>(least - now.now) * kWorth);
    std::vector<Move> best;
    for (const ContextId to : now.contexts.ids()) {
      visit_moves(now, to, [&](const Move& move) {
        std::vector<Move> tried = with_likes(now, move);
        std::vector<Move> all = moves;
        all.insert(all.end(), tried.begin(), tried.end());
        const Time makespan = now.foresee(all);
        if (makespan >= std::min(least, enough)) return;
        least = makespan;
        best = std::move(tried);
      });
    }
    if (best.empty()) break;
    for (const Move& move : best) now.make(move);
    moves.insert(moves.end(), best.begin(), best.end());
  }
  return moves;
}

}  // namespace

std::string Situation::objection(const Move& move) const {
  const std::string worker = "worker '" + platform.worker_name(move.worker) + "'";
  const auto has = [&](ContextId context) {
    return std::ranges::binary_search(contexts[context].workers, move.worker);
  };
  if (!has(move.from)) return "context '" + contexts[move.from].name + "' does not have " + worker;
  if (has(move.to)) return "context '" + contexts[move.to].name + "' has " + worker + " already";
  if (movable[move.worker] == kNone<ContextId>) {
    return worker + " is shared, has just moved, or still has a task of the context that had it before";
  }
  Table<ClassId, std::size_t> rest(platform.class_count(), 0);
  for (const WorkerId one : contexts[move.from].workers) ++rest[platform.class_of(one)];
  --rest[platform.class_of(move.worker)];
  for (const std::vector<bool>& need : contexts[move.from].needs) {
    const auto runs = [&](ClassId c) { return rest[c] > 0 && need[index(c)]; };
    if (std::ranges::any_of(platform.classes(), runs)) continue;
    return "without " + worker + ", context '" + contexts[move.from].name + "' has none that can run some of its tasks";
  }
  return "";
}

void Situation::make(const Move& move) {
  std::erase(contexts[move.from].workers, move.worker);
  std::vector<WorkerId>& workers = contexts[move.to].workers;
  workers.insert(std::ranges::lower_bound(workers, move.worker), move.worker);
  movable[move.worker] = kNone<ContextId>;
}

ResizeRule idle_rule() {
  return {.name = "idle", .moves = idle_moves};
}

ResizeRule speed_rule() {
  return {.name = "speed", .moves = speed_moves};
}

ResizeRule lp_rule() {
  return {.name = "lp", .moves = lp_moves};
}

ResizeRule simulate_rule() {
  return {.name = "simulate", .milestones = 16, .looks_ahead = true, .moves = simulate_moves};
}

std::vector<std::string> resize_rule_names() {
  return {"idle", "speed", "lp", "simulate"};
}

ResizeRule resize_rule(std::string_view name) {
  for (const auto make : {idle_rule, speed_rule, lp_rule, simulate_rule}) {
    ResizeRule rule = make();
    if (rule.name == name) return rule;
  }
  throw InternalError("there is no resizing rule '" + std::string(name) + "'");
}

}  // namespace heddle::policy
