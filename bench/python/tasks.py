#!/usr/bin/env python3
"""What a task of the runtime costs whose Python function does nothing, beside the standard library's thread pool.

usage: PYTHONPATH=build/release/python /usr/bin/python3 bench/python/tasks.py [TASKS]    by default 50,000

Each task updates one of 64 arrays. Prints medians of 5 runs with 2 workers: microseconds per task, from the first submission to
the end of the last task.
"""

import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy

import heddle

RUNS = 5
WORKERS = 2


def nothing(array):
    pass


def submit_to(runtime, arrays, count):
    for number in range(count):
        runtime.submit(nothing, heddle.rw(arrays[number % len(arrays)]))


def submitted(arrays, count):
    with heddle.Runtime(f"cpu={WORKERS}", "eager", history="") as runtime:
        begin = time.perf_counter()
        submit_to(runtime, arrays, count)
        runtime.wait()
        return time.perf_counter() - begin


def recorded(arrays, count):
    with heddle.Runtime(f"cpu={WORKERS}", "eager", history="") as runtime:
        graph = runtime.record(lambda: submit_to(runtime, arrays, count))
        begin = time.perf_counter()
        runtime.run(graph)
        runtime.wait()
        return time.perf_counter() - begin


def pooled(arrays, count):
    with ThreadPoolExecutor(WORKERS) as pool:
        begin = time.perf_counter()
        futures = [pool.submit(nothing, arrays[number % len(arrays)]) for number in range(count)]
        for future in futures:
            future.result()
        return time.perf_counter() - begin


def main(count):
    arrays = [numpy.zeros(10) for _ in range(64)]
    for name, measure in (("submitted", submitted), ("recorded before", recorded), ("ThreadPoolExecutor", pooled)):
        seconds = statistics.median(measure(arrays, count) for _ in range(RUNS))
        print(f"{name:18}  {1e6 * seconds / count:6.2f} us per task")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
