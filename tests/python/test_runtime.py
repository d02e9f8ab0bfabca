"""The runtime: numpy's arrays as data, Python functions as kernels, policies in Python, what goes wrong, and how it ends."""

import ctypes
import gc
import json
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback
import weakref

import numpy
import pytest

import heddle
from conftest import Eager
from heddle import commute, read, reduce, rw, write

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


@pytest.mark.parametrize("seed", range(4))
def test_results_are_those_of_one_task_after_the_other(each_policy, seed):
    ours, theirs = ([numpy.arange(5, dtype=numpy.int64) + i for i in range(8)] for _ in range(2))
    with runtime(policy=each_policy, seed=seed, trace=True) as rt:
        random_program(seed, 200, ours, rt.submit)
        rt.wait()
        traced = rt.trace(bound="none")
    random_program(seed, 200, theirs, lambda function, *uses: function(*(use.array for use in uses)))
    assert all((a == b).all() for a, b in zip(ours, theirs))
    assert len(traced.instance) == 200 and heddle.validate(traced.instance, traced)


def test_dependencies_follow_from_accesses():
    x, y, z = numpy.zeros(3), numpy.zeros(3), numpy.zeros(3)

    def touch(*arrays):
        pass

    with runtime(trace=True) as rt:
        rt.submit(touch, write(x))
        rt.submit(touch, read(x), write(y))
        rt.submit(touch, read(x), write(z))
        rt.submit(touch, read(y), rw(x))
        last = rt.submit(touch, name="last")
        rt.submit(touch, after=[last], name="behind it", type="other", priority=7)
        rt.wait()
        instance = rt.trace(bound="none").instance
    assert {tuple(edge) for edge in instance.edges.tolist()} >= {(0, 1), (0, 2), (1, 3), (2, 3), (4, 5)}
    assert instance.task_names == ["touch#1", "touch#2", "touch#3", "touch#4", "last", "behind it"]
    # Types are kernels with sizes of data: some have a number.
    assert [name.split("#")[0] for name in instance.task_types] == ["touch"] * 5 + ["other"]
    assert json.loads(instance.to_json())["tasks"][5]["priority"] == 7


def test_function_gets_arrays_and_values_in_their_places():
    x, y = numpy.arange(6.0).reshape(2, 3), numpy.zeros((), dtype=numpy.int32)
    seen = []

    def look(a, text, b, nothing, empty):
        seen.append((type(a), a.shape, a.strides, a.flags.writeable, b.shape, b.dtype, text, nothing, empty.shape))
        b[()] = a.sum()

    with runtime() as rt:
        rt.submit(look, read(x), "text", write(y), None, read(numpy.zeros((0, 3))))
    assert seen == [(numpy.ndarray, (2, 3), x.strides, False, (), numpy.dtype(numpy.int32), "text", None, (0, 3))]
    assert y == 15


def test_read_arrays_cannot_be_written(each_policy):
    x = numpy.zeros(3)

    def overwrite(x):
        x[:] = 1

    with runtime(policy=each_policy) as rt:
        rt.submit(overwrite, read(x))
        with pytest.raises(ValueError, match="read-only"):
            rt.wait()
    assert (x == 0).all()


def doubled(x):
    x *= 2


@pytest.mark.parametrize("part", [
    lambda a: a, lambda a: a.T, lambda a: a[1], lambda a: a[:, 1], lambda a: a[2:, 1:3], lambda a: a[::2], lambda a: a[:, ::2],
    lambda a: a[1:3].T, lambda a: a.reshape(2, 3, 4), lambda a: a.reshape(2, 3, 4)[:, 1], lambda a: a.reshape(2, 3, 4)[1, 1:],
    lambda a: a[1, 1:2], lambda a: a[0, 0, None, None], lambda a: a.view(numpy.int32), lambda a: numpy.asfortranarray(a),
])
def test_parts_of_arrays_are_data(part, each_policy):
    whole = numpy.arange(24).reshape(6, 4)
    expected = whole.copy()
    doubled(part(expected))
    with runtime(policy=each_policy) as rt:
        rt.submit(doubled, rw(part(whole)))
    assert (whole == expected).all()


