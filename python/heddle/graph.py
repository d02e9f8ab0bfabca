"""Instances: task graphs with durations on a machine, from a file, a generator, or task by task."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union, overload

from heddle import _heddle
from heddle._heddle import Instance, Use

if TYPE_CHECKING:
    import networkx
    import numpy

Seconds = Mapping[str, float]  # by class; a class that is missing cannot run the task
Durations = Union[Mapping[str, Seconds], "numpy.ndarray[Any, Any]", Callable[[str, str], Union[float, None]]]

_MODES = ("reads", "writes", "updates", "commutes", "reduces")
_LETTERS = {"reads": "r", "writes": "w", "updates": "rw", "commutes": "commute", "reduces": "reduce"}


class Platform:
    """A machine.

    `Platform(cpu=9, gpu=3)` has workers of these classes; transfers are free. `Platform("mirage:links=measured")` is any
    machine that the command takes: built in (`heddle.platforms()`), a platform file, or a folder of StarPU's performance
    models, with settings. With both, the settings change the machine: `Platform("mirage", gpu=5)`.
    """

    def __init__(self, machine: Union[str, os.PathLike[str]] = "counts", /, **workers: int) -> None:
        settings = ",".join(f"{name}={count}" for name, count in workers.items())
        text = os.fspath(machine)
        self.text: str = f"{text}{',' if ':' in text else ':'}{settings}" if settings else text
        self.workers: dict[str, int] = _heddle.platform_workers(self.text)

    def __repr__(self) -> str:
        return f"<heddle.Platform {self.text}>"


def machine_text(platform: Union[str, os.PathLike[str], Platform, None]) -> str:
    """The machine as the command spells it; empty for none."""
    if platform is None:
        return ""
    return platform.text if isinstance(platform, Platform) else os.fspath(platform)


def use(array: Any, mode: str, expected: str = "an array of numpy") -> Use:
    """How a task uses an array. Raises InputError when it is no array of numpy."""
    import numpy
    if not isinstance(array, numpy.ndarray):
        raise _heddle.InputError(f"{mode}(...) is given an object of type '{type(array).__name__}'; expected {expected}")
    return _heddle.use(array, mode)


@overload
def read(path: numpy.ndarray[Any, Any]) -> Use: ...


@overload
def read(path: Union[str, os.PathLike[str]], platform: Union[str, os.PathLike[str], Platform, None] = None, *, unit: str = "s",
         contexts: str = "", assign: str = "") -> Instance: ...


def read(path: Union[str, os.PathLike[str], numpy.ndarray[Any, Any]],
         platform: Union[str, os.PathLike[str], Platform, None] = None, *, unit: str = "s", contexts: str = "",
         assign: str = "") -> Union[Instance, Use]:
    """Of a path: the instance in a file of any format that Heddle reads: its own JSON, StarPU's tasks.rec, hetero-swf, STG.
    Of an array of numpy: says that a task reads it (`Runtime.submit`).

    platform: the machine; by default that of the file. unit: of durations in formats that do not say: "s" or "ms".
    contexts, assign: scheduling contexts, as the options of the command are spelled.
    Raises InputError when the file cannot be read or needs a machine.
    """
    if not isinstance(path, (str, os.PathLike)):
        if platform is not None or contexts or assign:
            raise _heddle.InputError("read(...) of an array is given a platform or contexts, which only a file has")
        return use(path, "read", "a path, or an array of numpy")
    return _heddle.load(os.fspath(path), machine_text(platform), unit, contexts, assign)


def generate(workload: str, platform: Union[str, os.PathLike[str], Platform], *, contexts: str = "",
             assign: str = "") -> Instance:
    """An instance of a built-in workload (`heddle.workloads()`): generate("cholesky:tiles=12", platform="mirage").

    Raises InputError when there is no such workload or machine, or the machine has no times for the workload's kernels.
    """
    return _heddle.load(workload, machine_text(platform), "s", contexts, assign)


class Graph:
    """A task graph that is made task by task, from data accesses, or from networkx, and put on a machine with `on`.

        >>> graph = Graph("pair")
        >>> first = graph.task("first", cpu=0.010, gpu=0.006)
        >>> second = graph.task("second", after=[first], cpu=0.001)
        >>> graph.on(Platform(cpu=2, gpu=1))
        <heddle.Instance pair: 2 tasks on 2 cpu + 1 gpu>
    """

    def __init__(self, name: str = "graph") -> None:
        self.name = name
        self._types: dict[str, None] = {}
        self._data: dict[str, dict[str, Any]] = {}
        self._tasks: dict[str, dict[str, Any]] = {}

    def __len__(self) -> int:
        return len(self._tasks)

    def data(self, name: str, bytes: int, home: str = "ram", write_back: bool = False) -> str:
        """Adds a piece of data of so many bytes, and returns its name.

        home: the memory that holds it at the start. write_back: its final value is copied home during the run.
        """
        if name in self._data:
            raise _heddle.InputError(f"graph '{self.name}' has a datum '{name}' already")
        self._data[name] = {"name": name, "bytes": bytes, "home": home, "write_back": write_back}
        return name

    def task(self, name: Union[str, None] = None, type: str = "task", *, after: Iterable[str] = (), priority: int = 0,
             reads: Iterable[str] = (), writes: Iterable[str] = (), updates: Iterable[str] = (),
             commutes: Iterable[str] = (), reduces: Iterable[str] = (), seconds: Union[Seconds, None] = None,
             **by_class: float) -> str:
        """Adds a task and returns its name.

        after: names of tasks that must complete before it. reads, ..., reduces: names of data; dependencies follow in the
        order in which tasks are added. seconds, or a keyword per class: how long it takes on each class; without them,
        `on` says it. priority: the application's hint, larger is more urgent.
        Raises InputError when there is a task of this name.
        """
        name = f"{type}{len(self._tasks)}" if name is None else name
        if name in self._tasks:
            raise _heddle.InputError(f"graph '{self.name}' has a task '{name}' already")
        self._types[type] = None
        task: dict[str, Any] = {"name": name, "type": type}
        if after := list(after):
            task["after"] = after
        accesses = zip(_MODES, (reads, writes, updates, commutes, reduces))
        if access := [[datum, _LETTERS[mode]] for mode, data in accesses for datum in data]:
            task["access"] = access
        if priority:
            task["priority"] = priority
        if durations := {**(seconds or {}), **by_class}:
            task["seconds"] = _plain(durations)
        self._tasks[name] = task
        return name

    def edge(self, before: str, after: str) -> None:
        """Has the task `after` wait for the task `before`. Raises InputError when there is no task of either name."""
        for name in (before, after):
            if name not in self._tasks:
                raise _heddle.InputError(f"graph '{self.name}' has no task '{name}'")
        self._tasks[after].setdefault("after", []).append(before)

    @classmethod
    def from_networkx(cls, graph: networkx.DiGraph, name: str = "graph") -> Graph:
        """The tasks and dependencies of a directed graph of networkx.

        A node's attributes may be `type`, `priority` and `seconds`, a dict by class. Names are str(node).
        """
        made = cls(name)
        for node, attributes in graph.nodes(data=True):
            made.task(str(node), attributes.get("type", "task"), priority=attributes.get("priority", 0),
                      seconds=attributes.get("seconds"))
        for before, after in graph.edges():
            made.edge(str(before), str(after))
        return made

    def on(self, platform: Union[str, os.PathLike[str], Platform], durations: Union[Durations, None] = None) -> Instance:
        """The graph on a machine.

        durations: seconds of the tasks that have none of their own. A dict by type or task of dicts by class; an array of
        a row per task and a column per class, NaN or infinite where a class cannot run a task; or a function of a task's
        name and a class, None where it cannot run.
        Raises InputError when a task can run on no worker, something unknown is named, or there is a cycle.
        """
        machine = platform if isinstance(platform, Platform) else Platform(platform)
        types = {name: {"name": name} for name in self._types}
        tasks = [dict(task) for task in self._tasks.values()]
        if durations is not None:
            _add_durations(types, tasks, durations, list(machine.workers))
        text = json.dumps({"format": "heddle-instance", "version": 1, "name": self.name, "types": list(types.values()),
                           "data": list(self._data.values()), "tasks": tasks}, allow_nan=False)
        return _heddle.parse(self.name, f'{text[:-1]}, "platform": {_heddle.platform_json(machine.text)}}}', machine.text)


def _plain(durations: Seconds) -> dict[str, float]:
    """Without classes that cannot run it; numbers of numpy as those of Python, which JSON knows."""
    return {name: float(value) for name, value in durations.items()
            if value is not None and float(value) not in (float("inf"),) and float(value) == float(value)}


def _add_durations(types: dict[str, dict[str, Any]], tasks: Sequence[dict[str, Any]], durations: Durations,
                   classes: Sequence[str]) -> None:
    open_tasks = [(row, task) for row, task in enumerate(tasks) if "seconds" not in task]
    if isinstance(durations, Mapping):
        for name, seconds in durations.items():
            if name in types:
                types[name]["seconds"] = _plain(seconds)
        for _, task in open_tasks:
            if task["name"] in durations:
                task["seconds"] = _plain(durations[task["name"]])
        known = types.keys() | {task["name"] for task in tasks}
        for name in durations:
            if name not in known:
                raise _heddle.InputError(f"durations name '{name}', which is neither a type nor a task")
    elif callable(durations):
        for _, task in open_tasks:
            found = {name: durations(task["name"], name) for name in classes}
            task["seconds"] = _plain({name: value for name, value in found.items() if value is not None})
    else:
        if tuple(durations.shape) != (len(tasks), len(classes)):
            raise _heddle.InputError(f"durations are an array of shape {tuple(durations.shape)}; expected a row per task and a "
                                     f"column per class, {(len(tasks), len(classes))}")
        for row, task in open_tasks:
            task["seconds"] = _plain(dict(zip(classes, durations[row].tolist())))
