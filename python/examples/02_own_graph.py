"""Makes a graph task by task, with dependencies that follow from its data, and asks how short the makespan can get."""

import heddle

graph = heddle.Graph("map-reduce")
total = graph.data("total", bytes=8)
for i in range(40):
    part = graph.data(f"part{i}", bytes=64_000_000)
    graph.task(f"load{i}", "LOAD", writes=[part], cpu=0.004)
    graph.task(f"work{i}", "WORK", updates=[part], cpu=0.060, gpu=0.005)
    graph.task(f"add{i}", "ADD", reads=[part], commutes=[total], cpu=0.001)

for gpus in range(1, 5):
    instance = graph.on(heddle.Platform(cpu=8, gpu=gpus))
    bound = heddle.bound(instance)
    schedule = heddle.schedule(instance, "heft", bound=bound)
    print(f"{gpus} gpu: {1e3 * schedule.makespan:6.1f} ms, no schedule is shorter than {1e3 * (bound.best or 0):6.1f} ms")
