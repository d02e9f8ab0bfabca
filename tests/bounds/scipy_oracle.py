"""Computes the lower bounds of the dumped instances a second way, with SciPy's HiGHS, and compares.

usage: scipy_oracle.py DUMP_PROGRAM

Nothing is shared with the library: one variable per task and class, one row per constraint as the papers print it, and
for Cholesky the mixed bound as Kumar 2017 publishes it, over numbers of tasks per type. Exit status 77 without SciPy.
"""

import collections
import subprocess
import sys

try:
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix
except ImportError:
    print("skipped: this Python has no SciPy")
    sys.exit(77)


class Instance:
    def __init__(self, name):
        self.name = name
        self.workers = []
        self.types = []
        self.durations = []
        self.edges = []
        self.bounds = {}

    def fastest(self, task):
        return min(d for d in self.durations[task] if d >= 0)


def read(lines):
    instance = None
    for line in lines:
        word, *rest = line.split()
        if word == "instance":
            instance = Instance(rest[0])
        elif word == "workers":
            instance.workers = [int(x) for x in rest]
        elif word == "task":
            instance.types.append(rest[0])
            instance.durations.append([int(x) for x in rest[1:]])
        elif word == "edge":
            instance.edges.append((int(rest[0]), int(rest[1])))
        elif word == "bound":
            instance.bounds[rest[0]] = int(rest[1])
        elif word == "end":
            yield instance


class Program:
    """min l, column 0, under rows of `coefficients <= limit` or `== limit`."""

    def __init__(self):
        self.columns = 1
        self.rows = {"<=": [], "==": []}

    def column(self):
        self.columns += 1
        return self.columns - 1

    def row(self, coefficients, sense, limit):
        self.rows[sense].append((coefficients, limit))

    def matrix(self, sense):
        rows = self.rows[sense]
        if not rows:
            return None, None
        entries = [(i, c, v) for i, (coefficients, _) in enumerate(rows) for c, v in coefficients.items()]
        i, j, v = zip(*entries) if entries else ((), (), ())
        return coo_matrix((v, (i, j)), shape=(len(rows), self.columns)), [limit for _, limit in rows]

    def minimum(self):
        cost = np.zeros(self.columns)
        cost[0] = 1
        a_ub, b_ub = self.matrix("<=")
        a_eq, b_eq = self.matrix("==")
        result = linprog(cost, A_ub=a_ub, b_ub=b_ub, A_eq=a_eq, b_eq=b_eq, bounds=(0, None), method="highs-ds")
        assert result.status == 0, result.message
        return result.fun


class TaskProgram(Program):
    """The area bound with a fraction per task and class; durations in multiples of the longest."""

    def __init__(self, instance):
        super().__init__()
        self.unit = max([max(d) for d in instance.durations] + [1])
        self.fraction = []
        areas = [collections.defaultdict(float) for _ in instance.workers]
        for durations in instance.durations:
            columns = {r: self.column() for r, d in enumerate(durations) if d >= 0}
            self.fraction.append({column: durations[r] / self.unit for r, column in columns.items()})
            self.row({column: 1 for column in columns.values()}, "==", 1)
            for r, column in columns.items():
                areas[r][column] += durations[r] / self.unit
        for area, workers in zip(areas, instance.workers):
            self.row({**area, 0: -workers}, "<=", 0)

    def bound(self):
        return self.minimum() * self.unit


def area(instance):
    return TaskProgram(instance).bound()


def critical_path(instance):
    return max(longest_from(instance, [instance.fastest(t) for t in range(len(instance.types))]), default=0)


def order(instance):
    after = collections.defaultdict(list)
    waiting = [0] * len(instance.types)
    for a, b in instance.edges:
        after[a].append(b)
        waiting[b] += 1
    ready = [t for t, w in enumerate(waiting) if w == 0]
    for t in ready:
        for b in after[t]:
            waiting[b] -= 1
            if waiting[b] == 0:
                ready.append(b)
    return ready, after


def longest_from(instance, weight):
    """By task: the longest path that starts there, for any weights."""
    tasks, after = order(instance)
    level = [0] * len(tasks)
    for t in reversed(tasks):
        level[t] = weight[t] + max((level[b] for b in after[t]), default=0)
    return level


def chain_length(instance, members):
    """What other tasks add to the longest path through all members; nothing when they are on no single path.

    A member weighs more than all other tasks together, so that the longest path has as many members as any.
    """
    others = [instance.fastest(t) for t in range(len(instance.types))]
    heavy = sum(others) + 1
    chosen = set(members)
    longest = max(longest_from(instance, [heavy if t in chosen else w for t, w in enumerate(others)]))
    count, rest = divmod(longest, heavy)
    return rest if count == len(members) else None


def mixed(instance):
    by_type = collections.defaultdict(list)
    for task, name in enumerate(instance.types):
        by_type[name].append(task)
    program = TaskProgram(instance)
    defined = False
    for members in by_type.values():
        rest = chain_length(instance, members) if len(members) > 1 else None
        if rest is None:
            continue
        defined = True
        row = collections.defaultdict(float, {0: -1})
        for task in members:
            for column, duration in program.fraction[task].items():
                row[column] += duration
        program.row(row, "<=", -rest / program.unit)
    return program.bound() if defined else None


