"""Tiled linear algebra on arrays of numpy, as tasks of a runtime.

    >>> import numpy, heddle
    >>> from heddle import linalg
    >>> a = numpy.array([[4.0, 2.0], [2.0, 5.0]])
    >>> with heddle.Runtime(workers="cpu=2") as runtime:
    ...     linalg.cholesky(runtime, a)
    >>> a
    array([[2., 0.],
           [1., 2.]])

Each function submits tasks and returns at once; `Runtime.wait()` returns when the results are there. The tasks copy the
arrays into square tiles, work on these with OpenBLAS and LAPACK, and copy the results back. They take their places among
other tasks that use the arrays. They do not hold the interpreter's lock (GIL).

Arrays have two dimensions and elements of float64 or float32, the same in all arguments; any order of the elements that
`Runtime.submit` takes. tile: the side of a tile. All functions raise InputError when an array does not fit. The first call
tells OpenBLAS to use one thread per call, also for numpy where that uses the same library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heddle import _heddle
from heddle._heddle import Breakdown
from heddle.runtime import Runtime

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

__all__ = ["Breakdown", "cholesky", "gemm", "lstsq", "lu", "qr", "solve"]


def cholesky(runtime: Runtime, a: Array, *, tile: int = 256) -> None:
    """a := L, where A = L Lᵀ. A is symmetric and positive definite; only its lower triangle is looked at.

    `Runtime.wait` raises Breakdown where it is not positive definite.
    """
    _heddle.cholesky(runtime._kept, a, tile)


def lu(runtime: Runtime, a: Array, pivots: Array, *, tile: int = 256) -> None:
    """a := L and U, where P A = L U with partial pivoting; the diagonal of L, which is 1, is not stored.

    pivots: an array of int32: row i was exchanged with row pivots[i], in this order, as scipy.linalg.lu_factor has it.
    `Runtime.wait` raises Breakdown where A is singular.
    """
    _heddle.lu(runtime._kept, a, pivots, tile)


def qr(runtime: Runtime, a: Array, q: Array, r: Array, *, tile: int = 256) -> None:
    """q := Q and r := R, where A = Q R. A has m rows and n <= m columns; Q is m x n with orthonormal columns, R n x n and upper
    triangular."""
    _heddle.qr(runtime._kept, a, q, r, tile)


def solve(runtime: Runtime, a: Array, b: Array, *, positive: bool = False, tile: int = 256) -> None:
    """b := A⁻¹ B.

    positive: A is symmetric and positive definite, so that Cholesky's factorization does; else LU with partial pivoting.
    b may have one dimension. `Runtime.wait` raises Breakdown where A is not such a matrix.
    """
    _heddle.solve(runtime._kept, a, _as_matrix(b), positive, tile)


def lstsq(runtime: Runtime, a: Array, b: Array, x: Array, *, tile: int = 256) -> None:
    """x := the X that minimizes the 2-norm of A X - B, column by column, by QR. A has at least as many rows as columns, and full
    rank. b and x may have one dimension."""
    _heddle.lstsq(runtime._kept, a, _as_matrix(b), _as_matrix(x), tile)


def gemm(runtime: Runtime, a: Array, b: Array, c: Array, *, alpha: float = 1, beta: float = 0, tile: int = 256) -> None:
    """c := alpha A B + beta C. With beta = 0, what is in c before does not matter."""
    _heddle.gemm(runtime._kept, a, b, c, alpha, beta, tile)


def _as_matrix(array: Array) -> Array:
    """A vector as a matrix of one column, on the same memory."""
    return array[:, None] if array.ndim == 1 else array
