"""What goes wrong in the runtime, and what it refuses."""

import threading
import time
import traceback

import numpy
import pytest

import heddle
from heddle import read, reduce, rw, write
from runtimes import Mistake, doubled, each_policy, fail, runtime


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
