"""What Heddle computes, as objects that print as the command's tables and become DataFrames, JSON, pages and figures."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union

from heddle import _heddle
from heddle._heddle import InputError, Instance
from heddle.graph import Platform, machine_text

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Result:
    """A result of the command: `print` shows its table, `to_json` what its `--json` says."""

    _kept: Any

    def __str__(self) -> str:
        return str(self._kept.text()).rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    def to_json(self) -> Any:
        """The answer of the command's --json as dicts and lists; times in seconds."""
        return json.loads(self._kept.json())


class Paged(Result):
    """A result that has a page: notebooks show it, `save_html` writes it."""

    def to_html(self) -> str:
        """The command's page: one file that needs no network."""
        return str(self._kept.html())

    def save_html(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_html())

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{html.escape(self.to_html())}" style="width: 100%; height: 640px; border: 0" '
                'sandbox="allow-scripts allow-downloads"></iframe>')


class Schedule(Paged):
    """A schedule and what it is worth."""

    _kept: _heddle.Schedule

    def __init__(self, kept: _heddle.Schedule) -> None:
        self._kept = kept

    @property
    def makespan(self) -> float:
        """The end of the last task, in seconds."""
        return self._kept.makespan

    @property
    def ratio(self) -> Union[float, None]:
        """Makespan over the best lower bound; None without a bound."""
        return self._kept.ratio

    @property
    def policy(self) -> str:
        """The policy with its options."""
        return self._kept.policy

    @property
    def note(self) -> str:
        """What the policy has to tell of its choice; mostly empty."""
        return self._kept.note

    @property
    def wall_seconds(self) -> float:
        """How long it took from the first fact told to the policy to its last decision, engine included."""
        return self._kept.wall_seconds

    @property
    def instance(self) -> Instance:
        """What was scheduled."""
        return self._kept.instance

    def to_pandas(self) -> pandas.DataFrame:
        """A row per attempt in the order in which they ended: task, type, worker, class, start and end in seconds, outcome."""
        return attempts_frame(self.instance, self._kept.attempts())

    def to_schedule(self) -> Any:
        """The schedule in the format heddle-schedule, as dicts and lists."""
        return json.loads(self._kept.schedule_json())

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes the schedule in the format heddle-schedule."""
        self._kept.save(os.fspath(path))

    def gantt(self, ax: Union[Axes, None] = None, **options: Any) -> Axes:
        """The Gantt chart; see heddle.figures.gantt."""
        from heddle import figures
        return figures.gantt(self, ax, **options)


class Bound(Result):
    """Lower bounds on the makespan."""

    _kept: _heddle.Bound

    def __init__(self, kept: _heddle.Bound) -> None:
        self._kept = kept

    @property
    def best(self) -> Union[float, None]:
        """The largest bound in seconds; None when none was asked for."""
        best = self.to_json()["best"]
        return None if best is None else float(best)

    @property
    def kinds(self) -> dict[str, float]:
        """Each kind's bound in seconds."""
        return dict(self.to_json()["bounds"])

    @property
    def one_more(self) -> dict[str, float]:
        """The best kind's bound in seconds for one more worker, by class."""
        return dict(self.to_json()["one_more"])

    def to_pandas(self) -> pandas.DataFrame:
        """A row per kind: `kind`, and `bound` in seconds."""
        import pandas
        return pandas.DataFrame(list(self.kinds.items()), columns=["kind", "bound"])


