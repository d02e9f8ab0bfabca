#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/model/error.hpp"
#include "heddle/model/options.hpp"
#include "heddle/workload/generators.hpp"

/// The random graphs on which AutoHeteroprio was evaluated: Flint, Paillat and Bramas, "Automated prioritizing
/// heuristics for parallel task graph scheduling in heterogeneous computing" (PeerJ Computer Science 8:e969, 2022,
/// doi:10.7717/peerj-cs.969, "Graph generation").
///
/// Tasks are made while the machine's workers are filled: the worker that is free first, the one with the smallest
/// number among equals, gets a task of a type that is fastest on its class, drawn by the types' proportions. So there
/// is a schedule in which no such worker idles before its last task and every task runs where it is fastest. Classes
/// that are fastest for no type get none. Entry (i, j) of the predecessor matrix is the mean number of predecessors of
/// type j of a task of type i: floor or ceiling of it, drawn for each task, limited by the tasks that have ended in the
/// schedule when the task starts there.
///
/// The text leaves open which ended tasks precede. Here it is one of the `recent` last ones of the type, each equally
/// likely; with as many as there are workers, the shares of tasks without and with five or more successors come near
/// those of the published graph with one predecessor per task (Table 2, index 10), with all ended tasks they do not.
///
/// What the user does not give is drawn: durations as for layered graphs, but with factors whose logarithm is uniform;
/// proportions from U[0.1, 1]; a matrix whose rows sum up to `predecessors` on average.
namespace heddle::workload {
namespace {

enum Purpose : std::uint64_t { kDurations, kProportions, kMatrix, kTaskType, kPredecessors };

using Row = std::vector<double>;

/// The parts of a text between separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

double parse_entry(const Options& options, std::string_view name, std::string_view text) {
  constexpr double kMost = 1e4;
  const auto value = parse_number(text);
  if (value && *value >= 0 && *value <= kMost) return *value;
  throw InputError(options.owner() + ": option '" + std::string(name) + "' has '" + std::string(text) +
                   "'; expected numbers in 0..10000, parted by '+' in a row, by '/' between rows");
}

/// The value of an option like "1+2/3+4".
std::vector<Row> parse_rows(const Options& options, std::string_view name) {
  std::vector<Row> rows;
  for (const std::string_view row : split(options.text(name), '/')) {
    rows.emplace_back();
    for (const std::string_view entry : split(row, '+')) rows.back().push_back(parse_entry(options, name, entry));
  }
  return rows;
}

/// The same, with as many rows and columns as they must be.
std::vector<Row> parse_rows(const Options& options, std::string_view name, std::size_t rows, std::size_t columns) {
  std::vector<Row> parsed = parse_rows(options, name);
  const bool fits =
      parsed.size() == rows && std::ranges::all_of(parsed, [&](const Row& row) { return row.size() == columns; });
  if (fits) return parsed;
  throw InputError(options.owner() + ": option '" + std::string(name) + "' is '" + options.text(name) + "'; expected " +
                   std::to_string(rows) + (rows == 1 ? " row of " : " rows of ") + std::to_string(columns) +
                   (columns == 1 ? " number" : " numbers"));
}

/// What the generator goes by.
struct Recipe {
  std::vector<Row> seconds;  ///< by type and class
  Row proportions;           ///< by type
  std::vector<Row> predecessors;
};

std::vector<Row> make_durations(const Options& options, std::size_t types, std::size_t classes) {
  if (options.has("durations")) return parse_rows(options, "durations", types, classes);
  const double weakest = deterministic_log(options.number("weakest"));
  const double strongest = deterministic_log(options.number("strongest"));
  std::vector<Row> rows;
  for (std::size_t type = 0; type < types; ++type) {
    Random random = draws(options, Stream::predecessor_matrix, kDurations, type);
    const double base = random.uniform(options.number("shortest"), options.number("longest"));
    Row row{base};
    while (row.size() < classes) row.push_back(base / deterministic_exp(random.uniform(weakest, strongest)));
    rows.push_back(std::move(row));
  }
  return rows;
}

Row make_proportions(const Options& options, std::size_t types) {
  if (options.has("proportions")) return parse_rows(options, "proportions", 1, types)[0];
  constexpr double kRarest = 0.1;
  Row proportions;
  for (std::size_t type = 0; type < types; ++type) {
    proportions.push_back(draws(options, Stream::predecessor_matrix, kProportions, type).uniform(kRarest, 1));
  }
  return proportions;
}

std::vector<Row> make_matrix(const Options& options, std::size_t types) {
  if (options.has("matrix")) return parse_rows(options, "matrix", types, types);
  const double density = options.number("density");
  const double most = 2 * options.number("predecessors") / (density * static_cast<double>(types));
  std::vector<Row> rows;
  for (std::size_t type = 0; type < types; ++type) {
    Random random = draws(options, Stream::predecessor_matrix, kMatrix, type);
    Row& row = rows.emplace_back();
    while (row.size() < types) {
      const bool precedes = random.uniform() < density;
      const double mean = random.uniform(0, most);
      row.push_back(precedes ? mean : 0);
    }
  }
  return rows;
}

Recipe make_recipe(const Options& options, const Machine& machine) {
  check_order(options, "shortest", "longest");
  check_order(options, "weakest", "strongest");
  const std::size_t types = options.integer("types");
  Recipe recipe{make_durations(options, types, machine.classes.size()), make_proportions(options, types),
                make_matrix(options, types)};
  constexpr double kMaxDependencies = 2e8;
  double most = 0;
  for (const Row& row : recipe.predecessors) {
    double sum = 0;
    for (const double mean : row) sum += mean;
    most = std::max(most, sum);
  }
  if (most * static_cast<double>(options.integer("tasks")) > kMaxDependencies) {
    throw InputError(options.owner() + " may have " +
                     std::to_string(static_cast<std::uint64_t>(most * static_cast<double>(options.integer("tasks")))) +
                     " dependencies (tasks * largest row of the matrix); at most 200000000 are possible");
  }
  return recipe;
}

/// The last tasks of a type that ended, the oldest first to go.
class RecentTasks {
 public:
  explicit RecentTasks(std::size_t most) : most_(most) {}

