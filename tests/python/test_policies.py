"""Policies in Python: the same protocol, the same schedules."""

import concurrent.futures
import copy
import gc
import traceback
import weakref

import pytest

import heddle


def schedules(instance, *policies, **options):
    return [heddle.schedule(instance, policy, bound="none", **options).to_pandas() for policy in policies]


def test_eager_makes_the_schedules_of_its_twin():
    for seed in range(1, 150):
        workload = f"layered:layers={1 + seed % 7},width={1 + seed % 11},seed={seed}"
        instance = heddle.generate(workload, f"counts:cpu={1 + seed % 5},gpu={1 + seed % 3}")
        ours, theirs = schedules(instance, "python-eager", "eager", noise="lognormal:0.5", seed=seed)
        assert ours.equals(theirs), workload


def test_it_is_a_policy_like_any_other(cholesky):
    assert ("python-eager", "One queue, first come first served.") in heddle.policies()
    frame = heddle.compare([cholesky, cholesky], ["heft", "python-eager", "eager"], runs=3, noise="uniform:0.2").to_pandas()
    of = frame.set_index(["policy", "run"])["makespan"]
    assert list(of["python-eager"]) == list(of["eager"])
    assert list(frame["policy"].unique()) == ["heft", "python-eager", "eager"]


def test_threads_run_side_by_side(cholesky):
    expected = heddle.schedule(cholesky, "eager", bound="none").to_pandas()

    def work(number):
        if number % 3 == 0:
            heddle.compare([cholesky] * 3, ["python-eager", "heft"], bound="none")
        return heddle.schedule(cholesky, "python-eager", bound="none").to_pandas()

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(frame.equals(expected) for frame in pool.map(work, range(60)))


def test_all_facts_are_told_in_order(cholesky, eager):
    told = []

    @heddle.policy("all-facts")
    class AllFacts(eager):
        def start(self, view):
            told.append(("start", view.tasks, view.workers, view.classes))

        def ready(self, view, tasks):
            told.append(("ready", *tasks))
            super().ready(view, tasks)

        def started(self, view, task, worker):
            assert view.running(worker) == task and not view.is_idle(worker)
            told.append(("started", task, worker))

        def finished(self, view, completions):
            told.extend(("finished", task, worker) for task, worker in completions)

    made = heddle.schedule(cholesky, "all-facts")
    assert told[0] == ("start", 56, 12, ["cpu", "gpu"])
    assert told[1] == ("ready", 0)
    assert sorted(task for what, task, *_ in told if what == "finished") == list(range(56))
    assert sorted(task for what, *tasks in told if what == "ready" for task in tasks) == list(range(56))
    assert len([1 for what, *_ in told if what == "started"]) == len(made.to_pandas())


def test_restarts_abort(cholesky, eager):
    @heddle.policy("spoliates")
    class Spoliates(eager):
        needs = {"abort"}

        def __init__(self):
            super().__init__()
            self.lost = 0

        def next(self, view):
            action = super().next(view)
            if action is not None or not view.is_idle(11):
                return action
            for worker in range(9):
                task = view.running(worker)
                if task is None or not view.may_abort(worker):
                    continue
                if view.expected_end(worker) > view.now + view.estimate(task, 11):
                    return heddle.restart(task, 11)

        def aborted(self, view, task, worker):
            self.lost += 1

    made = heddle.schedule(cholesky, "spoliates")
    assert made.to_json()["aborted_attempts"] > 0 and heddle.validate(cholesky, made)
    assert made.makespan < heddle.schedule(cholesky, "eager").makespan


def test_view_is_dead_after_the_call(cholesky, eager):
    kept = []

    @heddle.policy("keeps-views")
    class KeepsViews(eager):
        def next(self, view):
            for dead in kept:
                with pytest.raises(heddle.InputError, match="only during the call"):
                    dead.now
            if len(kept) < 5:
                kept.append(view)
            return super().next(view)

    heddle.schedule(cholesky, "keeps-views")
    with pytest.raises(heddle.InputError, match="only during the call"):
        kept[0].idle()


