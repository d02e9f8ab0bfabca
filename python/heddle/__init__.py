"""Scheduling of task graphs on heterogeneous machines.

    >>> import heddle
    >>> instance = heddle.generate("cholesky:tiles=12", platform="mirage")
    >>> schedule = heddle.schedule(instance, "heteroprio-dep:order=best")
    >>> round(schedule.ratio, 3)
    1.203

`Runtime` runs real tasks, and `linalg` has tiled linear algebra for it.

Times are seconds, sizes are bytes. Bad input raises InputError, a ValueError, with one sentence that says what was found
and what was expected. Ctrl-C stops all work.
"""

from heddle._heddle import (Cancelled, Context, InputError, Instance, InternalError, OutOfMemory, Task, TaskFailure, Use, View,
                            experiments, platforms, policies, workloads)
from heddle._heddle import version as __version__
from heddle.graph import Graph, Platform, generate, read
from heddle.registration import Action, policy, preempt, prefetch, register, restart, run, wait
from heddle.results import (Adversary, Analysis, Bound, Comparison, Experiment, Schedule, Validation, adversary, analyze, bound,
                            compare, experiment, judge, schedule, search, validate)
from heddle.runtime import Replay, Runtime, commute, reduce, replay, rw, write
from heddle.sweeps import Sweep, sweep
from heddle import linalg

__all__ = [
    "__version__", "Action", "Adversary", "adversary", "Analysis", "analyze", "Bound", "bound", "Cancelled", "commute", "compare",
    "Comparison", "Context", "Experiment", "experiment", "experiments", "generate", "Graph", "InputError", "Instance", "InternalError",
    "judge", "linalg", "OutOfMemory", "Platform", "platforms", "policies", "policy", "preempt", "prefetch", "read", "reduce", "register",
    "Replay", "replay", "restart", "run", "Runtime", "rw", "Schedule", "schedule", "search", "Sweep", "sweep", "Task",
    "TaskFailure", "Use", "validate", "Validation", "View", "wait", "workloads", "write",
]