class Comparison(Paged):
    """Policies side by side, in the order asked for."""

    _kept: _heddle.Comparison

    def __init__(self, kept: _heddle.Comparison, instances: Sequence[Instance]) -> None:
        self._kept = kept
        self._instances = instances

    @property
    def skipped(self) -> dict[tuple[str, str], str]:
        """Why a policy could not take an instance, by (instance, policy)."""
        return {(run["instance"], run["policy"]): run["skipped"] for run in self.to_json() if "skipped" in run}

    def to_pandas(self) -> pandas.DataFrame:
        """A row per run: instance, platform, policy, seed, run, makespan, bound, ratio, ..., and `idle CLASS`, the share of
        the class's time. Times are seconds."""
        import pandas
        return pandas.DataFrame([_row(run) for run in self.to_json() if "skipped" not in run])

    def to_csv(self) -> str:
        """What the command's --csv writes."""
        return self._kept.csv()

    def ratios(self, ax: Union[Axes, None] = None, **options: Any) -> Axes:
        """Bars of the ratio to the bound; see heddle.figures.ratios."""
        from heddle import figures
        return figures.ratios(self, ax, **options)

    def profile(self, ax: Union[Axes, None] = None, **options: Any) -> Axes:
        """The performance profile; see heddle.figures.profile."""
        from heddle import figures
        return figures.profile(self, ax, **options)

    def idle(self, ax: Union[Axes, None] = None, **options: Any) -> Axes:
        """Bars of idle time by class; see heddle.figures.idle."""
        from heddle import figures
        return figures.idle(self, ax, **options)


class Analysis(Paged):
    """Where the time of a run went, and what would have changed it."""

    _kept: _heddle.Analysis

    def __init__(self, kept: _heddle.Analysis) -> None:
        self._kept = kept

    @property
    def verdict(self) -> str:
        """What the loss is and what would help, in sentences."""
        return str(self.to_json()["verdict"])

    @property
    def losses(self) -> pandas.DataFrame:
        """Seconds of workers by class (rows) and cause (columns), `kernels` first; a row sums to workers x makespan."""
        import pandas
        classes = self.to_json()["classes"]
        return pandas.DataFrame([{"kernels": one["kernels"], **one["losses"]} for one in classes],
                                index=[one["name"] for one in classes])

    @property
    def chain(self) -> pandas.DataFrame:
        """The attempts that decided the makespan, a row each: task, type, worker, start, end, waited (seconds), for."""
        import pandas
        return pandas.DataFrame(self.to_json()["chain"])

    def to_pandas(self) -> pandas.DataFrame:
        """What would have changed the makespan, the largest gain first: change, makespan (seconds), gain, policy."""
        import pandas
        return pandas.DataFrame(self.to_json()["what_if"], columns=["change", "makespan", "gain", "policy"])


class Experiment(Paged):
    """A published study, computed again: its claims, each with a result of its own."""

    _kept: _heddle.Experiment

    def __init__(self, kept: _heddle.Experiment) -> None:
        self._kept = kept

    @property
    def claims(self) -> pandas.DataFrame:
        """A row per claim: source, published, criterion, found, holds."""
        import pandas
        return pandas.DataFrame(self.to_json()["claims"])

    def to_pandas(self) -> pandas.DataFrame:
        """A row per cell: measure, workload, platform, policy, noise, seed, and a column per value."""
        import pandas
        cells = self.to_json()["cells"]
        return pandas.DataFrame([{**{key: value for key, value in cell.items() if key != "values"}, **cell["values"]}
                                 for cell in cells])


class Adversary(Paged):
    """An instance on which a policy does badly."""

    _kept: _heddle.Adversary

    def __init__(self, kept: _heddle.Adversary) -> None:
        self._kept = kept

    @property
    def instance(self) -> Instance:
        """The worst one that was found."""
        return self._kept.instance

    @property
    def ratio(self) -> float:
        """Makespan of the policy over that of the other one, or over the bound."""
        return self._kept.ratio

    def to_pandas(self) -> pandas.DataFrame:
        """The policies on the instance, as Comparison.to_pandas."""
        import pandas
        return pandas.DataFrame([_row(run) for run in self.to_json()["runs"]])


class Validation(Result):
    """Whether a schedule is valid: true in a condition when it is."""

    _kept: _heddle.Validation

    def __init__(self, kept: _heddle.Validation) -> None:
        self._kept = kept

    def __bool__(self) -> bool:
        return not self.violations

    @property
    def violations(self) -> list[str]:
        """Every way in which the schedule breaks the rules, a sentence each."""
        return self._kept.violations

    @property
    def makespan(self) -> float:
        """In seconds."""
        return self._kept.makespan