def test_views_answer_for_what_there_is(cholesky, eager):
    @heddle.policy("asks-for-much")
    class AsksForMuch(eager):
        def start(self, view):
            with pytest.raises(IndexError, match="no task 56"):
                view.name(56)
            with pytest.raises(IndexError, match="no worker 12"):
                view.running(12)
            assert view.name(0) == "POTRF(0,0)" and view.type(0) == "POTRF" and view.predecessors(0) == []
            assert [view.estimate(0, worker) / 1e12 for worker in (0, 11)] == cholesky.durations[0].tolist()
            assert view.worker_name(11) == "gpu2" and view.class_of(11) == 1
            assert not view.moves_data and view.missing_bytes(0, 11) == 0 and view.transfer_estimate(0, 11) == 0
            levels = view.bottom_levels()
            assert all(levels[before] > levels[after] for before, after in cholesky.edges)

    heddle.schedule(cholesky, "asks-for-much")


def test_exceptions_keep_their_traceback(cholesky, eager):
    @heddle.policy("fails")
    class Fails(eager):
        def next(self, view):
            if view.now > 0:
                raise KeyError("the author's mistake")
            return super().next(view)

    for use in (lambda: heddle.schedule(cholesky, "fails"), lambda: heddle.compare([cholesky] * 3, ["heft", "fails"])):
        with pytest.raises(KeyError) as error:
            use()
        assert "raise KeyError(\"the author's mistake\")" in "".join(traceback.format_exception(error.value))


def test_copies_look_ahead(cholesky, eager):
    predicted = []

    @heddle.policy("looks-ahead")
    class LooksAhead(eager):
        looks = True

        def start(self, view):
            if self.looks:
                predicted.append(view.makespan("heft"))
            self.look(view)

        def next(self, view):
            self.look(view)
            return super().next(view)

        def look(self, view):
            if self.looks:
                self.looks = False  # the copy does not look ahead in turn
                predicted.append(view.makespan(self))
                self.looks = True

    made = heddle.schedule(cholesky, "looks-ahead", bound="none")
    assert predicted[0] / 1e12 == heddle.schedule(cholesky, "heft", bound="none").makespan
    assert len(predicted) > 57 and {time / 1e12 for time in predicted[1:]} == {made.makespan}


def test_looking_ahead_has_its_calls(cholesky, eager):
    @heddle.policy("looks-in-ready")
    class LooksInReady(eager):
        def ready(self, view, tasks):
            view.makespan(self)

    with pytest.raises(heddle.InputError, match="only start\\(\\) and next\\(\\) can"):
        heddle.schedule(cholesky, "looks-in-ready")

    @heddle.policy("looks-without-end")
    class LooksWithoutEnd(eager):
        def next(self, view):
            return heddle.wait() if view.makespan(self) else None

    with pytest.raises(RecursionError):
        heddle.schedule(cholesky, "looks-without-end")


def test_state_that_cannot_be_copied_is_said_at_once(eager):
    class Uncopied(eager):
        def __deepcopy__(self, memo):
            raise TypeError("this one holds a socket")

    with pytest.raises(heddle.InputError, match="cannot be made and copied: this one holds a socket"):
        heddle.register("uncopied", Uncopied)


def test_copies_are_of_their_own_and_let_go_of(cholesky, eager):
    alive = weakref.WeakSet()

    @heddle.policy("counted")
    class Counted(eager):
        def __init__(self):
            super().__init__()
            alive.add(self)

        def __deepcopy__(self, memo):
            made = type(self)()
            made.queue = copy.copy(self.queue)
            made.is_copy = True
            return made

        def next(self, view):
            if not hasattr(self, "is_copy"):
                view.makespan(self)
                assert len(alive) <= 3
            return super().next(view)

    assert schedules(cholesky, "counted")[0].equals(schedules(cholesky, "eager")[0])
    gc.collect()
    assert not alive


