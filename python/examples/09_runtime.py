"""Runs a tiled Cholesky factorization whose kernels are Python functions, and asks whether another policy would be faster."""

from __future__ import annotations

from typing import Any

import numpy

import heddle
from heddle import figures

Array = numpy.ndarray[Any, Any]


def potrf(a: Array) -> None:
    a[:] = numpy.linalg.cholesky(a)


def trsm(diagonal: Array, a: Array) -> None:
    a[:] = numpy.linalg.solve(diagonal, a.T).T


def gemm(a: Array, b: Array, c: Array) -> None:
    c -= a @ b.T


def submit_cholesky(runtime: heddle.Runtime, matrix: Array, tile: int) -> None:
    """Tiles are parts of the matrix; which tasks wait for which follows from the tiles that they use."""
    count = len(matrix) // tile

    def part(i: int, j: int) -> Array:
        return matrix[i * tile:(i + 1) * tile, j * tile:(j + 1) * tile]

    for k in range(count):
        runtime.submit(potrf, heddle.rw(part(k, k)), name=f"potrf({k})")
        for i in range(k + 1, count):
            runtime.submit(trsm, heddle.read(part(k, k)), heddle.rw(part(i, k)), name=f"trsm({i},{k})")
        for i in range(k + 1, count):
            for j in range(k + 1, i + 1):
                runtime.submit(gemm, heddle.read(part(i, k)), heddle.read(part(j, k)), heddle.rw(part(i, j)),
                               name=f"gemm({i},{j},{k})")


random = numpy.random.default_rng(1).uniform(size=(768, 768))
symmetric = random @ random.T + 768 * numpy.eye(768)
matrix = symmetric.copy()
with heddle.Runtime(workers="cpu=2", policy="dmdas", trace=True) as runtime:
    submit_cholesky(runtime, matrix, 96)
    runtime.wait()
    ran = runtime.trace("cholesky")
lower = numpy.tril(matrix)
print("error", abs(lower @ lower.T - symmetric).max())
print(ran)
print(heddle.compare(ran.instance, ["heft", "dmdas", "eager"]))
figures.save(ran.gantt(), "run.svg")
