"""The runtime: numpy's arrays as data, Python functions as kernels, recorded graphs, traces, and several threads."""

import ctypes
import gc
import json
import shutil
import subprocess
import sys
import threading
import time
import weakref

import numpy
import pytest

import heddle
from heddle import commute, read, reduce, rw, write
from runtimes import Mistake, aborted, doubled, each_policy, fail, random_program, runtime


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