def test_tiles_of_a_matrix_are_data_of_their_own(each_policy):
    whole = numpy.arange(64 * 64, dtype=numpy.float64).reshape(64, 64)
    expected = 2 * whole + 1

    def add_one(x):
        x += 1

    for order in (whole, whole.T):
        tiles = [(slice(i, i + 16), slice(j, j + 8)) for i in range(0, 64, 16) for j in range(0, 64, 8)]
        with runtime(policy=each_policy, trace=True) as rt:
            for tile in tiles:
                rt.submit(doubled, rw(order[tile]))
            for tile in tiles:  # other objects of the same memory
                rt.submit(add_one, rw(order[tile]))
            rt.wait()
            assert {tuple(edge) for edge in rt.trace(bound="none").instance.edges.tolist()} <= {(i, i + 32) for i in range(32)}
        assert (whole == expected).all()
        expected = 2 * expected + 1


def bytes_of(array):
    """The addresses of all its bytes."""
    grid = sum((numpy.arange(count)[(slice(None),) + (None,) * (array.ndim - 1 - axis)] * stride
                for axis, (count, stride) in enumerate(zip(array.shape, array.strides))), numpy.zeros((1,) * array.ndim, int))
    start = array.__array_interface__["data"][0]
    return {start + int(place) + byte for place in numpy.ravel(grid) for byte in range(array.itemsize)}


def test_overlapping_arrays_are_refused_and_others_are_not():
    random = numpy.random.default_rng(5)
    whole = numpy.zeros((9, 7), dtype=numpy.int16)
    refused = accepted = 0
    for _ in range(400):
        parts = []
        for _ in range(2):
            (i, k), (j, m) = (sorted(random.choice(side + 1, 2, replace=False)) for side in whole.shape)
            part = whole[i:k:random.integers(1, 3), j:m:random.integers(1, 3)]
            parts.append(part.T if random.random() < 0.3 else part)
        a, b = parts
        with runtime("cpu=1", bind=False) as rt:
            try:
                rt.submit(doubled, rw(a))
                rt.wait()
                kept = numpy.zeros(1)  # keeps `a` in use
                rt.record(lambda: rt.submit(lambda a, kept: None, read(a), read(kept)))
            except heddle.InputError as error:
                assert "neither one block nor equal blocks" in str(error)
                continue
            try:
                rt.submit(doubled, rw(b))
                accepted += 1
                overlaps = False
            except heddle.InputError as error:
                if "neither one block" in str(error):
                    continue
                assert "argument 1 of 'doubled' overlaps another array" in str(error)
                refused += 1
                overlaps = True
            assert overlaps == (bytes_of(a) != bytes_of(b) and bool(bytes_of(a) & bytes_of(b)))
    assert refused > 50 and accepted > 50


def test_arrays_in_use_cost_the_same_among_many():
    """The columns of a matrix lie between each other: each is a neighbour of all others."""
    columns, lone = list(numpy.zeros((10, 4000)).T), [numpy.zeros(10)] * 4000

    def shortest(arrays):
        def submit_tasks():
            begin = time.perf_counter()
            for array in arrays:
                rt.submit(int, read(array))
            seconds.append(time.perf_counter() - begin)

        seconds = []
        for _ in range(4):  # the first one registers them
            rt.record(submit_tasks)
        return min(seconds)

    with runtime() as rt:
        assert shortest(columns) < 5 * shortest(lone)


def test_wait_ends_the_use_of_arrays():
    whole = numpy.ones(10)
    with runtime() as rt:
        rt.submit(doubled, rw(whole))
        with pytest.raises(heddle.InputError, match="overlaps"):
            rt.submit(doubled, rw(whole[:5]))
        rt.wait()
        rt.submit(doubled, rw(whole[:5]))
        rt.submit(doubled, rw(whole[5:]))
    assert (whole == 4).all()


def test_arrays_live_until_wait_and_no_longer():
    with runtime() as rt:
        array = numpy.ones(1000)
        gone = weakref.ref(array)
        value = [gone]
        rt.submit(lambda x, value: time.sleep(0.01), rw(array), value)
        del array
        assert gone() is not None
        rt.wait()
        assert gone() is None
        assert sys.getrefcount(value) == 2


def test_reductions_and_commuting_tasks(each_policy):
    parts = numpy.arange(4000.0).reshape(40, 100)
    for kind in (numpy.float32, numpy.float64, numpy.int16, numpy.uint64, numpy.complex64, numpy.complex128):
        sums = numpy.full((2, 5), 7, dtype=kind)
        counter = numpy.zeros((), dtype=numpy.int64)

        def add(part, total):
            total[0, 0] += part.sum() % 100
            total[1, 3] += 1

        def count(counter):
            before = int(counter)
            time.sleep(0)
            counter[()] = before + 1

        with runtime(policy=each_policy) as rt:
            for part in parts:
                rt.submit(add, read(part), reduce(sums))
                rt.submit(count, commute(counter))
        assert counter == 40
        expected = numpy.full((2, 5), 7, dtype=kind)
        expected[0, 0] += sum(part.sum() % 100 for part in parts)
        expected[1, 3] += 40
        assert (sums == expected).all()