  void add(TaskId task) {
    if (tasks_.size() < most_) {
      tasks_.push_back(task);
    } else {
      tasks_[next_] = task;
      next_ = (next_ + 1) % most_;
    }
  }

  /// Calls visit for `count` different ones of them, or for all when they are fewer; each equally likely.
  template <class Visit>
  void choose(Random& random, std::uint64_t count, Visit&& visit) const {
    const std::uint64_t chosen_count = std::min<std::uint64_t>(count, tasks_.size());
    std::vector<std::uint64_t> chosen;
    // Floyd's sampling (Bentley and Floyd 1987).
    for (std::uint64_t last = tasks_.size() - chosen_count; last < tasks_.size(); ++last) {
      const std::uint64_t drawn = random.below(last + 1);
      chosen.push_back(std::ranges::find(chosen, drawn) == chosen.end() ? drawn : last);
      visit(tasks_[chosen.back()]);
    }
  }

 private:
  std::size_t most_;
  std::size_t next_ = 0;
  std::vector<TaskId> tasks_;
};

class Pipeline {
 public:
  Pipeline(const Options& options, const Machine& machine)
      : options_(options), machine_(machine), recipe_(make_recipe(options, machine)) {
    for (std::size_t type = 0; type < recipe_.seconds.size(); ++type) {
      types_.push_back(builder_.add_type("K" + std::to_string(type)));
    }
    find_fastest();
    hire_workers();
    const std::size_t recent =
        options_.has("recent") ? options_.integer("recent") : std::max<std::size_t>(free_.size(), 1);
    ended_.assign(types_.size(), RecentTasks(recent));
  }

  Instance build() {
    for (std::uint64_t task = 0; task < options_.integer("tasks"); ++task) add_task();
    TaskGraph graph = builder_.build();
    Costs costs(graph, machine_.classes.size());
    for (const TypeId type : graph.types()) {
      for (std::size_t c = 0; c < machine_.classes.size(); ++c) {
        costs.set_actual(Costs::row(type), make_id<ClassId>(c), duration(index(type), c));
      }
    }
    return make_instance("", std::move(graph), platform_of(machine_), std::move(costs));
  }

 private:
  struct Worker {
    Time free;
    std::size_t number;
    std::size_t c;
    bool operator>(const Worker& other) const { return free != other.free ? free > other.free : number > other.number; }
  };
  struct Running {
    Time end;
    TaskId task;
    std::size_t type;
    bool operator>(const Running& other) const { return end != other.end ? end > other.end : task > other.task; }
  };
  template <class T>
  using Earliest = std::priority_queue<T, std::vector<T>, std::greater<>>;

  [[nodiscard]] Time duration(std::size_t type, std::size_t c) const { return to_time(recipe_.seconds[type][c]); }

