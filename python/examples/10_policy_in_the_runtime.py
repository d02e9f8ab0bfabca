"""A policy of your own decides on real tasks, after those of Heddle have: critical tasks first, against first come, first served."""

from __future__ import annotations

import heapq

import numpy

import heddle
from heddle import linalg


@heddle.policy("longest-path")
class LongestPath:
    """The ready task from which the path to the end is longest."""

    def start(self, view: heddle.View) -> None:
        self.heap: list[tuple[int, int]] = []
        self.levels = view.bottom_levels()

    def ready(self, view: heddle.View, tasks: list[int]) -> None:
        for task in tasks:
            heapq.heappush(self.heap, (-self.levels[task], task))

    def next(self, view: heddle.View) -> heddle.Action | None:
        for worker in view.idle():
            if self.heap and view.can_run(self.heap[0][1], worker):
                return heddle.run(heapq.heappop(self.heap)[1], worker)
        return None


random = numpy.random.default_rng(1).uniform(size=(1024, 1024))
matrix = random @ random.T + 1024 * numpy.eye(1024)
right = random[:, :8].copy()
for policy in ("eager", "dmdas", "longest-path"):
    solution = right.copy()
    with heddle.Runtime(workers="cpu=2", policy=policy, trace=True, facts="facts.json") as runtime:
        graph = runtime.record(lambda: linalg.solve(runtime, matrix, solution, positive=True, tile=128))
        runtime.run(graph)
        runtime.wait()
        ran = runtime.trace("solve")
    error = abs(matrix @ solution - right).max()
    again = heddle.replay("facts.json")
    print(f"{policy:13}: {1e3 * ran.makespan:6.1f} ms, {ran.ratio or 0:.3f} times the bound, error {error:.0e}; {again!r}")
