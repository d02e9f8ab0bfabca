"""What the tests of the Python module share."""

from collections import deque

import matplotlib
import pytest

import heddle

matplotlib.use("Agg")


class Eager:
    """One queue, first come first served."""

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


heddle.register("python-eager", Eager)


@pytest.fixture
def eager():
    return Eager


@pytest.fixture(scope="session")
def cholesky():
    return heddle.generate("cholesky:tiles=6", platform="mirage")


@pytest.fixture(scope="session")
def kept_schedule(cholesky):
    return heddle.schedule(cholesky, "heteroprio-dep:order=best")