  /// The class, with workers, on which each type is fastest; the first of equals.
  void find_fastest() {
    fastest_on_.resize(machine_.classes.size());
    for (std::size_t type = 0; type < types_.size(); ++type) {
      std::optional<std::size_t> fastest;
      for (std::size_t c = 0; c < machine_.classes.size(); ++c) {
        if (machine_.classes[c].workers == 0) continue;
        if (!fastest || duration(type, c) < duration(type, *fastest)) fastest = c;
      }
      if (fastest && recipe_.proportions[type] > 0) fastest_on_[*fastest].push_back(type);
    }
  }

  void hire_workers() {
    std::size_t number = 0;
    for (std::size_t c = 0; c < machine_.classes.size(); ++c) {
      for (std::uint32_t i = 0; i < machine_.classes[c].workers; ++i) {
        if (!fastest_on_[c].empty()) free_.push({0, number, c});
        ++number;
      }
    }
    if (free_.empty()) throw InputError(options_.owner() + ": every type has proportion 0 or the platform no worker");
  }

  void add_task() {
    const Worker worker = free_.top();
    free_.pop();
    while (!running_.empty() && running_.top().end <= worker.free) {
      ended_[running_.top().type].add(running_.top().task);
      running_.pop();
    }
    const std::size_t type = draw_type(fastest_on_[worker.c]);
    const TaskId task = builder_.add_task("t(" + std::to_string(builder_.task_count()) + ")", types_[type]);
    Random random = draws(options_, Stream::predecessor_matrix, kPredecessors, index(task));
    for (std::size_t before = 0; before < types_.size(); ++before) {
      const auto count = static_cast<std::uint64_t>(recipe_.predecessors[type][before] + random.uniform());
      ended_[before].choose(random, count, [&](TaskId predecessor) { builder_.add_edge(predecessor, task); });
    }
    // Beyond what an instance may take it is refused in the end (make_instance): no need to go on counting.
    const Time end = std::min(worker.free + duration(type, worker.c), kMaxTime / 8);
    running_.push({end, task, type});
    free_.push({end, worker.number, worker.c});
  }

  [[nodiscard]] std::size_t draw_type(const std::vector<std::size_t>& among) const {
    double sum = 0;
    for (const std::size_t type : among) sum += recipe_.proportions[type];
    double left = draws(options_, Stream::predecessor_matrix, kTaskType, builder_.task_count()).uniform() * sum;
    for (const std::size_t type : among) {
      left -= recipe_.proportions[type];
      if (left < 0) return type;
    }
    return among.back();
  }

  const Options& options_;
  const Machine& machine_;
  Recipe recipe_;
  TaskGraphBuilder builder_;
  std::vector<TypeId> types_;
  std::vector<std::vector<std::size_t>> fastest_on_;  ///< by class: the types that are fastest there
  Earliest<Worker> free_;
  Earliest<Running> running_;
  std::vector<RecentTasks> ended_;  ///< by type
};

Instance make_predecessor_matrix(const Options& options, const Machine& machine) {
  check_task_count(options, options.integer("tasks"));
  return Pipeline(options, machine).build();
}

}  // namespace

Entry predecessor_matrix() {
  constexpr double kShortest = 1e-9;
  constexpr double kLongest = 1e4;
  constexpr double kWeakest = 0.01;
  constexpr double kStrongest = 1000;
  constexpr double kMostPredecessors = 1000;
  constexpr double kSparsest = 0.001;
  return {"predecessor-matrix",
          "Random graph whose types have given mean numbers of predecessors of each type, for any platform.",
          {integer("tasks", "1000", 1, kMaxTasks, "Number of tasks."),
           integer("types", "5", 1, 1000, "Number of types of tasks."),
           number("predecessors", "2", 0, kMostPredecessors, "Mean number of predecessors of a task."),
           number("density", "0.5", kSparsest, 1, "Share of the matrix that is not 0."),
           integer("recent", "", 1, kMaxTasks,
                   "Last ended tasks of a type that can precede; as many as there are workers unless given."),
           number("shortest", "0.01", kShortest, kLongest, "Least seconds of a type on the class listed first."),
           number("longest", "0.1", kShortest, kLongest, "Most seconds of a type on the class listed first."),
           number("weakest", "0.2", kWeakest, kStrongest, "Least factor by which another class is faster."),
           number("strongest", "5", kWeakest, kStrongest, "Largest factor by which another class is faster."),
           text("durations", "", "Seconds instead of drawn ones, a row of classes per type: 1+2/2+1."),
           text("proportions", "", "How frequent the types are among those fastest on one class: 3+1."),
           text("matrix", "", "Mean number of predecessors, a row of types per type: 0+1.5/0.2+0."), seed_option()},
          make_predecessor_matrix};
}

}  // namespace heddle::workload
