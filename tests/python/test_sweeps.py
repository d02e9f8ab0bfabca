"""Sweeps: every run, in order, on many threads, and until Ctrl-C."""

import os
import signal
import threading
import time

import pytest

import heddle

FAMILY = {"n": range(2, 6), "platform": ["mirage", "sirocco"], "policies": ["heft", "python-eager", "eager"],
          "seeds": range(3), "noise": "uniform:0.2"}
COLUMNS = ["platform", "policy", "seed", "makespan", "ratio"]


def test_rows_are_those_of_compare_in_order():
    rows = heddle.sweep("cholesky:tiles={n}", **FAMILY, threads=4)
    expected = []
    for n in FAMILY["n"]:
        for platform in FAMILY["platform"]:
            instance = heddle.generate(f"cholesky:tiles={n}", platform)
            frame = heddle.compare(instance, FAMILY["policies"], seed=0, runs=3, noise="uniform:0.2").to_pandas()
            expected += [(n, *row) for row in frame[COLUMNS].itertuples(index=False)]
    found = rows.to_pandas()
    assert list(found[["n", *COLUMNS]].itertuples(index=False, name=None)) == expected


def test_threads_change_nothing():
    sweeps = [heddle.sweep("lu:tiles={n}", **FAMILY, threads=threads).to_pandas() for threads in (1, 3)]
    assert sweeps[0].drop(columns="wall_seconds").equals(sweeps[1].drop(columns="wall_seconds"))


def test_all_leaves_out_what_cannot_take_the_instance():
    found = heddle.sweep("layered:layers=3,width=4,seed=1", platform="counts:cpu=3", bound="area").to_pandas()
    assert "heft" in set(found["policy"]) and "er-ls" not in set(found["policy"])


@pytest.mark.parametrize("workload, sentence", [("cholesky:tiles={m}", "no value for 'm'"), ("cholesky:tiels={n}", "tiels")])
def test_bad_input_is_one_sentence(workload, sentence):
    with pytest.raises(heddle.InputError, match=sentence):
        heddle.sweep(workload, **FAMILY)


def interrupted(work):
    """Ctrl-C after a moment; how long the work took to end."""
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        work()
    timer.join()
    return time.monotonic() - begun


def test_interrupts_end_what_is_under_way(cholesky):
    assert interrupted(lambda: heddle.search(cholesky, seconds=60, policies="heft")) < 20
    assert interrupted(lambda: heddle.sweep("cholesky:tiles={n}", n=[20] * 1000, platform="mirage", policies="heft")) < 20
    assert interrupted(lambda: heddle.compare([cholesky] * 200, "heft,eager", runs=1000)) < 20
    assert heddle.schedule(cholesky, "heft").makespan > 0


def test_progress_is_shown_when_asked_for(capsys):
    heddle.sweep("cholesky:tiles={n}", **FAMILY, progress=True)
    assert "sweep of 8 instances: 8/8" in capsys.readouterr().err
    heddle.sweep("cholesky:tiles={n}", **FAMILY)
    assert capsys.readouterr().err == ""
