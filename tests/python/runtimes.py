"""What the tests of the runtime share: runtimes, programs whose results depend on their order, and what goes wrong."""

import numpy
import pytest

import heddle
from conftest import Eager
from heddle import read, rw

# "random" draws lots; heteroprio-dep aborts attempts, where there are two classes; heft plans, and keeps an order of its own.
POLICIES = ["eager", "dmdas", "heft", "random", "heteroprio-dep", "python-eager", "restarts-once"]
TWO_CLASSES = "cpu=1,cpu2=1"

aborted = []  # tasks, by the next policy


@heddle.policy("restarts-once")
class RestartsOnce(Eager):
    """Restarts each task on a worker that is idle, once."""

    needs = {"abort"}

    def start(self, view):
        self.restarted = set()

    def next(self, view):
        action = super().next(view)
        if action is None and len(idle := view.idle()) == 1:
            task = view.running(1 - idle[0])
            if task is not None and task not in self.restarted and view.may_abort(1 - idle[0]):
                self.restarted.add(task)
                return heddle.restart(task, idle[0])
        return action

    def aborted(self, view, task, worker):
        aborted.append(task)


def runtime(workers="cpu=2", policy="eager", **options):
    if policy in ("heteroprio-dep", "restarts-once"):
        workers, options = TWO_CLASSES, {**options, "bind": False}
    return heddle.Runtime(workers, policy, history="", **options)


@pytest.fixture(params=POLICIES)
def each_policy(request):
    return request.param


def random_program(seed, count, arrays, submit):
    """Submits tasks whose result depends on their order wherever two use the same array and one writes."""
    random = numpy.random.default_rng(seed)
    for number in range(count):
        first, second, third = random.permutation(len(arrays))[:3]

        def step(a, b, c, number=number):
            c *= 3
            c += a - 2 * b + number

        submit(step, read(arrays[first]), read(arrays[second]), rw(arrays[third]))


def doubled(x):
    x *= 2


class Mistake(Exception):
    pass


def fail(*arrays):
    raise Mistake("the author's")