def test_auto_and_search_leave_it_alone(cholesky):
    class Raises:
        def ready(self, view, tasks):
            raise AssertionError("it was tried")

        def next(self, view):
            raise AssertionError("it was tried")

    heddle.register("raises", Raises)
    assert heddle.schedule(cholesky).ratio >= 1
    assert heddle.search(cholesky, iterations=1000).ratio >= 1


def test_options_and_seed(cholesky, eager):
    made = []

    @heddle.policy("has-options")
    class HasOptions(eager):
        def __init__(self, seed, alpha=0.5, deep=True, depth=3, name="x"):
            super().__init__()
            made.append((seed, alpha, deep, depth, name))

    heddle.schedule(cholesky, "has-options:alpha=0.25,deep=false,name=y", seed=9)
    assert made[-1] == (9, 0.25, False, 3, "y")
    with pytest.raises(heddle.InputError, match="no option 'beta'"):
        heddle.schedule(cholesky, "has-options:beta=1")


def test_defined_again_takes_the_place(cholesky, eager):
    class First(eager):
        pass

    class Second(eager):
        def next(self, view):
            for worker in reversed(view.idle()):
                if self.queue and view.can_run(self.queue[0], worker):
                    return heddle.run(self.queue.popleft(), worker)

    heddle.register("again", First)
    before = schedules(cholesky, "again")[0]
    heddle.register("again", Second)
    assert before.equals(schedules(cholesky, "eager")[0]) and not before.equals(schedules(cholesky, "again")[0])

    depths = []

    class Other(eager):
        """Another one."""

        needs = {"abort"}

        def __init__(self, depth=1):
            super().__init__()
            depths.append(depth)

    heddle.register("again", Other)
    assert schedules(cholesky, "again:depth=7")[0].equals(before) and depths[-1] == 7
    assert ("again", "Another one.") in heddle.policies()
    with pytest.raises(heddle.InputError, match="there is a policy 'heft' already"):
        heddle.register("heft", Other)


@pytest.mark.parametrize("answer, sentence", [
    (lambda view: heddle.run(0, 3) if view.now == 0 else heddle.run(0, 0), "policy 'answers-0': .* the task is not ready"),
    (lambda view: heddle.run(10**9, 0), "policy 'answers-1': .*cannot be done with task '\\?'"),
    (lambda view: None, "policy 'answers-2': the policy waits for ever"),
    (lambda view: (0, 3), "next\\(\\) answers with 'tuple'; expected run"),
])
def test_answers_that_cannot_be(cholesky, request, answer, sentence):
    number = request.node.callspec.indices["answer"]

    class Answers:
        def ready(self, view, tasks):
            pass

        def next(self, view):
            return answer(view)

    heddle.register(f"answers-{number}", Answers)
    with pytest.raises(heddle.InputError, match=sentence):
        heddle.schedule(cholesky, f"answers-{number}")


def methods(**of):
    given = {"ready": lambda self, view, tasks: None, "next": lambda self, view: None, **of}
    return type("Given", (), {name: value for name, value in given.items() if value is not None})


def with_parameter(self, depth):
    self.depth = depth


@pytest.mark.parametrize("name, cls, sentence", [
    ("given", methods(next=None), "has no method next(self, view)"),
    ("given", methods(ready=lambda self, view: None), "expected ready(self, view, tasks)"),
    ("given", methods(finshed=lambda self, view, done: None), "did you mean 'finished'"),
    ("given", methods(start=lambda self: None), "expected start(self, view)"),
    ("given", methods(__init__=with_parameter), "'depth' of __init__ has no default"),
    ("given", methods(__init__=lambda self, depth=None: None), "the default of 'depth' is None"),
    ("given", methods(needs={"abrot"}), "cannot need 'abrot'"),
    ("heft", methods(), "there is a policy 'heft' already"),
    ("My Policy", methods(), "cannot be called 'My Policy'"),
])
def test_registration_refuses(name, cls, sentence):
    with pytest.raises(heddle.InputError) as error:
        heddle.register(name, cls)
    assert sentence in str(error.value)
    assert "given" not in dict(heddle.policies())
