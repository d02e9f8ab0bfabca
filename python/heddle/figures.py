"""Figures in the style of papers, drawn with matplotlib.

Each function draws into `ax`, or into a figure of its own, and returns the axes. `save` writes SVG or PDF. Besides a
Comparison or a Sweep, the functions take any DataFrame with the same columns.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, Union

import matplotlib
import matplotlib.pyplot as pyplot
import numpy
from matplotlib.axes import Axes
from matplotlib.patches import Patch

if TYPE_CHECKING:
    import pandas

    from heddle.results import Schedule

WIDTH = 3.5  # inches of a column of a paper

# Okabe and Ito's colours, which people who do not see all colours tell apart.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#000000")
_STYLE = {"font.size": 8, "axes.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False,
          "legend.fontsize": 7, "legend.handlelength": 1.2, "lines.linewidth": 1.2, "axes.prop_cycle":
          matplotlib.cycler(color=_COLOURS), "pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "heddle",
          "hatch.linewidth": 0.5}


class Framed(Protocol):
    """What becomes a DataFrame: a Comparison or a Sweep."""

    def to_pandas(self) -> pandas.DataFrame: ...


Runs = Union[Framed, "pandas.DataFrame"]


def _axes(ax: Union[Axes, None], height: float) -> Axes:
    if ax is not None:
        return ax
    with pyplot.rc_context(_STYLE):
        return pyplot.subplots(figsize=(WIDTH, height), layout="constrained")[1]


def row(count: int, height: float = 2.2) -> list[Axes]:
    """Axes side by side on a page's width, two columns of a paper, to be drawn into. height: in inches."""
    with pyplot.rc_context(_STYLE):
        axes = pyplot.subplots(1, count, figsize=(2 * WIDTH, height), layout="constrained", squeeze=False)[1]
    return list(axes[0])


def _frame(runs: Runs) -> pandas.DataFrame:
    return runs.to_pandas() if hasattr(runs, "to_pandas") else runs


def _legend_above(axes: Axes, **what: Any) -> None:
    """In as many columns as a figure as wide as a paper's column has room for."""
    names = [handle.get_label() for handle in what.get("handles", ())] or axes.get_legend_handles_labels()[1]
    columns = max(1, int(WIDTH * 14 / (max(map(len, names), default=1) + 5)))
    axes.legend(**what, ncols=min(len(names), columns), loc="lower center", bbox_to_anchor=(0.5, 1), columnspacing=1)


def save(ax: Axes, path: Union[str, os.PathLike[str]]) -> None:
    """Writes the figure of the axes as its suffix says (.svg, .pdf, .png), the same bytes for the same figure."""
    path = os.fspath(path)
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(os.path.splitext(path)[1], {})
    with pyplot.rc_context(_STYLE):
        ax.figure.savefig(path, metadata=metadata, dpi=300)


def gantt(schedule: Schedule, ax: Union[Axes, None] = None, *, legend: bool = True) -> Axes:
    """The Gantt chart: a row per worker, a colour per type of task; aborted attempts are hatched. Time in milliseconds."""
    attempts = schedule.to_pandas()
    workers = [name for _, name in schedule.instance.worker_classes]
    rows = {name: row for row, name in enumerate(workers)}
    axes = _axes(ax, 0.9 + 0.13 * len(workers))  # legend and axis take up to 0.75 inches
    types = list(dict.fromkeys(schedule.instance.task_types))
    with pyplot.rc_context(_STYLE):
        for number, kind in enumerate(types):
            of_type = attempts[attempts["type"] == kind]
            for completed in (True, False):
                some = of_type[(of_type["outcome"] == "completed") == completed]
                axes.barh(some["worker"].map(rows), 1e3 * (some["end"] - some["start"]), left=1e3 * some["start"], height=0.85,
                          color=_COLOURS[number % len(_COLOURS)] if completed else "white",
                          edgecolor="white" if completed else _COLOURS[number % len(_COLOURS)], linewidth=0.2,
                          hatch=None if completed else "//////")
        axes.set_yticks(range(len(workers)), workers)
        axes.set_ylim(len(workers) - 0.5, -0.5)
        axes.set_xlim(0, 1e3 * schedule.makespan)
        axes.set_xlabel("time (ms)")
        if legend:
            handles = [Patch(color=_COLOURS[number % len(_COLOURS)], label=kind) for number, kind in enumerate(types)]
            _legend_above(axes, handles=handles)
    return axes


def _label(frame: pandas.DataFrame) -> pandas.Series[Any]:
    """What tells the instances apart: their names, with the machines where there are several."""
    if frame["platform"].nunique() == 1:
        return frame["instance"]
    return frame["instance"] + "\n" + frame["platform"]