def _row(run: Mapping[str, Any]) -> dict[str, Any]:
    row = {key: value for key, value in run.items() if key not in ("classes", "bounds", "contexts", "note", "version")}
    row["bound"] = run["bounds"].get(run["best_kind"]) if run["best_kind"] else None
    for one in run["classes"]:
        whole = one["busy"] + one["idle"]
        row[f"idle {one['name']}"] = one["idle"] / whole if whole > 0 else 0.0
    return row


def attempts_frame(instance: Instance, attempts: Mapping[str, Any]) -> pandas.DataFrame:
    """A row per attempt, with names instead of numbers."""
    import numpy
    import pandas
    workers = [(name, worker_class) for worker_class, name in instance.worker_classes]
    names = numpy.array([name for name, _ in workers], dtype=object)
    classes = numpy.array([worker_class for _, worker_class in workers], dtype=object)
    return pandas.DataFrame({
        "task": numpy.array(instance.task_names, dtype=object)[attempts["task"]],
        "type": numpy.array(instance.task_types, dtype=object)[attempts["task"]],
        "worker": names[attempts["worker"]], "class": classes[attempts["worker"]],
        "start": attempts["start"], "end": attempts["end"], "outcome": attempts["outcome"]})


def schedule(instance: Instance, policy: Union[str, None] = None, *, seed: int = 1, noise: str = "",
             bound: Union[str, Bound] = "default", ahead: int = 1, aborts: str = "allowed", facts: str = "") -> Schedule:
    """Simulates a policy on an instance and judges the schedule against the lower bound.

    policy: a name with options, "heteroprio-dep:order=best"; by default `auto`, or the policies of the instance's contexts.
    noise: how actual durations differ from the estimates, "lognormal:0.2". bound: the kinds of bounds to compute, "none",
    "all" or their names, or a Bound of the instance. ahead, aborts, facts: as the options of `heddle schedule`.
    Raises InputError for a policy that there is not, or that cannot take the instance.
    """
    known: Union[str, _heddle.Bound] = bound._kept if isinstance(bound, Bound) else bound
    return Schedule(_heddle.schedule(instance, policy or "", noise, known, seed, ahead, _aborts(aborts), facts))


def bound(instance: Instance, kind: str = "default", *, seconds: Union[float, None] = None) -> Bound:
    """Lower bounds on the makespan of any schedule.

    kind: "critical-path", "area", "mixed", "iterative", "window", "all" or "default", those that are quick. seconds: of wall
    clock; bounds that are not finished then are lower, and hold all the same.
    """
    return Bound(_heddle.bound(instance, kind, seconds))


def compare(instances: Union[Instance, Iterable[Instance]], policies: Union[str, Iterable[str]] = "all", *, runs: int = 1,
            seed: int = 1, noise: str = "", bound: str = "default", ahead: int = 1, aborts: str = "allowed",
            keep_schedules: bool = True) -> Comparison:
    """Every policy on every instance, on all cores.

    policies: names, or "all"; those of "all" that cannot take an instance are left out (Comparison.skipped). runs: of each
    policy on each instance, with seeds from `seed` on; they differ under noise only. keep_schedules: for the page.
    Raises InputError when a policy that was named cannot take an instance.
    """
    listed = [instances] if isinstance(instances, Instance) else list(instances)
    text = policies if isinstance(policies, str) else ",".join(policies)
    return Comparison(_heddle.compare(listed, text, noise, bound, runs, seed, ahead, _aborts(aborts), keep_schedules), listed)


def search(instance: Instance, *, seconds: Union[float, None] = None, iterations: Union[int, None] = None, prove: bool = False,
           gap: float = 0, policies: Union[str, Iterable[str]] = "", start: Union[str, os.PathLike[str]] = "", seed: int = 1,
           threads: int = 0, bound: str = "default") -> Schedule:
    """The best schedule that can be found offline.

    seconds: of wall clock, 10 by default. iterations: moves instead, which makes the result reproducible. prove: goes on to a
    proof of optimality, for small graphs with free transfers. gap: a schedule this close to the bound is good enough, 0.01
    for 1 %. policies: whose schedules it starts from. start: a file with a schedule to start from.
    """
    text = policies if isinstance(policies, str) else ",".join(policies)
    time = "" if seconds is None else f"{seconds:f}s"
    return Schedule(_heddle.search(instance, time, iterations, prove, str(gap), text, os.fspath(start), seed, threads, bound))


