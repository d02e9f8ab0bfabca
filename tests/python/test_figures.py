"""Figures show what the tables say, and are the same bytes each time."""

import numpy
import pytest
from matplotlib import pyplot

import heddle
from heddle import figures


@pytest.fixture(scope="module")
def comparison():
    instances = [heddle.generate(name, "mirage") for name in ("cholesky:tiles=5", "lu:tiles=4")]
    return heddle.compare(instances, ["heft", "eager", "er-ls"], runs=3, noise="uniform:0.2")


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


def test_names_of_few_workers_do_not_overlap():
    instance = heddle.generate("cholesky:tiles=6", platform="kumar-2017:cpu=1,gpu=1")
    axes = heddle.schedule(instance, "heft", bound="none").gantt()
    axes.figure.canvas.draw()
    first, second = (label.get_window_extent() for label in axes.get_yticklabels())
    assert not first.overlaps(second)


def test_gantt_has_a_bar_per_attempt(kept_schedule):
    axes = kept_schedule.gantt()
    bars = [bar for bar in axes.patches]
    frame = kept_schedule.to_pandas()
    assert len(bars) == len(frame)
    drawn = sorted((round(bar.get_y() + bar.get_height() / 2), bar.get_x(), bar.get_width()) for bar in bars)
    rows = {name: row for row, (_, name) in enumerate(kept_schedule.instance.worker_classes)}
    told = sorted((rows[worker], 1e3 * start, 1e3 * (end - start))
                  for worker, start, end in zip(frame["worker"], frame["start"], frame["end"]))
    assert numpy.allclose(drawn, told)
    assert sum(bar.get_hatch() is not None for bar in bars) == (frame["outcome"] == "aborted").sum() > 0


def test_ratios_are_means(comparison):
    frame = comparison.to_pandas()
    axes = comparison.ratios()
    heights = [bar.get_height() for bar in axes.patches]
    means = frame.groupby(["policy", "instance"], sort=False)["ratio"].mean()
    assert numpy.allclose(heights, [means[policy, instance] for policy in ("heft", "eager", "er-ls")
                                    for instance in ("cholesky:tiles=5", "lu:tiles=4")])


def test_profile_counts_runs(comparison):
    frame = comparison.to_pandas()
    table = frame.pivot_table(index=["instance", "run"], columns="policy", values="makespan")
    factors = table.div(table.min(axis=1), axis=0)
    for line in comparison.profile(most=5).get_lines():
        for factor in (1.0, 1.1, 1.5, 3.0):
            shown = line.get_ydata()[numpy.searchsorted(line.get_xdata(), factor, side="right") - 1] \
                if line.get_xdata()[0] <= factor else 0
            assert shown == pytest.approx((factors[line.get_label()] <= factor).mean())


def test_idle_is_a_share(comparison):
    heights = [bar.get_height() for bar in comparison.idle().patches]
    frame = comparison.to_pandas().groupby("policy", sort=False)[["idle cpu", "idle gpu"]].mean()
    assert numpy.allclose(heights, 100 * frame.to_numpy().T.ravel())


def test_lines_of_a_sweep():
    runs = heddle.sweep("cholesky:tiles={n}", n=[2, 3, 4], platform=["mirage", "sirocco"], policies="heft")
    lines = {line.get_label(): line for line in runs.lines("n").get_lines()}
    frame = runs.to_pandas()
    assert list(lines) == ["heft, mirage", "heft, sirocco"]
    for machine in ("mirage", "sirocco"):
        assert numpy.allclose(lines[f"heft, {machine}"].get_ydata(), frame[frame["platform"] == machine]["ratio"])


@pytest.mark.parametrize("suffix, begin", [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_files_are_the_same_each_time(kept_schedule, tmp_path, suffix, begin):
    for name in ("one", "two"):
        figures.save(kept_schedule.gantt(), tmp_path / f"{name}.{suffix}")
    one, two = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("one", "two"))
    assert one == two and one.startswith(begin)
