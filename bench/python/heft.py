#!/usr/bin/env python3
"""How much longer HEFT takes in Python than in Heddle, on the graphs of tiled Cholesky factorizations.

usage: PYTHONPATH=build/release/python /usr/bin/python3 bench/python/heft.py [--saga FOLDER] [TILES...]

TILES are 12, 20 and 40 by default: 364, 1,540 and 11,480 tasks. The rivals are HEFT's loop over a networkx graph, below, and
SAGA (https://github.com/ANRGUSC/saga), where a folder has its source: a version before 2, whose graphs are networkx's.

Machines and durations are such that all three know them: four cores and two GPUs that are eight times as fast for any task, no
transfers, and durations of which no two are equal. All must have the same makespan. Prints medians of seconds, of 15 runs of
Heddle and of 3 runs of others (1 where one takes longer than 20 s), and how many times as long as Heddle each takes.
"""

import argparse
import importlib
import math
import random
import statistics
import sys
import time
import types
from pathlib import Path

import networkx

import heddle

CORES, GPUS, SPEED = 4, 2, 8
SPEEDS = [1] * CORES + [SPEED] * GPUS
PICOSECONDS = 10**12


def weighted(tiles):
    """The factorization's dependencies, each task with how many picoseconds it takes on a core: a multiple of SPEED."""
    instance = heddle.generate(f"cholesky:tiles={tiles}", platform="mirage")
    graph = networkx.DiGraph()
    drawn = random.Random(tiles)
    weights = drawn.sample(range(10**7, 10**8), len(instance))
    for name, weight in zip(instance.task_names, weights):
        graph.add_node(name, weight=weight * 1000 * SPEED)
    for before, after in instance.edges:
        graph.add_edge(instance.task_names[before], instance.task_names[after], weight=0)
    return graph


def in_heddle(graph):
    platform = heddle.Platform(cpu=CORES, gpu=GPUS)
    weight = graph.nodes(data="weight")
    durations = {task: {"cpu": weight[task] / PICOSECONDS, "gpu": weight[task] / SPEED / PICOSECONDS} for task in graph}
    instance = heddle.Graph.from_networkx(graph).on(platform, durations)
    return lambda: round(heddle.schedule(instance, "heft:rank=avg", bound="none").makespan * PICOSECONDS)


def in_networkx(graph):
    """Topcuoglu, Hariri and Wu 2002, section 4.1, for tasks whose data is everywhere."""

    def earliest(busy, ready, takes):
        """Where in a worker's list of (start, end) a task fits that is ready then."""
        end = 0
        for place, (start, next_end) in enumerate(busy):
            if max(end, ready) + takes <= start:
                return place, max(end, ready)
            end = next_end
        return len(busy), max(end, ready)

    def run():
        mean = sum(1 / speed for speed in SPEEDS) / len(SPEEDS)
        weight = graph.nodes(data="weight")
        rank = {}
        for task in reversed(list(networkx.topological_sort(graph))):
            rank[task] = mean * weight[task] + max((rank[after] for after in graph.successors(task)), default=0)
        busy = [[] for _ in SPEEDS]
        end = {}
        for task in sorted(graph, key=rank.get, reverse=True):
            ready = max((end[before] for before in graph.predecessors(task)), default=0)
            best = (math.inf,)
            for worker, speed in enumerate(SPEEDS):
                takes = weight[task] // speed
                place, start = earliest(busy[worker], ready, takes)
                best = min(best, (start + takes, worker, place, start))
            end[task], worker, place, start = best
            busy[worker].insert(place, (start, end[task]))
        return max(end.values())

    return run


def heft_of_saga(folder):
    """Its scheduler, without what its packages import besides, which takes a dozen other packages."""
    source = Path(folder) / "src"
    for name in ("saga", "saga.schedulers", "saga.utils"):
        package = types.ModuleType(name)
        package.__path__ = [str(source / name.replace(".", "/"))]
        sys.modules[name] = package
    return importlib.import_module("saga.schedulers.heft").HeftScheduler()


def in_saga(graph, scheduler):
    network = networkx.complete_graph(len(SPEEDS))
    network.add_edges_from((worker, worker) for worker in range(len(SPEEDS)))
    networkx.set_edge_attributes(network, 1, "weight")
    networkx.set_node_attributes(network, dict(enumerate(SPEEDS)), "weight")
    return lambda: round(max(tasks[-1].end for tasks in scheduler.schedule(network, graph).values() if tasks))


def timed(run, runs):
    seconds = []
    while len(seconds) < runs:
        since = time.perf_counter()
        makespan = run()
        seconds.append(time.perf_counter() - since)
        if seconds[0] > 20:
            break
    return makespan, statistics.median(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--saga", metavar="FOLDER", help="the source of SAGA")
    parser.add_argument("tiles", metavar="TILES", type=int, nargs="*", default=[12, 20, 40])
    options = parser.parse_args()
    scheduler = heft_of_saga(options.saga) if options.saga else None
    print(f"{'tasks':>6}  {'rival':<8}  {'seconds':>9}  {'Heddle':>9}  {'ratio':>7}")
    for tiles in options.tiles:
        graph = weighted(tiles)
        makespan, ours = timed(in_heddle(graph), 15)
        rivals = {"networkx": in_networkx(graph)}
        if scheduler:
            rivals["SAGA"] = in_saga(graph, scheduler)
        for name, run in rivals.items():
            theirs, seconds = timed(run, 3)
            assert theirs == makespan, f"{name} has a makespan of {theirs} ps, Heddle of {makespan} ps"
            print(f"{len(graph):6}  {name:<8}  {seconds:9.4f}  {ours:9.4f}  {seconds / ours:7,.0f}")


if __name__ == "__main__":
    main()
