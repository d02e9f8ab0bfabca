"""Many comparisons at once, on all cores, as one table."""

from __future__ import annotations

import concurrent.futures
import itertools
import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Union

from heddle import _heddle, results
from heddle._heddle import InputError
from heddle.graph import Platform, generate, read

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


class Sweep:
    """The runs of a sweep, in the order asked for: workloads, then platforms, then policies, then seeds."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def to_pandas(self) -> pandas.DataFrame:
        """A row per run: the parameters of the sweep, and the columns of Comparison.to_pandas."""
        import pandas
        return pandas.DataFrame(self.rows)

    def lines(self, x: str, y: str = "ratio", ax: Union[Axes, None] = None) -> Axes:
        """A line per policy over a parameter; see heddle.figures.lines."""
        from heddle import figures
        return figures.lines(self, x, y, ax)

    def profile(self, ax: Union[Axes, None] = None, **options: Any) -> Axes:
        """The performance profile; see heddle.figures.profile."""
        from heddle import figures
        return figures.profile(self, ax, **options)

    def __str__(self) -> str:
        return str(self.to_pandas().to_string(index=False))


def sweep(workload: str, *, platform: Union[str, Platform, Iterable[Union[str, Platform, None]], None] = None,
          policies: Union[str, Iterable[str]] = "all", seeds: Iterable[int] = (1,), noise: str = "", bound: str = "default",
          threads: Union[int, None] = None, progress: Union[bool, None] = None, **parameters: Any) -> Sweep:
    """Every policy on a family of instances.

        >>> runs = sweep("cholesky:tiles={n}", n=range(4, 9, 4), platform=["mirage", "sirocco"], policies=["heft", "eager"])
        >>> len(runs)
        8

    workload: a workload or a file, with the names of parameters in braces. Each other keyword is a parameter: a value, or a
    list of those to try. seeds: a run for each; they differ under noise only. bound: as `compare` has it.
    threads: one per core by default. progress: shows a bar on the terminal or in the notebook; by default where there is one
    and the sweep takes more than a second. Policies written in Python hold the interpreter's lock, so that these do not run
    at once. Raises InputError, as schedule does, before anything runs where that can be known.
    """
    names = [policies] if isinstance(policies, str) and policies != "all" else policies
    listed = [name for name, _ in _heddle.policies()] if names == "all" else list(names)
    machines: list[Any] = [platform] if platform is None or isinstance(platform, (str, Platform)) else list(platform)
    values = [_values(value) for value in parameters.values()]
    points = [dict(zip(parameters, chosen)) for chosen in itertools.product(*values)]
    all_seeds = list(seeds)
    cells = [(point, machine) for point in points for machine in machines]
    for point in points:
        _filled(workload, point)

    def compute(cell: tuple[dict[str, Any], Any]) -> list[dict[str, Any]]:
        point, machine = cell
        text = _filled(workload, point)
        instance = generate(text, machine) if machine is not None and not os.path.exists(text) else read(text, machine)
        lower = results.bound(instance, bound)
        rows = []
        for name in listed:
            for seed in all_seeds:
                try:
                    run = results.schedule(instance, name, seed=seed, noise=noise, bound=lower).to_json()
                except InputError:
                    if names == "all":
                        break  # of "all", those that cannot take the instance are left out
                    raise
                rows.append({**point, **results._row(run)})
        return rows

    with _Bar(f"sweep of {len(cells)} instances", len(cells), progress) as bar:
        pool = concurrent.futures.ThreadPoolExecutor(threads or os.cpu_count() or 1)
        try:
            futures = [pool.submit(compute, cell) for cell in cells]
            left = set(futures)
            while left:
                done, left = concurrent.futures.wait(left, timeout=0.1, return_when=concurrent.futures.FIRST_EXCEPTION)
                bar.update(len(futures) - len(left))
                if any(future.exception() for future in done):
                    break
        finally:
            # After an error or Ctrl-C what has begun ends, and nothing else begins.
            pool.shutdown(wait=True, cancel_futures=True)
    for future in futures:
        if not future.cancelled() and (error := future.exception()):
            raise error
    return Sweep([row for future in futures for row in future.result()])


def _values(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]


def _filled(workload: str, point: dict[str, Any]) -> str:
    try:
        return workload.format(**point)
    except (KeyError, IndexError) as error:
        raise InputError(f"workload '{workload}' has no value for {error}; expected a keyword of that name") from error


class _Bar:
    """A line on the terminal or in the notebook that says how far the work is."""

    def __init__(self, what: str, total: int, shown: Union[bool, None]) -> None:
        self._what = what
        self._total = total
        self._begun = time.monotonic()
        self._late = 0.0 if shown else 1.0
        self._notebook = _in_notebook()
        self._shown = shown if shown is not None else self._notebook or sys.stderr.isatty()
        self._display: Any = None
        self._drawn = False

    def __enter__(self) -> _Bar:
        return self

    def update(self, done: int) -> None:
        seconds = time.monotonic() - self._begun
        if not self._shown or seconds < self._late:
            return
        left = f", {seconds / done * (self._total - done):.0f} s left" if 0 < done < self._total else ""
        line = f"{self._what}: {done}/{self._total}{left}"
        self._drawn = True
        if not self._notebook:
            sys.stderr.write(f"\r\033[K{line}")
            sys.stderr.flush()
        elif self._display is None:
            from IPython.display import display
            self._display = display({"text/plain": line}, raw=True, display_id=True)
        else:
            self._display.update({"text/plain": line}, raw=True)

    def __exit__(self, *error: Any) -> None:
        if self._drawn and not self._notebook:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})
