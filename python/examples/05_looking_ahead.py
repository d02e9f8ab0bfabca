"""A policy that looks ahead: whenever tasks have ended, it simulates two ways to go on, and takes the better one."""

from __future__ import annotations

from collections import deque

import heddle


class FirstComeFirstServed:
    """One queue, for all workers or for those of the last class only."""

    def __init__(self) -> None:
        self.queue: deque[int] = deque()
        self.every_class = True

    def ready(self, view: heddle.View, tasks: list[int]) -> None:
        self.queue.extend(tasks)

    def next(self, view: heddle.View) -> heddle.Action | None:
        for worker in view.idle():
            if self.queue and (self.every_class or view.class_of(worker) == len(view.classes) - 1):
                return heddle.run(self.queue.popleft(), worker)
        return None


@heddle.policy("undecided")
class Undecided(FirstComeFirstServed):
    """Asks whether the run would be shorter if only the last class went on."""

    asks = True

    def finished(self, view: heddle.View, completions: list[tuple[int, int]]) -> None:
        self.asks = True

    def next(self, view: heddle.View) -> heddle.Action | None:
        if self.asks:
            self.asks = False  # the copies that are simulated do not ask
            makespans = []
            for every_class in (True, False):
                copied = FirstComeFirstServed()
                copied.queue, copied.every_class = self.queue, every_class
                makespans.append(view.makespan(copied))
            self.every_class = makespans[0] <= makespans[1]
        return super().next(view)


heddle.register("all-classes", FirstComeFirstServed)
instance = heddle.generate("cholesky:tiles=8", platform="mirage")
print(heddle.compare(instance, ["all-classes", "undecided", "heft"]))
