"""Policies in Python: a class that is told facts and asked for actions, checked when it is registered."""

from __future__ import annotations

import copy
import difflib
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from heddle import _heddle
from heddle._heddle import Action, InputError, preempt, prefetch, restart, run, wait

__all__ = ["Action", "policy", "preempt", "prefetch", "register", "restart", "run", "wait"]

# What a policy may be told, with the parameters behind `self`.
_FACTS = {"start": ("view",), "ready": ("view", "tasks"), "started": ("view", "task", "worker"),
          "finished": ("view", "completions"), "aborted": ("view", "task", "worker"), "refused": ("view", "action"),
          "workers_changed": ("view",), "next": ("view",)}

Class = TypeVar("Class", bound=type)

# Names of classes; one that is defined again, as in a notebook, takes the place of the one before.
_registered: set[str] = set()


def policy(name: str) -> Callable[[Class], Class]:
    """A decorator that registers a class under a name; see `register`."""

    def decorate(cls: Class) -> Class:
        register(name, cls)
        return cls

    return decorate


def register(name: str, cls: type) -> None:
    """From now on `name` is a policy like any other: schedule(instance, name), compare(instances, ["heft", name]).

    An object of the class decides one run. It needs `ready(self, view, tasks)`, which is told task numbers, and
    `next(self, view)`, which returns an action: `run(task, worker)`, `restart(task, worker)`, `preempt(task)`,
    `prefetch(task, worker)`, or None to wait for the next fact. Other facts are told to methods of these names:
    start(view), started(view, task, worker), finished(view, [(task, worker), ...]), aborted(view, task, worker),
    refused(view, action), workers_changed(view).

    Keywords of `__init__` with defaults are options: "mine:alpha=0.5". One called `seed` without a default gets the run's
    seed. A class attribute `needs`, a set, says what the policy cannot do without: "abort", "two_classes",
    "whole_graph". A class that is registered again under its name takes the place of the one before. Engines copy the object with copy.deepcopy when they look ahead. `auto` and the search do not try the policy.

    Raises InputError when the name is taken, or the class would not work: a method is missing, misspelt or takes other
    arguments, an option has no default, or an object cannot be made or copied.
    """
    options, takes_seed = _options_of(name, cls)
    _check_methods(name, cls)
    needs = tuple(sorted(getattr(cls, "needs", ())))
    try:
        copy.deepcopy(cls(**({"seed": 1} if takes_seed else {})))
    except Exception as error:
        raise InputError(f"policy '{name}': an object of {cls.__name__} cannot be made and copied: {error}") from error

    def make(seed: int, **values: Any) -> object:
        return cls(seed=seed, **values) if takes_seed else cls(**values)

    summary = (inspect.getdoc(cls) or f"The class {cls.__name__}").split("\n")[0]
    _heddle.add_policy(name, make, options, list(needs), summary, _file_of(cls), name in _registered)
    _registered.add(name)


def _parameters(cls: type) -> Iterable[inspect.Parameter]:
    if getattr(cls, "__init__") is object.__init__:
        return []
    return list(inspect.signature(cls).parameters.values())


def _options_of(name: str, cls: type) -> tuple[dict[str, Any], bool]:
    options, takes_seed = {}, False
    for parameter in _parameters(cls):
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.default is parameter.empty:
            if parameter.name == "seed":
                takes_seed = True
                continue
            raise InputError(f"policy '{name}': '{parameter.name}' of __init__ has no default")
        if not isinstance(parameter.default, (bool, int, float, str)):
            raise InputError(f"policy '{name}': the default of '{parameter.name}' is {parameter.default!r}; expected a bool, a "
                             "number or a text")
        options[parameter.name] = parameter.default
    return options, takes_seed


def _parameters_of(fact: str) -> str:
    return ", ".join(("self", *_FACTS[fact]))


def _check_methods(name: str, cls: type) -> None:
    for fact in ("ready", "next"):
        if not callable(getattr(cls, fact, None)):
            raise InputError(f"policy '{name}': class {cls.__name__} has no method {fact}({_parameters_of(fact)})")
    for method, value in inspect.getmembers(cls, callable):
        if method.startswith("_"):
            continue
        if method in _FACTS:
            try:
                inspect.signature(value).bind(None, *_FACTS[method])
            except TypeError:
                raise InputError(f"policy '{name}': {method}{inspect.signature(value)} of class {cls.__name__} takes other "
                                 f"arguments; expected {method}({_parameters_of(method)})") from None
        elif near := difflib.get_close_matches(method, _FACTS, 1, 0.8):
            raise InputError(f"policy '{name}': {cls.__name__}.{method} is not told anything; did you mean '{near[0]}'? "
                             "(a method of your own begins with an underscore)")


def _file_of(cls: type) -> str:
    try:
        return inspect.getsourcefile(cls) or cls.__module__
    except (OSError, TypeError):
        return cls.__module__