def test_functions_run_at_the_same_time_where_they_give_up_the_lock():
    barrier = threading.Barrier(2)

    def meet():
        barrier.wait(timeout=60)

    with runtime() as rt:  # each needs the other one
        for _ in range(2):
            rt.submit(meet)


def test_functions_of_ctypes_are_kernels():
    x = numpy.zeros(100, dtype=numpy.uint8)
    memset = ctypes.CDLL(None).memset
    memset.argtypes = [numpy.ctypeslib.ndpointer(numpy.uint8), ctypes.c_int, ctypes.c_size_t]
    with runtime(trace=True) as rt:
        rt.submit(memset, write(x), 3, 100)
        rt.wait()
        assert rt.trace(bound="none").instance.task_types == ["memset"]
    assert (x == 3).all()


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_functions_in_c_run_without_the_lock(tmp_path):
    (tmp_path / "kernels.c").write_text("""
        #include <stdatomic.h>
        #include <stddef.h>
        void axpy(double a, const double* x, double* y, size_t n) { for (size_t i = 0; i < n; ++i) y[i] += a * x[i]; }
        void meet(atomic_int* here, const atomic_int* there) { *here = 1; while (!*there) {} }
    """)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", tmp_path / "kernels.so", tmp_path / "kernels.c"], check=True)
    kernels = ctypes.CDLL(str(tmp_path / "kernels.so"))
    vector = numpy.ctypeslib.ndpointer(numpy.float64, flags="C_CONTIGUOUS")
    kernels.axpy.argtypes, kernels.axpy.restype = [ctypes.c_double, vector, vector, ctypes.c_size_t], None
    kernels.meet.argtypes, kernels.meet.restype = [ctypes.POINTER(ctypes.c_int)] * 2, None
    x, y = numpy.arange(100.0), numpy.ones(100)
    one, other = ctypes.c_int(0), ctypes.c_int(0)
    with runtime() as rt:
        for part in (slice(0, 50), slice(50, 100)):
            rt.submit(kernels.axpy, 2, read(x[part]), rw(y[part]), 50)
        rt.submit(kernels.meet, one, other)  # each waits for the other one
        rt.submit(kernels.meet, other, one)
    assert (y == 1 + 2 * numpy.arange(100.0)).all() and one.value == other.value == 1


def test_tasks_submit_tasks():
    x = numpy.zeros(1, dtype=numpy.int64)

    def countdown(rt, left, x):
        x += 1
        if left:
            rt.submit(countdown, rt, left - 1, rw(first))

    first = x
    with runtime() as rt:
        rt.submit(countdown, rt, 99, rw(x))
    assert x == 100


def test_tasks_may_not_wait_and_policies_not_use_a_runtime(eager):
    with runtime() as rt:
        for wrong in (rt.wait, rt.close, rt.trace, rt.submit(int).wait):
            rt.submit(wrong)
            with pytest.raises(heddle.InputError, match="a task cannot"):
                rt.wait()

    @heddle.policy("uses-runtime")
    class UsesRuntime(eager):
        def next(self, view):
            rt.submit(int)

    with runtime(policy="uses-runtime") as rt:
        rt.submit(int)
        with pytest.raises(heddle.InputError, match="a policy cannot use a runtime"):
            rt.wait()
        rt.close()


class Mistake(Exception):
    pass


def fail(*arrays):
    raise Mistake("the author's")


def test_exceptions_arrive_with_traceback_and_task(each_policy):
    x, y = numpy.zeros(3), numpy.zeros(3)
    with runtime(policy=each_policy) as rt:
        failing = rt.submit(fail, rw(x), name="step 3")
        dependent = rt.submit(doubled, rw(x))
        rt.submit(lambda y: y.fill(5), write(y))
        for wait in (failing.wait, dependent.wait, rt.wait):
            with pytest.raises(Mistake) as error:
                wait()
            text = "".join(traceback.format_exception(error.value))
            assert 'raise Mistake("the author\'s")' in text and text.count("in task 'step 3' of the runtime") == 1
        rt.wait()  # told once
        assert (y == 5).all() and failing.done and dependent.done
        x.fill(1)  # the program's to fill again
        rt.submit(doubled, rw(x))
        rt.wait()
        assert (x == 2).all()


