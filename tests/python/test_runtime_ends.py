"""How a runtime ends: closed, dropped, interrupted or forked."""

import gc
import signal
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import numpy
import pytest

import heddle
from heddle import rw, write
from runtimes import doubled, runtime


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
