"""Policies in Python, plans and contexts in the runtime."""

import threading
import time

import numpy
import pytest

import heddle
from heddle import rw, write
from runtimes import Mistake, doubled, fail, random_program, runtime


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