def test_kinds_of_exceptions_pass():
    for kind in (KeyboardInterrupt, SystemExit, heddle.InputError, MemoryError):
        def throw():
            raise kind("told")

        with runtime() as rt:
            rt.submit(throw)
            with pytest.raises(kind, match="told"):
                rt.wait()


def test_exceptions_in_the_block_cancel_tasks():
    ran = []
    with pytest.raises(Mistake):
        with runtime("cpu=1") as rt:
            for number in range(100):
                rt.submit(lambda number: (time.sleep(0.01), ran.append(number)), number)
            raise Mistake
    assert len(ran) < 100
    with pytest.raises(heddle.InputError, match="closed"):
        rt.wait()
    rt.close()
    assert repr(rt) == "<heddle.Runtime, closed>"


def test_cancelled_tasks_are_said():
    begun, go_on = threading.Event(), threading.Event()

    def hold():
        begun.set()
        go_on.wait(60)

    with runtime("cpu=1") as rt:
        rt.submit(hold)
        last = rt.submit(int)
        begun.wait(60)
        rt.cancel()
        go_on.set()
        with pytest.raises(heddle.Cancelled, match="'int#2'"):
            rt.wait()
        with pytest.raises(heddle.Cancelled):
            last.wait()


def test_recorded_graphs_run_again():
    x = numpy.ones(4)
    with runtime(policy="heft", trace=True) as rt:
        def submit_tasks():
            for _ in range(3):
                rt.submit(doubled, rw(x))
            with pytest.raises(heddle.InputError, match="recorded"):
                rt.wait()

        graph = rt.record(submit_tasks)
        assert len(graph) == 3 and (x == 1).all()
        for _ in range(2):
            rt.run(graph)
            rt.submit(lambda x: x.__iadd__(1), rw(x))
        rt.wait()
        assert (x == 73).all()
        with pytest.raises(Mistake):
            rt.record(fail)
        rt.submit(doubled, rw(x))  # it is not recorded
    assert (x == 146).all()
    with runtime() as other, pytest.raises(heddle.InputError, match="another runtime"):
        other.run(graph)


def test_other_runtimes_run_while_tasks_are_recorded():
    x, y = numpy.ones(4), numpy.ones(4)
    with runtime() as rt:
        def submit_tasks():
            rt.submit(doubled, rw(x))
            with runtime() as other:
                other.submit(doubled, rw(y))
                other.wait()
                assert (y == 2).all()
            assert "closed" in repr(other)
            dropped = runtime()
            dropped.submit(doubled, rw(y))
            del dropped
            assert (y == 4).all()
            rt.submit(doubled, rw(x))

        graph = rt.record(submit_tasks)
        assert len(graph) == 2 and (x == 1).all()
        rt.run(graph)
    assert (x == 4).all()


def test_contexts_have_workers_and_policies_of_their_own(eager):
    x, y = numpy.zeros(4), numpy.zeros(4)
    with runtime(trace=True) as rt:
        solver = rt.context("solver", "cpu=1", "python-eager")
        rest = rt.context("rest", "cpu=1")
        assert (solver.name, rest.name) == ("solver", "rest")

        def submit_tasks():
            for _ in range(5):
                rt.submit(doubled, rw(x), type="SOLVE")

        for _ in range(5):
            rt.submit(doubled, rw(y), context=rest, type="REST")
        rt.within(solver, submit_tasks)
        with pytest.raises(Mistake):
            rt.within(solver, fail)
        rt.wait()
        traced = rt.trace(bound="none")
    assert heddle.validate(traced.instance, traced)
    workers = traced.to_pandas().groupby("type")["worker"].agg(set)
    assert workers["SOLVE"] == {"cpu0"} and workers["REST"] == {"cpu1"}

    @heddle.policy("fails-in-context")
    class Fails(eager):
        def next(self, view):
            fail()

    with runtime() as rt:
        failing, rest = rt.context("failing", "cpu=1", "fails-in-context"), rt.context("rest", "cpu=1")
        rt.submit(doubled, rw(x), context=failing)
        rt.submit(lambda y: y.fill(7), write(y), context=rest)
        with pytest.raises(Mistake):
            rt.wait()
    assert (y == 7).all()
    with runtime() as other, pytest.raises(heddle.InputError, match="context of another runtime"):
        other.submit(int, context=rest)


