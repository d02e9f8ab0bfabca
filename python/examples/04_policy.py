"""A policy of your own: an idle worker takes the task that it does best compared with the other classes."""

from __future__ import annotations

import heddle


@heddle.policy("suits-best")
class SuitsBest:
    """The ready task whose duration on the worker's class is smallest compared with the other class."""

    def __init__(self, threshold: float = 0.0) -> None:
        self.ready_tasks: list[int] = []
        self.threshold = threshold  # how well a task must suit a worker

    def ready(self, view: heddle.View, tasks: list[int]) -> None:
        self.ready_tasks += tasks

    def next(self, view: heddle.View) -> heddle.Action | None:
        for worker in view.idle():
            other = view.workers - 1 if view.class_of(worker) == 0 else 0
            suited = max(self.ready_tasks, default=None,
                         key=lambda task: view.estimate(task, other) / view.estimate(task, worker))
            if suited is None:
                continue
            if view.estimate(suited, other) / view.estimate(suited, worker) >= self.threshold:
                self.ready_tasks.remove(suited)
                return heddle.run(suited, worker)
        return None


instances = [heddle.generate(f"{kind}:tiles=10", platform="kumar-2017:cpu=20,gpu=4") for kind in ("cholesky", "lu", "qr")]
print(heddle.compare(instances, ["heft", "eager", "suits-best", "suits-best:threshold=0.1"]))