def _grouped_bars(axes: Axes, groups: Sequence[str], series: Sequence[str], heights: Any, errors: Any = None) -> None:
    width = 0.8 / max(len(series), 1)
    for number, name in enumerate(series):
        places = numpy.arange(len(groups)) + (number - (len(series) - 1) / 2) * width
        axes.bar(places, heights[number], width, label=name, color=_COLOURS[number % len(_COLOURS)],
                 hatch="////" if number >= len(_COLOURS) else None,
                 yerr=None if errors is None else errors[number], error_kw={"elinewidth": 0.6, "capsize": 1.5})
    lines = [name.replace(":", "\n") for name in groups]
    letters = max((len(line) for name in lines for line in name.splitlines()), default=1)
    room = axes.get_position().width * axes.figure.get_figwidth() / max(len(groups), 1)
    crowded = 0.065 * letters > room  # inches that a letter takes
    axes.set_xticks(range(len(groups)), lines, rotation=30 if crowded else 0, ha="right" if crowded else "center")
    _legend_above(axes)


def ratios(runs: Runs, ax: Union[Axes, None] = None) -> Axes:
    """Makespan over the lower bound, a group per instance, a bar per policy: the mean over runs, from the smallest to the
    largest."""
    frame = _frame(runs)
    axes = _axes(ax, 2.2)
    labels = _label(frame)
    groups, series = list(labels.unique()), list(frame["policy"].unique())
    table = frame.assign(label=labels).groupby(["policy", "label"])["ratio"].agg(["mean", "min", "max"])
    value = {column: table[column].unstack("label").reindex(index=series, columns=groups).to_numpy() for column in table}
    several = bool((table["max"] > table["min"]).any())
    errors = numpy.stack([value["mean"] - value["min"], value["max"] - value["mean"]], axis=1) if several else None
    with pyplot.rc_context(_STYLE):
        _grouped_bars(axes, groups, series, value["mean"], errors)
        axes.axhline(1, color="black", linewidth=0.6)
        axes.set_ylabel("makespan / lower bound")
        axes.set_ylim(bottom=min(0.95, float(numpy.nanmin(value["min"])) - 0.05))
    return axes


def profile(runs: Runs, ax: Union[Axes, None] = None, *, most: float = 2.0) -> Axes:
    """The performance profile (Dolan and Moré 2002, doi:10.1007/s101070100263): on which share of the runs a policy is at
    most so many times longer than the best one. A policy that could not take an instance is longer than all. `most`: the
    largest factor shown."""
    frame = _frame(runs)
    axes = _axes(ax, 2.2)
    keys = ["instance", "platform", "seed", "run"]
    table = frame.pivot_table(index=keys, columns="policy", values="makespan", sort=False)
    factors = table.div(table.min(axis=1), axis=0).fillna(numpy.inf)
    shares = numpy.arange(1, len(factors) + 1) / len(factors)
    with pyplot.rc_context(_STYLE):
        for number, policy in enumerate(factors.columns):
            ordered = numpy.sort(factors[policy].to_numpy())
            # A step at each factor; beyond the figure they may be infinite.
            steps = numpy.concatenate([[ordered[0]], ordered, [numpy.inf]]).clip(max=2 * most)
            axes.step(steps, numpy.concatenate([[0], shares, [1]]), where="post", label=policy,
                      color=_COLOURS[number % len(_COLOURS)],
                      linestyle="-" if number < len(_COLOURS) else "--")
        axes.set_xlim(1, most)
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("makespan / best makespan")
        axes.set_ylabel("share of runs")
        axes.legend(loc="lower right")
    return axes


def idle(runs: Runs, ax: Union[Axes, None] = None) -> Axes:
    """The share of the time in which workers are idle, a group per policy, a bar per class; the mean over all runs. Aborted
    work counts as idle."""
    frame = _frame(runs)
    axes = _axes(ax, 2.2)
    classes = [column for column in frame.columns if column.startswith("idle ")]
    means = frame.groupby("policy", sort=False)[classes].mean()
    with pyplot.rc_context(_STYLE):
        _grouped_bars(axes, list(means.index), [name.removeprefix("idle ") for name in classes], 100 * means.to_numpy().T)
        axes.set_ylabel("idle time (%)")
        axes.set_ylim(0, 100)
    return axes


def lines(runs: Runs, x: str, y: str = "ratio", ax: Union[Axes, None] = None) -> Axes:
    """A line per policy, and per machine if there are several: the mean of column `y` over a parameter `x` of a sweep, with a
    band from the smallest to the largest value."""
    frame = _frame(runs)
    axes = _axes(ax, 2.2)
    machines = list(frame["platform"].unique())
    with pyplot.rc_context(_STYLE):
        for number, policy in enumerate(frame["policy"].unique()):
            for machine, style in zip(machines, ("-", "--", ":", "-.") * len(machines)):
                some = frame[(frame["policy"] == policy) & (frame["platform"] == machine)]
                table = some.groupby(x)[y].agg(["mean", "min", "max"])
                colour = _COLOURS[number % len(_COLOURS)]
                label = policy if len(machines) == 1 else f"{policy}, {machine}"
                axes.plot(table.index, table["mean"], style, color=colour, label=label)
                if (table["max"] > table["min"]).any():
                    axes.fill_between(table.index, table["min"], table["max"], color=colour, alpha=0.15, linewidth=0)
        axes.set_xlabel(x)
        axes.set_ylabel({"ratio": "makespan / lower bound", "makespan": "makespan (s)"}.get(y, y))
        _legend_above(axes)
    return axes