def test_contexts_by_socket_are_one_for_each(monkeypatch):
    x, y = numpy.zeros(4), numpy.zeros(4)
    monkeypatch.setenv("HWLOC_SYNTHETIC", "package:2 core:1 pu:1")
    with runtime(trace=True) as rt:
        first, second = rt.contexts_by_socket("dmdas")
        assert (first.name, second.name) == ("socket0", "socket1")
        rt.submit(doubled, rw(x), context=first, type="FIRST")
        rt.submit(doubled, rw(y), context=second, type="SECOND")
        with pytest.raises(heddle.InputError, match="contexts by socket are the first of a runtime"):
            rt.contexts_by_socket()
        rt.wait()
        traced = rt.trace(bound="none")
    assert heddle.validate(traced.instance, traced)
    assert dict(traced.to_pandas().set_index("type")["worker"]) == {"FIRST": "cpu0", "SECOND": "cpu1"}


def test_contexts_change_while_tasks_run():
    x, y = numpy.ones(4), numpy.ones(4)
    begun, go_on = threading.Event(), threading.Event()

    def hold():
        begun.set()
        go_on.wait(60)

    with runtime(trace=True) as rt:
        solver, rest = rt.context("solver", "cpu=1"), rt.context("rest", "cpu=1")
        rt.submit(hold, context=solver)
        begun.wait(60)
        solver.add("cpu1")
        rt.submit(doubled, rw(x), context=solver, type="ADDED").wait()  # its other worker is held
        rest.add("cpu0")
        rest.remove("cpu1")
        rt.submit(doubled, rw(y), context=rest, type="REMOVED")
        solver.close(heir=rest)
        rt.submit(doubled, rw(x), context=rest, type="INHERITED").wait()
        late = rt.context("late", "cpu1")
        rt.submit(doubled, rw(x), context=late)
        go_on.set()
        rt.wait()
        traced = rt.trace(bound="none")
        other = runtime()
        for refused, sentence in [
                (lambda: solver.add("cpu=1"), "context 'solver' is closed"),
                (lambda: rest.add("cpu9"), "names worker 'cpu9', which the platform does not have"),
                (lambda: late.remove("cpu=1"), "context 'late' would have no worker left"),
                (lambda: late.close(other.context("other", "cpu=1")), "the heir of a context is of another runtime"),
                (lambda: rt.context("rest", "cpu1"), "there are two contexts called 'rest'")]:
            with pytest.raises(heddle.InputError, match=sentence):
                refused()
        first = other.context("one more", "cpu=1")
        other.close()
        with pytest.raises(heddle.InputError, match="the runtime of the context is closed"):
            first.add("cpu=1")
    assert (x == 8).all() and (y == 2).all() and heddle.validate(traced.instance, traced)
    workers = traced.to_pandas().groupby("type")["worker"].agg(set)
    assert workers["ADDED"] == workers["INHERITED"] == {"cpu1"}
    with runtime() as rt:
        rt.submit(int)
        with pytest.raises(heddle.InputError, match="context"):
            rt.context("too late", "cpu=1")


def test_a_rule_moves_workers_between_contexts():
    with runtime(trace=True, resize="idle") as rt:
        solver, rest = rt.context("solver", "cpu=1"), rt.context("rest", "cpu=1")
        rt.submit(time.sleep, 0.001, context=solver, type="SOLVE")
        for _ in range(100):
            rt.submit(time.sleep, 0.001, context=rest, type="REST")
        rt.wait()
        traced = rt.trace(bound="none")
    assert heddle.validate(traced.instance, traced)
    workers = traced.to_pandas().groupby("type")["worker"].agg(set)
    assert workers["SOLVE"] == {"cpu0"} and workers["REST"] == {"cpu0", "cpu1"}
    with pytest.raises(heddle.InputError, match="which is not a rule for contexts; expected one of idle, speed, lp, simulate"):
        runtime(resize="often")


def test_a_runtime_is_not_closed_in_its_own_calls():
    x = numpy.ones(4)
    with runtime() as rt:
        context = rt.context("all", "cpu=2")
        for call in (rt.record, lambda function: rt.within(context, function)):
            with pytest.raises(heddle.InputError, match="a runtime cannot be closed"):
                call(lambda: rt.within(context, rt.close))
        other = runtime()
        rt.within(context, lambda: other.submit(doubled, rw(x)))
        rt.within(context, other.close)
        assert (x == 2).all()
        rt.submit(doubled, rw(x))
    assert (x == 4).all()