def validate(instance: Instance, schedule: Union[Schedule, Mapping[str, Any], str, os.PathLike[str]]) -> Validation:
    """Checks a schedule, wherever it comes from: a file, or a dict in the format heddle-schedule. Attempts must last as long as the
    instance says, except those of a run that happened (`Runtime.trace`)."""
    measured = isinstance(schedule, Schedule) and schedule._kept.measured
    return Validation(_heddle.validate(instance, *_text_of(schedule), measured))


def analyze(run: Union[Schedule, Instance, str, os.PathLike[str]],
            schedule: Union[Schedule, Mapping[str, Any], str, os.PathLike[str], None] = None, *,
            platform: Union[str, os.PathLike[str], Platform, None] = None, bound: str = "default",
            what_if: bool = True) -> Analysis:
    """Judges a run that happened: analyze(schedule), analyze(instance, schedule) with a file or a dict, or analyze(path) of a
    recording of StarPU.

    platform: of a recording; by default the machine that it shows. what_if: simulates changes of the run, too, at most a
    million attempts, and no longer than those take. Raises InputError when the schedule is not valid.
    """
    simulated = "1000000s" if what_if else "0"
    if isinstance(run, (Schedule, Instance)):
        instance = run if isinstance(run, Instance) else run.instance
        given = run if isinstance(run, Schedule) else schedule
        if given is None:
            raise InputError("an instance alone is no run; expected a schedule of it as well")
        return Analysis(_heddle.analyze(instance, *_text_of(given), bound, simulated))
    return Analysis(_heddle.analyze_recording(os.fspath(run), machine_text(platform), bound, simulated))


def experiment(name: str, *, quick: bool = False, journal: Union[str, os.PathLike[str]] = "", fresh: bool = False,
               threads: int = 0) -> Experiment:
    """Computes a published study again (`heddle.experiments()`).

    quick: a smaller grid. journal: the file that keeps finished cells between runs; by default in the user's cache folder.
    fresh: forgets what the journal knows. threads: one per core by default. Raises InputError when there is no such study.
    """
    return Experiment(_heddle.experiment(name, quick, os.fspath(journal), fresh, threads))


def adversary(policy: str, against: str = "bound", *, tasks: int = 12,
              platform: Union[str, os.PathLike[str], Platform] = "counts:cpu=2,gpu=2", iterations: int = 40_000, seed: int = 1,
              threads: int = 0) -> Adversary:
    """Searches for a small instance on which `policy` does badly compared with another policy or the lower bound.

    Simulated annealing over task graphs and durations from random starts. iterations: instances to try. platform: of which
    the numbers of workers count; transfers are free. The seed and not the number of threads decides what is found.
    Raises InputError when a policy cannot take such instances.
    """
    return Adversary(_heddle.adversary(policy, against, machine_text(platform), tasks, iterations, seed, threads))


def judge(instance: Instance, schedule: Union[Schedule, Mapping[str, Any], str, os.PathLike[str]], *,
          bound: str = "default") -> Schedule:
    """A schedule from elsewhere, as `validate` takes it, judged against the lower bound. Raises InputError when it is not
    valid."""
    return Schedule(_heddle.judge(instance, *_text_of(schedule), bound))


def _text_of(schedule: Union[Schedule, Mapping[str, Any], str, os.PathLike[str]]) -> tuple[str, str]:
    if isinstance(schedule, Schedule):
        return json.dumps(schedule.to_schedule()), schedule.policy
    if isinstance(schedule, Mapping):
        return json.dumps(schedule), "the schedule"
    path = os.fspath(schedule)
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(), path
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _aborts(text: str) -> str:
    if text not in ("allowed", "none", "hold-back"):
        raise InputError(f"aborts is '{text}'; expected 'allowed', 'none' or 'hold-back'")
    return text
