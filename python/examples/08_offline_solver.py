"""Judges schedules that another program made: here, tasks in order of their numbers, each on the worker that ends first."""

from __future__ import annotations

import heddle

instance = heddle.generate("lu:tiles=6", platform="mirage")
seconds, workers = instance.durations, instance.worker_classes
predecessors: dict[int, list[int]] = {task: [] for task in range(len(instance))}
for before, after in instance.edges.tolist():
    predecessors[after].append(before)

# Whole picoseconds, as Heddle counts: sums of seconds would be inexact.
free = [0] * len(workers)
ends: list[int] = []
attempts = []
for task, name in enumerate(instance.task_names):
    start = max((ends[before] for before in predecessors[task]), default=0)
    lasts = [round(float(seconds[task, list(instance.workers).index(kind)]) * 1e12) for kind, _ in workers]
    worker = min(range(len(workers)), key=lambda w: max(free[w], start) + lasts[w])
    start = max(free[worker], start)
    free[worker] = start + lasts[worker]
    ends.append(free[worker])
    attempts.append({"task": name, "worker": workers[worker][1], "start": start / 1e12, "end": free[worker] / 1e12,
                     "outcome": "completed"})

made = {"format": "heddle-schedule", "version": 1, "policy": "in order of numbers", "attempts": attempts}
print(heddle.validate(instance, made))
print(heddle.judge(instance, made))