def test_trace_is_a_schedule_like_any_other(tmp_path):
    x = [numpy.ones(100) for _ in range(6)]
    with runtime(trace=True) as rt:
        for _ in range(5):
            for one in x:
                rt.submit(lambda x: time.sleep(0.0005), rw(one), type="SLEEP")
        rt.wait()
        traced = rt.trace("sleeping")
    assert traced.instance.name == "sleeping" and traced.ratio >= 1 and traced.policy == "eager"
    frame = traced.to_pandas()
    assert len(frame) == 30 and (frame["type"] == "SLEEP").all() and set(frame["worker"]) <= {"cpu0", "cpu1"}
    assert ((frame["end"] - frame["start"]) >= 0.0005).all()
    assert len(traced.gantt().patches) == 30
    assert heddle.analyze(traced, what_if=False).verdict
    assert heddle.schedule(traced.instance, "heft").makespan >= heddle.bound(traced.instance).best
    with runtime() as rt, pytest.raises(heddle.InputError, match="trace"):
        rt.trace()


def test_policy_in_python_decides_and_its_facts_replay(tmp_path, eager):
    told = []

    @heddle.policy("tells")
    class Tells(eager):
        def finished(self, view, completions):
            told.extend(task for task, _ in completions)

        def start(self, view):
            told.append(view.classes)

    arrays = [numpy.arange(5) + i for i in range(8)]
    facts = tmp_path / "facts.json"
    with runtime(policy="tells", facts=facts) as rt:
        random_program(1, 300, arrays, rt.submit)
    epochs = told.count(["cpu", "gpu"])  # each policy is shown two classes
    assert epochs > 0 and len(told) == 300 + epochs
    again = heddle.replay(facts)
    assert again and again.decisions >= 300 and again.epochs == epochs
    assert "all the same" in repr(again)
    assert heddle.replay(facts, "eager")  # its twin
    other = heddle.replay(facts, "random")
    assert not other and other.difference


def test_plans_are_followed(tmp_path):
    x = [numpy.arange(4) + i for i in range(6)]

    with runtime(trace=True) as rt:
        graph = rt.record(lambda: random_program(3, 40, x, rt.submit))
        rt.run(graph)
        rt.wait()
        instance = rt.trace(bound="none").instance
    plan = heddle.search(instance, iterations=2000, bound="none")
    plan.save(tmp_path / "plan.json")
    with runtime(policy=f"static:file={tmp_path / 'plan.json'}", trace=True) as rt:
        graph = rt.record(lambda: random_program(3, 40, x, rt.submit))
        rt.run(graph)
        rt.wait()
        followed = rt.trace(bound="none")
    planned = plan.to_pandas().set_index("task")["worker"]
    assert dict(planned) == dict(followed.to_pandas().set_index("task")["worker"])


def test_policies_copy_themselves_in_the_runtime(eager):
    @heddle.policy("foresees")
    class Foresees(eager):
        is_copy = False

        def next(self, view):
            if not self.is_copy:
                self.is_copy = True
                assert view.makespan(self) >= 0
                self.is_copy = False
            return super().next(view)

    arrays = [numpy.arange(5) + i for i in range(8)]
    with runtime(policy="foresees") as rt:
        random_program(2, 60, arrays, rt.submit)


def test_exceptions_of_policies_arrive_each_time(eager):
    x = numpy.zeros(1)

    @heddle.policy("fails-in-runtime")
    class Fails(eager):
        def finished(self, view, completions):
            fail()

    with runtime(policy="fails-in-runtime") as rt:
        for _ in range(3):
            rt.submit(doubled, rw(x))
        for _ in range(2):
            with pytest.raises(Mistake) as error:
                rt.wait()
            assert "in fail" in "".join(traceback.format_exception(error.value))
        rt.close()

    @heddle.policy("answers-badly")
    class Answers(eager):
        def next(self, view):
            return heddle.run(10**9, 0)

    with runtime(policy="answers-badly") as rt:
        rt.submit(int)
        with pytest.raises(heddle.InputError, match="policy 'answers-badly'"):
            rt.wait()
        rt.close()


def test_aborted_attempts_change_nothing():
    aborted.clear()
    kept = []
    x = numpy.zeros((4, 6))

    def slow(part, number):
        part += number
        kept.append(part)
        time.sleep(0.003)
        part += 1

    with runtime(policy="restarts-once") as rt:
        for number in range(30):
            rt.submit(slow, rw(x[1:3, 2:5]), number)
    assert aborted
    expected = numpy.zeros((4, 6))
    expected[1:3, 2:5] = 30 + sum(range(30))
    assert (x == expected).all()
    del x
    gc.collect()
    assert all(numpy.isfinite(part).all() for part in kept)  # also those of aborted attempts


def test_several_threads_submit_and_wait():
    total = numpy.zeros((), dtype=numpy.int64)
    rt = runtime(policy="python-eager")

    def one(number):
        own = numpy.zeros(3)
        for _ in range(50):
            rt.submit(doubled, rw(own))
            rt.submit(lambda total: total.__iadd__(1), reduce(total))
        rt.wait()
        own += 1
        rt.submit(doubled, rw(own)).wait()

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rt.close()
    assert total == 300