def published_mixed(instance):
    """Kumar 2017, section 2.3.1: numbers of tasks n_rt per class and type; Cholesky only."""
    count = collections.Counter(instance.types)
    time = {name: instance.durations[instance.types.index(name)] for name in count}
    unit = max(max(d) for d in time.values())
    program = Program()
    n = {(r, t): program.column() for t in count for r in range(len(instance.workers))}
    for t in count:
        program.row({n[r, t]: 1 for r in range(len(instance.workers))}, "==", count[t])
    for r, workers in enumerate(instance.workers):
        program.row({**{n[r, t]: time[t][r] / unit for t in count}, 0: -workers}, "<=", 0)
    rest = (count["POTRF"] - 1) * (min(time["TRSM"]) + min(time["SYRK"]))
    chain = {n[r, "POTRF"]: time["POTRF"][r] / unit for r in range(len(instance.workers))}
    program.row({**chain, 0: -1}, "<=", -rest / unit)
    return program.minimum() * unit


def paths_program(instance):
    """Kumar 2017, section 3.4, with start times."""
    program = TaskProgram(instance)
    start = [program.column() for _ in instance.types]
    for task, fraction in enumerate(program.fraction):
        program.row({**fraction, start[task]: 1, 0: -1}, "<=", 0)
    for a, b in instance.edges:
        program.row({**program.fraction[a], start[a]: 1, start[b]: -1}, "<=", 0)
    return program


def part(instance, tasks):
    result = Instance(instance.name)
    result.workers = instance.workers
    result.durations = [instance.durations[t] for t in tasks]
    return result


def heads(instance, forward):
    """What comes before each task, or after it, takes at least that long; and whether the area of any had a say."""
    before = [set() for _ in instance.types]
    for a, b in instance.edges:
        before[b if forward else a].add(a if forward else b)
    ancestors, head = {}, {}
    joins = False
    for task in order(instance)[0][:: 1 if forward else -1]:
        ancestors[task] = before[task].union(*(ancestors[b] for b in before[task]))
        head[task] = max((head[b] + instance.fastest(b) for b in before[task]), default=0)
        if len(before[task]) > sum(instance.workers):
            joins = True
            for h in {head[a] for a in ancestors[task]}:
                head[task] = max(head[task], h + area(part(instance, [a for a in ancestors[task] if head[a] >= h])))
    return [head[task] for task in range(len(instance.types))], joins


def inside(duration, before, after, window):
    """What is in the window when the task sticks out by at most so much before and after it."""
    least = min(duration, duration - before, duration - after)
    return max(0, min(least, window) if before > 0 and after > 0 else least)


def window(instance, makespan):
    """docs/bounds.md: every window of two tasks' margins at once, for schedules of at least that makespan.

    Also whether there are joins; the area before them is the best here, and the library's may be smaller.
    """
    fastest = [instance.fastest(t) for t in range(len(instance.types))]
    head, joins = heads(instance, True)
    tail, forks = heads(instance, False)
    program = paths_program(instance)
    for h in {0, *head, *(h + own for h, own in zip(head, fastest))}:
        for t in {0, *tail, *(t + own for t, own in zip(tail, fastest))}:
            rows = [{} for _ in instance.workers]
            for task, fraction in enumerate(program.fraction if h + t < makespan else []):
                classes = [r for r, duration in enumerate(instance.durations[task]) if duration >= 0]
                for r, column in zip(classes, fraction):
                    amount = inside(instance.durations[task][r], h - head[task], t - tail[task], makespan - h - t)
                    if amount > 0:
                        rows[r][column] = amount / program.unit
            for row, workers in zip(rows, instance.workers):
                if row:
                    program.row({**row, 0: -workers}, "<=", -workers * (h + t) / program.unit)
    return program.bound(), joins or forks


def agrees(ours, expected):
    """Floored, and at most 1e-6 below; never above what is more than the oracle's own tolerance."""
    return expected * (1 - 1e-6) - 1 <= ours <= expected * (1 + 1e-7) + 1


def compare_window(instance):
    """Against all windows at once where that is quick; the search for windows stops when none is 1e-5 too full."""
    ours = instance.bounds["window"]
    if len(instance.types) > 25:
        expected = instance.bounds["iterative"]
        return [f"window: {ours} < iterative"] if ours < expected else []
    expected, joins = window(instance, ours)
    least = instance.bounds["iterative"] if joins else expected * (1 - 3e-5) - 2
    good = least <= ours <= max(expected * (1 + 1e-7) + 1, instance.bounds["iterative"])
    return [] if good else [f"window: {ours}, expected {expected:.3f}"]


def compare(instance):
    expected = {"critical-path": critical_path(instance), "area": area(instance), "iterative": paths_program(instance).bound()}
    mixed_bound = mixed(instance)
    if mixed_bound is not None:
        expected["mixed"] = mixed_bound
    problems = [f"{kind}: {instance.bounds.get(kind)}, expected {value:.3f}" for kind, value in expected.items()
                if kind not in instance.bounds or not agrees(instance.bounds[kind], value)]
    problems += compare_window(instance)
    if set(instance.bounds) != set(expected) | {"window"}:
        problems.append(f"kinds {sorted(instance.bounds)}, expected {sorted(expected)}")
    if instance.name.startswith("cholesky") and "mixed" in instance.bounds:
        published = published_mixed(instance)
        if not agrees(instance.bounds["mixed"], published):
            problems.append(f"mixed: {instance.bounds['mixed']}, published {published:.3f}")
    return [f"{instance.name} on {instance.workers}: {problem}" for problem in problems]


def main():
    dump = subprocess.run([sys.argv[1]], check=True, capture_output=True, text=True).stdout
    problems = []
    count = 0
    for instance in read(dump.splitlines()):
        count += 1
        problems += compare(instance)
    for problem in problems:
        print(problem)
    print(f"{count} instances compared, {len(problems)} disagreements")
    return 1 if problems or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
