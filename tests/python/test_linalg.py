"""Tiled linear algebra on numpy's arrays gives what numpy computes, for every size, type and order of elements."""

import numpy
import pytest

import heddle
from heddle import linalg, read, rw

SIZES = [(1, 1), (5, 2), (16, 16), (33, 8), (40, 64)]  # the order of a matrix, and the side of a tile
KINDS = [numpy.float64, numpy.float32]


def near(a, b):
    """Whether they differ by what rounding explains."""
    return abs(a - b).max() <= 100 * max(a.shape) * numpy.finfo(a.dtype).eps * max(1, abs(b).max())


@pytest.fixture(params=[("cpu=2", "dmdas"), ("cpu=1,cpu2=1", "heteroprio-dep"), ("cpu=1,opencl=1", "eager")],
                ids=["cores", "groups", "opencl"])
def rt(request):
    workers, policy = request.param
    try:
        made = heddle.Runtime(workers, policy, history="", trace=True, bind=False)
    except heddle.InputError as error:
        if "opencl" in workers:
            pytest.skip(str(error))
        raise
    with made:
        yield made
        made.wait()
        traced = made.trace(bound="none")
        assert heddle.validate(traced.instance, traced)


def random(shape, kind, seed=1):
    return numpy.random.default_rng(seed).uniform(-0.5, 0.5, shape).astype(kind)


def orders(a):
    """The same matrix: rows first, columns first, and as a part of a larger one."""
    larger = numpy.zeros((a.shape[0] + 3, a.shape[1] + 2), dtype=a.dtype)
    part = larger[1:-2, 1:-1]
    part[:] = a
    return [numpy.array(a, order="C"), numpy.array(a, order="F"), part]


