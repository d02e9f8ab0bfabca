"""What results say is what the command says of the same."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import heddle

COMMAND = os.environ["HEDDLE_PROGRAM"]


def command(*words):
    return subprocess.run([COMMAND, *words], check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "LC_ALL": "C.UTF-8"}).stdout


def without_times(text):
    """Without the line, column or key of what the machine takes."""
    lines = [line.split("decided in")[0].rstrip() for line in text.splitlines()]
    return [line.rsplit("  ", 1)[0].rstrip() if line.endswith("ms") and "%" in line else line for line in lines]


def without_seconds(record):
    return {key: value for key, value in record.items() if "seconds" not in key and "per_second" not in key}


ON = ("--platform", "mirage")


def test_schedule(kept_schedule):
    said = ("schedule", "cholesky:tiles=6", *ON, "--policy", "heteroprio-dep:order=best")
    assert without_times(str(kept_schedule)) == without_times(command(*said).rstrip("\n"))
    record = json.loads(command(*said, "--json"))
    assert without_seconds(kept_schedule.to_json()) == without_seconds(record)
    assert (kept_schedule.makespan, kept_schedule.ratio) == (record["makespan"], record["ratio"])


def test_default_policy_is_that_of_the_command(cholesky):
    assert heddle.schedule(cholesky).policy == "auto"


def test_a_bound_is_computed_once(cholesky, kept_schedule):
    bound = heddle.bound(cholesky)
    assert heddle.schedule(cholesky, "heteroprio-dep:order=best", bound=bound).ratio == kept_schedule.ratio
    with pytest.raises(heddle.InputError, match="another instance"):
        heddle.schedule(heddle.generate("cholesky:tiles=6", "mirage"), "heft", bound=bound)


def test_attempts(kept_schedule, cholesky):
    frame = kept_schedule.to_pandas()
    completed = frame[frame["outcome"] == "completed"]
    assert sorted(completed["task"]) == sorted(cholesky.task_names)
    assert completed["end"].max() == kept_schedule.makespan
    assert (frame["outcome"] == "aborted").sum() == kept_schedule.to_json()["aborted_attempts"] > 0
    assert all(worker.startswith(kind) for worker, kind in zip(frame["worker"], frame["class"]))


def test_bound(cholesky):
    bound = heddle.bound(cholesky, "all")
    record = json.loads(command("bound", "cholesky:tiles=6", *ON, "--kind", "all", "--json"))
    assert without_seconds(bound.to_json()) == without_seconds(record)
    assert bound.kinds == record["bounds"] and bound.best == record["best"] == max(bound.kinds.values())
    assert str(bound) == command("bound", "cholesky:tiles=6", *ON, "--kind", "all").rstrip("\n")
    assert list(bound.to_pandas()["bound"]) == list(bound.kinds.values())


def test_compare():
    instances = [heddle.generate(name, "mirage") for name in ("cholesky:tiles=5", "lu:tiles=4")]
    found = heddle.compare(instances, ["heft", "eager"], runs=2, noise="uniform:0.1")
    said = ("compare", "cholesky:tiles=5", "lu:tiles=4", *ON, "--policies", "heft,eager", "--runs", "2",
            "--noise", "uniform:0.1")
    assert list(map(without_seconds, found.to_json())) == list(map(without_seconds, json.loads(command(*said, "--json"))))
    assert without_times(str(found)) == without_times(command(*said).rstrip("\n"))
    frame = found.to_pandas()
    assert list(frame["policy"]) == ["heft", "heft", "eager", "eager"] * 2
    assert (abs(frame["makespan"] / frame["bound"] - frame["ratio"]) < 1e-12).all()
    assert found.to_csv().splitlines()[0].startswith("instance,platform,policy")


def test_compare_all_leaves_out_what_cannot_take_the_instance():
    graph = heddle.Graph("one")
    graph.task(cpu=1)
    found = heddle.compare(graph.on(heddle.Platform(cpu=2)), "all,heft:rank=avg")
    assert "needs exactly two classes" in found.skipped[("one", "er-ls")]
    assert "er-ls" not in set(found.to_pandas()["policy"])


def test_search_is_reproducible_and_proves(cholesky):
    searches = [heddle.search(cholesky, iterations=20_000, seed=7, policies=["heft", "eager"]) for _ in range(2)]
    assert searches[0].to_pandas().equals(searches[1].to_pandas())
    assert heddle.validate(cholesky, searches[0])
    assert searches[0].makespan <= heddle.schedule(cholesky, "heft").makespan
    small = heddle.search(heddle.generate("cholesky:tiles=4", "mirage"), prove=True, iterations=20_000)
    assert small.to_json()["optimal"] and "optimal: no schedule is shorter" in str(small)


def test_analyze(cholesky, kept_schedule, tmp_path):
    found = heddle.analyze(kept_schedule)
    kept_schedule.save(tmp_path / "schedule.json")
    said = ("analyze", "cholesky:tiles=6", str(tmp_path / "schedule.json"), *ON)
    record = json.loads(command(*said, "--json"))
    answer = found.to_json()
    answer["what_if"] = [change for change in answer["what_if"] if "python-eager" not in change["change"]]
    assert {**answer, "run": ""} == {**record, "run": ""}
    assert found.verdict == record["verdict"] and list(found.chain["task"]) == [link["task"] for link in record["chain"]]
    assert set(found.to_pandas()["change"]) == {change["change"] for change in record["what_if"]} | {"policy python-eager"}
    workers = cholesky.workers
    for kind, row in found.losses.iterrows():
        assert row.sum() == pytest.approx(workers[kind] * kept_schedule.makespan)
    alone = str(heddle.analyze(cholesky, tmp_path / "schedule.json", what_if=False))
    assert alone == command(*said, "--what-if-time", "0").rstrip("\n")
    assert heddle.analyze(kept_schedule, what_if=False).to_html().lower().startswith("<!doctype html>")


def test_analyze_a_recording():
    path = Path(__file__).parents[2] / "examples" / "cholesky-n08.tasks.rec.gz"
    record = json.loads(command("analyze", str(path), "--what-if-time", "0", "--json"))
    assert heddle.analyze(path, what_if=False).to_json() == record


def test_experiment(tmp_path):
    name = "spoliation-orders"
    assert name in dict(heddle.experiments())
    found = heddle.experiment(name, quick=True, journal=tmp_path / "journal")
    said = ("experiment", name, "--quick", "--journal", str(tmp_path / "journal"))
    assert found.to_json() == json.loads(command(*said, "--json")) and str(found) == command(*said).rstrip("\n")
    assert len(found.claims) > 0 and len(found.to_pandas()) == len(found.to_json()["cells"])


def test_adversary():
    found = heddle.adversary("heft", against="heteroprio-dep", tasks=7, iterations=2000, seed=3)
    said = ("adversary", "heft", "--against", "heteroprio-dep", "--tasks", "7", "--iterations", "2000", "--seed", "3")
    record = json.loads(command(*said, "--json"))
    assert found.ratio == record["ratio"] > 1 and without_times(str(found)) == without_times(command(*said).rstrip("\n"))
    mine, theirs = (heddle.schedule(found.instance, name, bound="none").makespan for name in ("heft", "heteroprio-dep"))
    assert found.ratio == pytest.approx(mine / theirs)
    assert list(found.to_pandas()["makespan"]) == [mine, theirs]
    assert heddle.adversary("python-eager", tasks=3, iterations=100).ratio >= 1


def test_validate_and_judge(cholesky, kept_schedule, tmp_path):
    path = tmp_path / "schedule.json"
    kept_schedule.save(path)
    valid = heddle.validate(cholesky, path)
    assert valid and valid.violations == [] and valid.makespan == kept_schedule.makespan
    cholesky.save(str(tmp_path / "cholesky.json"))
    assert str(valid) == command("validate", str(tmp_path / "cholesky.json"), str(path)).rstrip("\n")
    assert heddle.judge(cholesky, path).ratio == kept_schedule.ratio

    broken = kept_schedule.to_schedule()
    broken["attempts"] = broken["attempts"][1:]
    del broken["makespan"]
    invalid = heddle.validate(cholesky, broken)
    assert not invalid and len(invalid.violations) == 1 and str(invalid).endswith("invalid: 1 violation")
    with pytest.raises(heddle.InputError, match="not a valid schedule"):
        heddle.judge(cholesky, broken)
    broken["makespan"] = 1
    assert any("the file says makespan" in violation for violation in heddle.validate(cholesky, broken).violations)


def test_pages_are_those_of_the_command(kept_schedule, cholesky, tmp_path):
    kept_schedule.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert page.startswith("<!doctype html>") or page.startswith("<!DOCTYPE html>")
    shown = heddle.compare(cholesky, ["heft", "eager"])._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "&lt;script" in shown and "<script" not in shown


@pytest.mark.parametrize("wrong, sentence", [
    (lambda i: heddle.schedule(i, "hetf"), "did you mean 'heft'"),
    (lambda i: heddle.schedule(i, "heft", noise="loud"), "noise"),
    (lambda i: heddle.schedule(i, "heft", aborts="some"), "aborts is 'some'"),
    (lambda i: heddle.schedule(i, "heft", bound="tight"), "tight"),
    (lambda i: heddle.compare(i, ["heft", "static"]), "static"),
    (lambda i: heddle.bound(i, "tight"), "tight"),
    (lambda i: heddle.search(i, gap=-1), "--gap"),
    (lambda i: heddle.validate(i, "/no/such/file"), "/no/such/file: cannot be read: No such file or directory"),
    (lambda i: heddle.validate(i, {}), "the schedule"),
    (lambda i: heddle.adversary("heft", "er-ls", platform="counts:cpu=2"), "needs exactly two classes"),
    (lambda i: heddle.experiment("spoliation"), "spoliation-orders"),
    (lambda i: heddle.analyze(i), "expected a schedule of it as well"),
])
def test_bad_input_is_one_sentence(cholesky, wrong, sentence):
    with pytest.raises(heddle.InputError) as error:
        wrong(cholesky)
    assert sentence in str(error.value) and "\n" not in str(error.value)
