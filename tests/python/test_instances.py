"""Instances: read, generated, made task by task, from networkx."""

import json
import math
from decimal import ROUND_HALF_UP, Decimal

import networkx
import numpy
import pytest

import heddle


def pair():
    graph = heddle.Graph("pair")
    first = graph.task("first", "A", cpu=0.010, gpu=0.006)
    graph.task("second", "B", after=[first], cpu=0.001)
    return graph


def test_generated_is_what_the_command_writes(cholesky, tmp_path):
    path = tmp_path / "cholesky.json"
    cholesky.save(str(path))
    again = heddle.read(path)
    assert again.to_json() == cholesky.to_json() == path.read_text()
    assert len(again) == 56 and again.workers == {"cpu": 9, "gpu": 3}
    assert repr(again) == "<heddle.Instance cholesky:tiles=6: 56 tasks on 9 cpu + 3 gpu>"


def test_properties_agree_with_the_file(cholesky):
    document = json.loads(cholesky.to_json())
    assert cholesky.task_names == [task["name"] for task in document["tasks"]]
    assert cholesky.task_types == [task["type"] for task in document["tasks"]]
    seconds = {kind["name"]: [kind["seconds"]["cpu"], kind["seconds"]["gpu"]] for kind in document["types"]}
    assert (cholesky.durations == numpy.array([seconds[kind] for kind in cholesky.task_types])).all()
    assert (cholesky.estimates == cholesky.durations).all()
    assert cholesky.worker_classes[0] == ("cpu", "cpu0") and cholesky.worker_classes[-1] == ("gpu", "gpu2")


def test_task_by_task():
    instance = pair().on(heddle.Platform(cpu=2, gpu=1))
    assert instance.edges.tolist() == [[0, 1]]
    assert instance.durations.tolist() == [[0.010, 0.006], [0.001, math.inf]]
    assert heddle.schedule(instance, "heft").makespan == 0.007


def test_accesses_imply_dependencies():
    graph = heddle.Graph()
    a = graph.data("a", bytes=8)
    writer = graph.task(writes=[a], cpu=1)
    graph.task(reads=[a], cpu=1)
    graph.task(reads=[a], cpu=1)
    graph.task(updates=[a], cpu=1)
    assert writer == "task0"
    assert graph.on(heddle.Platform(cpu=2)).edges.tolist() == [[0, 1], [0, 2], [1, 3], [2, 3]]


def test_links_move_data():
    graph = heddle.Graph()
    graph.task(reads=[graph.data("a", bytes=1_000_000_000)], gpu=0.001)
    still = heddle.schedule(graph.on("mirage"), "heft")
    moved = heddle.schedule(graph.on("mirage:links=measured"), "heft")
    assert still.makespan == 0.001 and moved.makespan > 0.05


@pytest.mark.parametrize("durations", [
    {"A": {"cpu": 3.0}, "second": {"gpu": 4.0}},
    {"A": {"cpu": numpy.float64(3), "gpu": None}, "B": {"cpu": math.inf, "gpu": 4}},
    numpy.array([[3, math.nan], [math.inf, 4]]),
    lambda task, worker_class: {("first", "cpu"): 3, ("second", "gpu"): 4}.get((task, worker_class)),
])
def test_durations_of_every_kind_say_the_same(durations):
    graph = heddle.Graph()
    graph.task("first", "A")
    graph.task("second", "B", after=["first"])
    instance = graph.on(heddle.Platform(cpu=1, gpu=1), durations)
    assert instance.durations.tolist() == [[3, math.inf], [math.inf, 4]]


def test_own_seconds_come_before_those_of_on():
    instance = pair().on(heddle.Platform(cpu=1, gpu=1), lambda task, worker_class: 99)
    assert instance.durations.tolist() == [[0.010, 0.006], [0.001, math.inf]]


def test_times_are_read_to_the_picosecond():
    random = numpy.random.default_rng(1)
    for seconds in random.uniform(0, 9000, 300):
        graph = heddle.Graph()
        graph.task(cpu=seconds)
        exact = (Decimal(repr(float(seconds))) * 10**12).to_integral_value(ROUND_HALF_UP)
        assert graph.on(heddle.Platform(cpu=1)).durations[0, 0] == int(exact) / 1e12


def test_networkx_and_back():
    random = numpy.random.default_rng(2)
    for size in range(1, 30):
        made = networkx.DiGraph()
        made.add_nodes_from((node, {"type": f"T{node % 3}", "seconds": {"cpu": 1.0 + node}}) for node in range(size))
        made.add_edges_from((a, b) for b in range(size) for a in range(b) if random.random() < 0.2)
        instance = heddle.Graph.from_networkx(made).on(heddle.Platform(cpu=3))
        assert {tuple(edge) for edge in instance.edges.tolist()} == set(made.edges())
        assert instance.task_names == [str(node) for node in range(size)]
        assert heddle.validate(instance, heddle.schedule(instance, "heft", bound="none"))


def test_platform_with_settings():
    assert heddle.Platform("mirage", gpu=5).workers == {"cpu": 9, "gpu": 5}
    assert heddle.Platform("mirage:cpu=2", gpu=5).workers == {"cpu": 2, "gpu": 5}
    assert heddle.generate("lu:tiles=3", platform=heddle.Platform("mirage", gpu=5)).platform == "mirage:gpu=5"


def cycle():
    graph = pair()
    graph.edge("second", "first")
    graph.on("counts:cpu=1")


@pytest.mark.parametrize("wrong, sentence", [
    (lambda: heddle.read("/no/such/file"), "cannot read '/no/such/file': No such file or directory"),
    (lambda: heddle.generate("choelsky:tiles=3", "mirage"), "did you mean 'cholesky'"),
    (lambda: heddle.generate("cholesky:tiles=3", "mriage"), "mirage"),
    (lambda: heddle.Platform(cpu=0), "no worker"),
    (lambda: pair().task("first"), "graph 'pair' has a task 'first' already"),
    (lambda: pair().edge("first", "third"), "graph 'pair' has no task 'third'"),
    (lambda: pair().on(heddle.Platform(tpu=1)), "tasks[0].seconds"),
    (lambda: heddle.Graph().on("counts:cpu=1", {"X": {"cpu": 1}}), "durations name 'X', which is neither a type nor a task"),
    (lambda: pair().on("counts:cpu=1", numpy.zeros((2, 2))), "expected a row per task and a column per class, (2, 1)"),
    (cycle, "cycle"),
])
def test_bad_input_is_one_sentence(wrong, sentence):
    with pytest.raises(heddle.InputError) as error:
        wrong()
    assert sentence in str(error.value) and "\n" not in str(error.value)
    assert isinstance(error.value, ValueError)