def positive(order, kind):
    a = random((order, order), kind)
    return (a @ a.T + numpy.eye(order, dtype=kind)).astype(kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order, tile", SIZES)
def test_cholesky(rt, order, tile, kind):
    matrix = positive(order, kind)
    for a in orders(matrix):
        linalg.cholesky(rt, a, tile=tile)
        rt.wait()
        assert near(a, numpy.linalg.cholesky(matrix))
        assert (numpy.triu(a, 1) == 0).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order, tile", SIZES)
def test_lu(rt, order, tile, kind):
    matrix = random((order, order), kind)
    for a in orders(matrix):
        pivots = numpy.empty(order, dtype=numpy.int32)
        linalg.lu(rt, a, pivots, tile=tile)
        rt.wait()
        exchanged = matrix.copy()
        for row, other in enumerate(pivots):
            exchanged[[row, other]] = exchanged[[other, row]]
        lower, upper = numpy.tril(a, -1) + numpy.eye(order, dtype=kind), numpy.triu(a)
        assert near(lower @ upper, exchanged)
        assert (abs(lower) <= 1).all()  # partial pivoting


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order, tile", SIZES)
def test_qr(rt, order, tile, kind):
    for rows in (order, order + 1, 2 * order + 3):
        matrix = random((rows, order), kind)
        for a in orders(matrix):
            q, r = numpy.full((rows, order), 9, kind), numpy.full((order, order), 9, kind, order="F")
            linalg.qr(rt, a, q, r, tile=tile)
            rt.wait()
            assert (a == matrix).all() and (numpy.tril(r, -1) == 0).all()
            assert near(q @ r, matrix)
            assert near(q.T @ q, numpy.eye(order, dtype=kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order, tile", SIZES)
def test_solve(rt, order, tile, kind):
    for a, is_positive in ((positive(order, kind), True), (random((order, order), kind) + order * numpy.eye(order, dtype=kind), False)):
        for shape in ((order,), (order, 1), (order, 7)):
            right = random(shape, kind, 2)
            b = right.copy()
            linalg.solve(rt, a, b, positive=is_positive, tile=tile)
            rt.wait()
            assert near(a @ b, right)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order, tile", SIZES)
def test_lstsq(rt, order, tile, kind):
    a = random((2 * order + 3, order), kind)
    for right in ((), (1,), (7,)):
        b, x = random((2 * order + 3, *right), kind, 2), numpy.full((order, *right), 9, kind)
        linalg.lstsq(rt, a, b, x, tile=tile)
        rt.wait()
        assert near(a.T @ (a @ x - b), zeros(order, *right))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order, tile", SIZES)
def test_gemm(rt, order, tile, kind):
    a, b, before = random((order, order + 4), kind), random((order + 4, order + 9), kind, 2), random((order, order + 9), kind, 3)
    for alpha, beta in ((1, 0), (-2, 0.5)):
        for left, right, c in zip(orders(a), orders(b), orders(numpy.full_like(before, numpy.nan) if beta == 0 else before)):
            linalg.gemm(rt, left, right, c, alpha=alpha, beta=beta, tile=tile)
            rt.wait()
            assert near(c, alpha * (a @ b) + (beta * before if beta else 0))


def test_they_take_their_place_among_other_tasks(rt):
    a, b = numpy.zeros((40, 40)), numpy.arange(40.0)

    def fill(a):
        a[:] = positive(40, float)

    rt.submit(fill, rw(a))
    linalg.cholesky(rt, a, tile=16)
    rt.submit(lambda a: numpy.multiply(a, 2, out=a), rw(a))
    linalg.gemm(rt, a, a.T, c := numpy.zeros((40, 40)), tile=16)
    linalg.solve(rt, c, b, tile=16)
    rt.submit(lambda b, c, d: numpy.matmul(c, b, out=d), read(b), read(c), rw(d := numpy.zeros(40)))
    rt.wait()
    assert near(c, 4 * positive(40, float)) and near(d, numpy.arange(40))


def test_recorded_factorizations_run_again(rt):
    a, results = numpy.zeros((40, 40)), []

    def fill(a):
        a[:] = positive(40, float) * (1 + len(results))

    def submit_tasks():
        rt.submit(fill, rw(a))
        linalg.cholesky(rt, a, tile=16)
        rt.submit(lambda a: results.append(a.copy()), read(a))

    graph = rt.record(submit_tasks)
    for _ in range(3):
        rt.run(graph)
    rt.wait()
    for number, result in enumerate(results):
        assert near(result, numpy.linalg.cholesky(positive(40, float) * (1 + number)))
    assert len(results) == 3


@pytest.mark.parametrize("compute", [
    lambda rt, a: linalg.cholesky(rt, a, tile=8),
    lambda rt, a: linalg.lu(rt, a, numpy.zeros(20, dtype=numpy.int32), tile=8),
    lambda rt, a: linalg.solve(rt, a, numpy.zeros(20), tile=8),
])
def test_breakdowns_name_the_row(rt, compute):
    singular = numpy.diag([1.0] * 13 + [0] + [1] * 6)
    compute(rt, singular)
    with pytest.raises(linalg.Breakdown, match="row 13, counted from 0") as error:
        rt.wait()
    assert isinstance(error.value, heddle.TaskFailure)
    other = positive(20, float)
    linalg.cholesky(rt, other, tile=8)  # it can be used further
    rt.wait()


def zeros(*shape, **options):
    return numpy.zeros(shape, **options)


@pytest.mark.parametrize("wrong, sentence", [
    (lambda rt: linalg.cholesky(rt, zeros(3)), "'a' is an array of 1 dimensions and 3 elements; expected a matrix"),
    (lambda rt: linalg.cholesky(rt, zeros(3, 3), tile=0), "the side of a tile is 0"),
    (lambda rt: linalg.cholesky(rt, zeros(3, 4)), "'a' has 3 rows and 4 columns; expected a square matrix"),
    (lambda rt: linalg.lu(rt, zeros(4, 3), zeros(4, dtype=numpy.int32)), "'a' has 4 rows and 3 columns; expected a square"),
    (lambda rt: linalg.solve(rt, zeros(4, 3), zeros(4)), "'a' has 4 rows and 3 columns; expected a square"),
    (lambda rt: linalg.cholesky(rt, zeros(3, 3, dtype=int)), "'a' is an array of int64; expected float64"),
    (lambda rt: linalg.solve(rt, zeros(3, 3), zeros(3, dtype=numpy.float32)), "'b' is an array of float32; expected float64"),
    (lambda rt: linalg.solve(rt, zeros(3, 3), zeros(4)), "'b' has 4 rows; expected 3 as 'a' has"),
    (lambda rt: linalg.lu(rt, zeros(3, 3), zeros(3)), "'pivots' is an array of 3 elements of float64; expected one int32"),
    (lambda rt: linalg.qr(rt, zeros(3, 4), zeros(3, 4), zeros(4, 4)), "expected at least as many rows as columns"),
    (lambda rt: linalg.qr(rt, zeros(4, 3), zeros(4, 4), zeros(3, 3)), "'q' is 4 x 4; expected 4 x 3"),
    (lambda rt: linalg.lstsq(rt, zeros(4, 3), zeros(4), zeros(4)), "'x' is 4 x 1; expected 3 x 1"),
    (lambda rt: linalg.gemm(rt, zeros(2, 3), zeros(4, 5), zeros(2, 5)), "'b' is 4 x 5; expected 3 x 5"),
    (lambda rt: linalg.cholesky(rt, numpy.eye(3)[::-1]), "'a' is an array with negative strides"),
])
def test_bad_input_is_one_sentence_and_submits_nothing(wrong, sentence):
    def refused():
        with pytest.raises(heddle.InputError, match=sentence) as error:
            wrong(rt)
        assert "\n" not in str(error.value)

    with heddle.Runtime("cpu=1", "eager", history="", bind=False) as rt:
        assert len(rt.record(refused)) == 0
