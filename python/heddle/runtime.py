"""The runtime: executes Python functions, and tiled linear algebra, on the cores of this machine under any policy."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union

from heddle import _heddle
from heddle._heddle import Context, InputError, Task, Use
from heddle.graph import use
from heddle.results import Schedule

if TYPE_CHECKING:
    import numpy


def write(array: numpy.ndarray[Any, Any]) -> Use:
    """The task overwrites all of the array without looking at what is in it; see `Runtime.submit`."""
    return use(array, "write")


def rw(array: numpy.ndarray[Any, Any]) -> Use:
    """The task reads and writes the array; see `Runtime.submit`."""
    return use(array, "rw")


def commute(array: numpy.ndarray[Any, Any]) -> Use:
    """As `rw`, but tasks that follow each other and commute on the array may run in any order, one at a time."""
    return use(array, "commute")


def reduce(array: numpy.ndarray[Any, Any]) -> Use:
    """The task adds to the array. Tasks that follow each other and reduce may run at the same time, in private copies that
    begin with zeros and are summed up."""
    return use(array, "reduce")


class RecordedGraph:
    """Tasks that were recorded (`Runtime.record`), to be run again and again."""

    def __init__(self, kept: _heddle.RecordedGraph) -> None:
        self._kept = kept

    def __len__(self) -> int:
        return len(self._kept)


class Runtime:
    """Runs tasks on the cores of this machine, where and when a policy says.

        >>> import numpy, heddle
        >>> x, y = numpy.arange(4.0), numpy.ones(4)
        >>> def axpy(a, x, y):
        ...     y += a * x
        >>> with heddle.Runtime(workers="cpu=2") as runtime:
        ...     task = runtime.submit(axpy, 2.0, heddle.read(x), heddle.rw(y))
        >>> y
        array([1., 3., 5., 7.])

    As a context manager it waits for all tasks, raises what the first one that failed has raised, and closes. When the
    block raises something, the tasks that have not begun are cancelled. A runtime that is not used any more, or not closed
    when the program ends, waits for its tasks and closes.

    workers: by class, "cpu=2"; "auto" is what the machine has, and none is a worker per core. policy: as
    `heddle.schedule` takes it, those written in Python among them. seed: of policies that draw lots. history: the file where
    measured durations are kept between runs; None is the one in the user's cache folder, "" is none. trace: record what
    happens, for `trace()`. facts: a file for the log of what the policy is told and answers, which is there when the runtime
    is closed (`heddle.replay` feeds it back). bind: keep each worker on a core of its own. device_memory: bytes that are used
    of each device, at most. resize: the rule by which workers move between contexts while tasks run, "idle", "speed", "lp" or
    "simulate"; "" is none.
    Raises InputError when there is no such policy or worker, or a file cannot be made. Problems that it can work around, such
    as fewer cores than workers, are warnings.
    """

    def __init__(self, workers: str = "", policy: str = "dmdas", *, seed: int = 1,
                 history: Union[str, os.PathLike[str], None] = None, trace: bool = False,
                 facts: Union[str, os.PathLike[str]] = "", bind: bool = True, device_memory: Union[int, None] = None,
                 resize: str = "") -> None:
        self._kept = _heddle.Runtime(workers, policy, seed, None if history is None else os.fspath(history), trace,
                                     os.fspath(facts), bind, device_memory, resize)
        # Also at the end of the program, before the interpreter is taken down.
        self._finalizer = weakref.finalize(self, _close, self._kept)

    def __enter__(self) -> Runtime:
        return self

    def __exit__(self, kind: Union[type[BaseException], None], error: Union[BaseException, None],
                 traceback: Union[TracebackType, None]) -> None:
        if self._kept.closed:
            return
        try:
            if kind is None:
                self.wait()
        finally:
            self.close(cancel=kind is not None)

    def __repr__(self) -> str:
        if self._kept.closed:
            return "<heddle.Runtime, closed>"
        return f"<heddle.Runtime on {' + '.join(f'{count} {name}' for name, count in self.workers.items())}>"

    @property
    def workers(self) -> dict[str, int]:
        """How many workers each class has."""
        return self._kept.workers

    @property
    def unfinished(self) -> int:
        """How many tasks were submitted and have not ended."""
        return self._kept.unfinished

    def submit(self, function: Callable[..., object], *arguments: Any, name: str = "", type: str = "", priority: int = 0,
               after: Iterable[Task] = (), context: Union[Context, None] = None) -> Task:
        """Submits a task: function(arguments...), on the thread of a worker. Returns at once.

        Arrays of numpy among the arguments say how the task uses them: `heddle.read(a)`, `write(a)`, `rw(a)`, `commute(a)`,
        `reduce(a)`. The function gets arrays on the same memory in their places, read-only for `read`; of other arguments it
        gets what was passed. The task waits for the tasks submitted before it that use the same memory, where one of the two
        writes. What the function returns is dropped.

        From the submission to `wait()`, only tasks may touch the arrays, and the runtime keeps them alive. Two arrays on the
        same memory are one; arrays that overlap otherwise are refused. An array may be a part of another one, such as a tile
        of a matrix.

        A function holds the interpreter's lock (GIL) unless what it calls gives it up, as numpy's matrix products, ctypes and
        functions compiled by numba with nogil=True do; so functions that are pure Python run one at a time. A function of
        ctypes can be a task itself. Under a policy that aborts attempts (spoliation), a function may be called more than once,
        and then works in copies; all but the last call change nothing in the arrays.

        name: of the task, in traces and notes of exceptions. type: of its kernel, the function's name by default; tasks of
        equal type and sizes share what was measured of their durations. priority: larger is more urgent, for policies with
        priority=hint. after: tasks that it waits for, too. context: whose workers run it, as its policy says.
        Raises InputError when an array is passed without its access, cannot be written, or does not lie in memory as the
        runtime needs it, and when no worker can run the task.
        """
        kind = type or getattr(function, "__name__", function.__class__.__name__)
        return self._kept.submit(function, *arguments, type=kind, name=name, priority=priority, after=list(after),
                                 context=context)

    def record(self, submit_tasks: Callable[[], object]) -> RecordedGraph:
        """Calls submit_tasks(), and records the tasks that it submits instead of running them. The policy knows the whole
        graph when `run` begins it. What the tasks use is kept until the runtime is closed."""
        return RecordedGraph(self._kept.record(submit_tasks))

    def run(self, graph: RecordedGraph) -> None:
        """Submits all tasks of a recorded graph: they run after those submitted before, and before those submitted later."""
        self._kept.run(graph._kept)

    def context(self, name: str, workers: str, policy: str = "eager") -> Context:
        """One more scheduling context: workers with a policy of their own, to which tasks are submitted (docs/contexts.md).

        workers: so many of each class that no context has taken, "cpu=2", or their names, "cpu0,cpu1". As soon as there is a
        context, workers that are in none do nothing, and tasks that name none belong to the one made last. What the policy of a
        context raises is what its tasks fail with; other contexts continue. `Context.add`, `remove` and `close` change a context,
        also while tasks run.
        Raises InputError when it is the first context and a task was submitted or recorded before, when there are no such workers
        or no such policy, and when two contexts have one name.
        """
        return self._kept.context(name, workers, policy)

    def contexts_by_socket(self, policy: str = "eager") -> list[Context]:
        """A scheduling context for each socket of this machine that workers have cores of: `socket0` and so on, as
        `Context.name` says, with the devices that are close to it (docs/contexts.md). Where workers are not bound to cores
        there is one. Raises InputError when the runtime has contexts, or a task was submitted or recorded before."""
        return self._kept.contexts_by_socket(policy)

    def within(self, context: Context, submit_tasks: Callable[[], object]) -> None:
        """Calls submit_tasks(): the tasks that it submits, and that name no context, belong to this one."""
        self._kept.within(context, submit_tasks)

    def wait(self) -> None:
        """Returns when all tasks have ended; then the program may use the arrays.

        Raises what the first task that failed since the last time has raised, with its traceback and a note that names the
        task. Tasks that depend on it did not run, and what they should have written is undefined; all other arrays hold what
        they should, and the runtime can be used further. What a policy in Python raises is raised each time, and no further
        task runs. Tiled algorithms raise `heddle.linalg.Breakdown`. Ctrl-C cancels the tasks that have not begun, and waits
        for the others. Raises InputError in a task.
        """
        self._kept.wait()

    def cancel(self) -> None:
        """Cancels the tasks that have not begun. If there are any, `wait` then raises Cancelled."""
        self._kept.cancel()

    def close(self, cancel: bool = False) -> None:
        """Waits for all tasks, and ends the threads of the workers; what failed is not told. Afterwards only `close` can be
        called. cancel: tasks that have not begun are cancelled.

        Raises InputError in a task, and while a call of the runtime is not over on the same thread: in the function that
        `within` or `record` calls, and in a signal handler during `wait`. A handler can call `cancel`.
        """
        self._kept.close(cancel)

    def trace(self, name: str = "run", *, bound: str = "default") -> Schedule:
        """What happened since the first submission, as a schedule of an instance with the measured durations: it has a Gantt
        chart, can be analyzed, and its instance can be scheduled by other policies.

        name: of the instance. bound: the kinds of lower bounds to compute, as `heddle.schedule` takes them.
        Raises InputError unless the runtime was made with trace=True.
        """
        return Schedule(self._kept.trace(name, bound))


def _close(kept: _heddle.Runtime) -> None:
    """Of a runtime that nothing uses any more. The garbage collector may find that out in a task or a policy, and a signal
    handler while a task is waited for: on a thread that the runtime waits for."""
    if kept.in_use_here:
        threading.Thread(target=kept.close, args=(False,)).start()
    else:
        kept.close(False)


class Replay:
    """What a policy did that was told the same once more."""

    def __init__(self, decisions: int, epochs: int, difference: Union[str, None]) -> None:
        self.decisions = decisions  #: its answers
        self.epochs = epochs  #: how often it was started
        self.difference = difference  #: the first answer that is another one, in a sentence; None: all are the same

    def __bool__(self) -> bool:
        return self.difference is None

    def __repr__(self) -> str:
        said = "all the same" if self.difference is None else f"all the same until {self.difference}"
        return f"<heddle.Replay of {self.decisions} decisions: {said}>"


def replay(path: Union[str, os.PathLike[str]], policy: str = "") -> Replay:
    """Tells a policy that knows nothing yet what a log (`facts=...`) says that it was told, and compares what it answers.
    True in a condition when all answers are the same.

    policy: another one than the log names. Raises InputError when the file is no log.
    """
    return Replay(*_heddle.replay(os.fspath(path), policy))


__all__ = ["commute", "Context", "InputError", "RecordedGraph", "reduce", "replay", "Replay", "Runtime", "rw", "Task", "write"]
