#!/usr/bin/env python3
"""How much longer a policy takes in Python than its twin in C++: eager, on tiled Cholesky factorizations.

usage: PYTHONPATH=build/release/python /usr/bin/python3 bench/python/eager.py [TILES...]    by default 12, 20, 32 and 40

Both must make the same schedule. Prints medians of 15 runs each: tasks started per second, and the ratio of the times.
"""

import statistics
import sys
from collections import deque

import heddle

RUNS = 15


@heddle.policy("python-eager")
class Eager:
    def __init__(self):
        self.queue = deque()

    def ready(self, view, tasks):
        self.queue.extend(tasks)

    def next(self, view):
        for worker in view.idle():
            for task in self.queue:
                if view.can_run(task, worker):
                    self.queue.remove(task)
                    return heddle.run(task, worker)


def main(tiles):
    print(f"{'tasks':>6}  {'C++ tasks/s':>12}  {'Python tasks/s':>14}  {'ratio':>5}")
    for count in tiles:
        instance = heddle.generate(f"cholesky:tiles={count}", platform="mirage")
        of = {name: [heddle.schedule(instance, name, bound="none") for _ in range(RUNS)] for name in ("eager", "python-eager")}
        assert of["eager"][0].to_pandas().equals(of["python-eager"][0].to_pandas())
        seconds = {name: statistics.median(run.wall_seconds for run in runs) for name, runs in of.items()}
        rates = {name: len(instance) / took for name, took in seconds.items()}
        print(f"{len(instance):6}  {rates['eager']:12,.0f}  {rates['python-eager']:14,.0f}  "
              f"{seconds['python-eager'] / seconds['eager']:5.1f}")


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [12, 20, 32, 40])