def test_tasks_and_contexts_are_used_while_the_runtime_closes():
    def use(call):
        begun.wait(60)
        try:
            while True:
                call()
        except heddle.InputError as error:
            told.append(str(error))

    for _ in range(30):
        begun, told = threading.Barrier(4), []
        rt = runtime()
        solver, rest = rt.context("solver", "cpu=1"), rt.context("rest", "cpu=1")
        task = rt.submit(time.sleep, 0.002)
        calls = (task.wait, task.wait, lambda: (solver.add("cpu1"), solver.remove("cpu1"), task.done))
        threads = [threading.Thread(target=use, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        begun.wait(60)
        rt.close()
        assert task.done
        for thread in threads:
            thread.join()
        assert sorted(told) == ["the runtime of the context is closed"] + ["the runtime of the task is closed"] * 2


def test_runtimes_that_are_dropped_close():
    for cycle in (False, True):
        x = numpy.zeros(1)
        rt = runtime()
        task = rt.submit(lambda x: (time.sleep(0.01), x.fill(1)), write(x))
        if cycle:
            rt.itself = rt
        gone = weakref.ref(rt)
        del rt
        gc.collect()
        assert gone() is None and (x == 1).all() and task.done
        with pytest.raises(heddle.InputError, match="closed"):
            task.wait()


def test_a_runtime_dropped_in_a_task_closes():
    held = [runtime("cpu=1", bind=False)]
    closed = weakref.ref(held[0])
    x = numpy.zeros(1)

    def drop():
        go_on.wait(60)
        held.clear()
        gc.collect()

    go_on = threading.Event()
    held[0].submit(drop)
    held[0].submit(lambda x: x.fill(1), write(x))
    go_on.set()
    for _ in range(600):
        if not held and x[0] == 1:
            break
        time.sleep(0.1)
    for thread in threading.enumerate():
        if not thread.daemon and thread is not threading.main_thread():
            thread.join(60)
    assert closed() is None and x[0] == 1


def program(text):
    return [sys.executable, "-c", "import heddle, numpy, os, sys, time, threading\n" + textwrap.dedent(text)]


@pytest.mark.parametrize("policy", ["eager", "heteroprio-dep", "mine"])
def test_programs_end(policy):
    """Without close(), with tasks that run, also where another thread waits, and with a policy in Python."""
    text = """
        @heddle.policy("mine")
        class Mine:
            def __init__(self):
                self.tasks = []
            def ready(self, view, tasks):
                self.tasks += tasks
            def next(self, view):
                for worker in view.idle():
                    if self.tasks:
                        return heddle.run(self.tasks.pop(0), worker)

        x = numpy.zeros(1)
        rt = heddle.Runtime("cpu=2", "POLICY", history="")
        for _ in range(20):
            rt.submit(lambda x: (time.sleep(0.005), x.__iadd__(1)), heddle.rw(x))
        rt.submit(lambda x: print(x[0], flush=True), heddle.read(x))
        threading.Thread(target=rt.wait, daemon=True).start()
    """.replace("POLICY", policy)
    done = subprocess.run(program(text), capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr, done.returncode) == ("20.0\n", "", 0)


@pytest.mark.parametrize("how", ["rt.wait()", "task.wait()", "rt.close()"])
def test_ctrl_c_cancels_and_ends(how):
    text = """
        rt = heddle.Runtime("cpu=1", "eager", history="")
        ran = []
        main = threading.get_ident()

        def sleep():
            ran.append(0)
            if waits(sys._current_frames()[main]) and not said:
                said.append(print("it waits", flush=True))
            time.sleep(0.02)

        def waits(frame):
            return frame.f_lineno == line if frame.f_back is None else waits(frame.f_back)

        said, line = [], 0
        for _ in range(1000):
            task = rt.submit(sleep)
        try:
            line = sys._getframe().f_lineno + 1
            HOW
        except KeyboardInterrupt:
            rt.close()
            print("interrupted", len(ran) < 1000)
    """.replace("HOW", how)
    process = subprocess.Popen(program(text), stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "it waits\n"
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=120)
    assert said.splitlines()[-1] == "interrupted True" and process.returncode == 0


@pytest.mark.parametrize("how", ["rt.wait()", "task.wait()"])
@pytest.mark.parametrize("handler, sentence", [
    ("rt.close(cancel=True)", "a runtime cannot be closed in a call of its own"),
    ("rt.cancel()", "task 'int#2': the task was cancelled"),
    ("globals().update(rt=None)", "no exception"),  # it is closed later, by another thread
])
def test_signal_handlers_cannot_close_what_waits(how, handler, sentence):
    text = """
        import signal
        rt = heddle.Runtime("cpu=1", "eager", history="")
        main, line, handled = threading.get_ident(), 0, []

        def waits(frame):
            return frame.f_lineno == line if frame.f_back is None else waits(frame.f_back)

        def hold():
            while not waits(sys._current_frames()[main]):
                time.sleep(0.001)
            time.sleep(0.1)
            os.kill(os.getpid(), signal.SIGUSR1)
            while not handled:
                time.sleep(0.001)

        def handle(number, frame):
            handled.append(number)
            HANDLER

        signal.signal(signal.SIGUSR1, handle)
        rt.submit(hold)
        task = rt.submit(int)
        try:
            line = sys._getframe().f_lineno + 1
            HOW
            print("no exception")
        except (heddle.InputError, heddle.Cancelled) as error:
            print(error)
        if rt:
            rt.close()
    """.replace("HOW", how).replace("HANDLER", handler)
    done = subprocess.run(program(text), capture_output=True, text=True, timeout=120)
    assert done.stdout.startswith(sentence) and (done.stderr, done.returncode) == ("", 0), done


def test_children_of_a_fork_cannot_use_it():
    text = """
        rt = heddle.Runtime("cpu=2", "eager", history="")
        x = numpy.zeros(1)
        rt.submit(lambda x: x.fill(1), heddle.write(x))
        rt.wait()
        if os.fork() == 0:
            try:
                rt.submit(int)
            except heddle.InputError as error:
                print(error, flush=True)
            sys.exit()
        print(os.wait()[1], flush=True)
    """
    done = subprocess.run(program(text), capture_output=True, text=True, timeout=120)
    assert "fork()" in done.stdout and done.stdout.endswith("\n0\n") and done.returncode == 0, (done.stdout, done.stderr)


def readonly():
    array = numpy.zeros(3)
    array.setflags(write=False)
    return array


@pytest.mark.parametrize("wrong, sentence", [
    (lambda rt: rt.submit(int, numpy.zeros(3)), "argument 1 of 'int' is an array without an access; expected read\\(a\\)"),
    (lambda rt: rt.submit(fail, 1, write(readonly())), "argument 2 of 'fail' is an array that cannot be written"),
    (lambda rt: rt.submit(fail, rw(numpy.zeros(3, dtype=object))), "array of Python objects"),
    (lambda rt: rt.submit(fail, rw(numpy.zeros(9)[::-1])), "negative strides"),
    (lambda rt: rt.submit(fail, rw(numpy.zeros((9, 9, 9))[::2, ::2, ::2])), "neither one block nor equal blocks"),
    (lambda rt: rt.submit(fail, read(numpy.broadcast_to(numpy.zeros(3), (4, 3)))), "neither one block nor equal blocks"),
    (lambda rt: rt.submit(fail, reduce(numpy.zeros(3, dtype=bool))), "cannot be summed up"),
    (lambda rt: rw([1, 2]), "rw\\(...\\) is given an object of type 'list'; expected an array of numpy"),
    (lambda rt: read(3), "read\\(...\\) is given an object of type 'int'; expected a path, or an array of numpy"),
    (lambda rt: read(numpy.zeros(3), "mirage"), "which only a file has"),
    (lambda rt: rt.submit(fail, rw(same := numpy.zeros(3)), rw(same)), "the same datum"),
    (lambda rt: heddle.Runtime("gpu=1"), "gpu"),
    (lambda rt: heddle.Runtime(policy="hetf"), "did you mean 'heft'"),
    (lambda rt: heddle.Runtime(facts="/no/such/folder/facts.json"), "/no/such/folder"),
    (lambda rt: heddle.replay("/no/such/file"), "cannot read"),
])
def test_bad_input_is_one_sentence(wrong, sentence):
    with runtime() as rt:
        with pytest.raises(heddle.InputError, match=sentence) as error:
            wrong(rt)
    assert "\n" not in str(error.value)


def test_sums_of_two_types_are_refused():
    x = numpy.zeros(4, dtype=numpy.int64)
    with runtime() as rt:
        rt.submit(lambda x: None, reduce(x))
        with pytest.raises(heddle.InputError, match="array of float64, and other tasks sum up into it as int64"):
            rt.submit(lambda x: None, reduce(x.view(numpy.float64)))
