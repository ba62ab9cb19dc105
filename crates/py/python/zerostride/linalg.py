"""The array API's extension `linalg`: products and norms on the device, factorisations by NumPy on the host."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._array import Array, apply, uploaded
from ._dtypes import float32, float64
from ._elementwise import array
from ._manipulation import Axis, expand_dims, matrix_transpose, moveaxis, normal_axes, normal_axis, viewed
from ._statistics import matmul, reduced, tensordot, vecdot


class EighResult(NamedTuple):
    """Sorted eigenvalues, and eigenvectors as columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """A matrix of orthonormal columns and an upper triangular matrix."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """A determinant's sign, and the logarithm of its absolute value."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Left singular vectors, singular values in descending order, right singular vectors as rows."""

    U: Array
    S: Array
    Vh: Array


def _matrix(x: Any, what: str, square: bool = False) -> Array:
    found = array(x)
    if found.ndim < 2:
        raise ValueError(f"{what} needs matrices; the shape is {found.shape}")
    if square and found.shape[-1] != found.shape[-2]:
        raise ValueError(f"{what} needs square matrices; the shape is {found.shape}")
    return found


def _host(x: Any, what: str, square: bool = False) -> np.ndarray[Any, Any]:
    found = _matrix(x, what, square)
    if found.dtype not in (float32, float64):
        raise TypeError(f"{what} supports float32 and float64, not {found.dtype}")
    return found.numpy()


def outer(x1: Any, x2: Any, /) -> Array:
    """The products of all pairs of elements of two vectors.

    >>> import zerostride as zs
    >>> zs.linalg.outer(zs.asarray([1, 2]), zs.asarray([3, 4]))
    Array([[3, 4],
           [6, 8]], dtype=int64)
    """
    x1, x2 = array(x1), array(x2)
    if x1.ndim != 1 or x2.ndim != 1:
        raise ValueError(f"outer needs vectors; the shapes are {x1.shape} and {x2.shape}")
    return apply("x0[:, None] * x1", x1, x2)


def diagonal(x: Any, /, *, offset: int = 0) -> Array:
    """The elements on a diagonal of each matrix.

    >>> import zerostride as zs
    >>> zs.linalg.diagonal(zs.asarray([[1, 2, 3], [4, 5, 6]]), offset=1)
    Array([2, 6], dtype=int64)
    """
    return viewed("diagonal", _matrix(x, "diagonal"), offset=offset, axis1=-2, axis2=-1)


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sum of a diagonal of each matrix."""
    return diagonal(x, offset=offset).sum(-1, dtype=dtype)


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """Cross products of vectors of three elements along an axis of both arrays."""
    x1, x2 = array(x1), array(x2)
    at = normal_axis(axis, min(x1.ndim, x2.ndim)) - min(x1.ndim, x2.ndim)
    if x1.shape[at] != 3 or x2.shape[at] != 3:
        raise ValueError(f"cross needs three elements along axis {axis}; the shapes are {x1.shape} and {x2.shape}")
    a, b = moveaxis(x1, at, -1), moveaxis(x2, at, -1)
    part = "x0[..., {0}] * x1[..., {1}] - x0[..., {1}] * x1[..., {0}]"
    parts = ", ".join(part.format(i, j) for i, j in ((1, 2), (2, 0), (0, 1)))
    return moveaxis(apply(f"stack(({parts}), axis=-1)", a, b), -1, at)


def vector_norm(x: Any, /, *, axis: Axis = None, keepdims: bool = False, ord: Any = 2) -> Array:
    """The norm along any axes, by default of all elements.

    >>> import zerostride as zs
    >>> zs.linalg.vector_norm(zs.asarray([3.0, 4.0]))
    Array(5., dtype=float32)
    """
    found = array(x)
    if ord == float("inf"):
        return reduced("max", abs(found), axis, keepdims)
    if ord == -float("inf"):
        return reduced("min", abs(found), axis, keepdims)
    if ord == 0:
        return reduced("sum", (found != 0).astype(found.dtype), axis, keepdims)
    if ord == 1:
        return reduced("sum", abs(found), axis, keepdims)
    if ord == 2:
        return reduced("vector_norm", found, axis, keepdims)
    return reduced("sum", abs(found) ** float(ord), axis, keepdims) ** (1.0 / float(ord))


def matrix_norm(x: Any, /, *, keepdims: bool = False, ord: Any = "fro") -> Array:
    """The norm of each matrix: 'fro', 'nuc', 1, -1, 2, -2 or an infinity."""
    found = _matrix(x, "matrix_norm")
    if ord == "fro":
        norm = reduced("vector_norm", found, (-2, -1), False)
    elif ord in ("nuc", 2, -2):
        values = svdvals(found)
        norm = reduced({"nuc": "sum", 2: "max", -2: "min"}[ord], values, -1, False)
    elif ord in (1, -1, float("inf"), -float("inf")):
        sums = reduced("sum", abs(found), -2 if ord in (1, -1) else -1, False)
        norm = reduced("max" if ord > 0 else "min", sums, -1, False)
    else:
        raise ValueError(f"{ord!r} is not a norm of matrices; use 'fro', 'nuc', 1, -1, 2, -2 or an infinity")
    return expand_dims(norm, (-2, -1)) if keepdims else norm


def norm(x: Any, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Array:
    """As in NumPy: the norm of vectors along one axis, of matrices along two; by default of all elements.

    >>> import zerostride as zs
    >>> zs.linalg.norm(zs.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1)
    Array([ 5., 10.], dtype=float32)
    """
    found = array(x)
    if axis is None and ord is None:
        return vector_norm(found, keepdims=keepdims)
    axes = normal_axes(range(found.ndim) if axis is None else axis, found.ndim)
    if len(axes) == 1 and not isinstance(ord, str):
        return vector_norm(found, axis=axes, keepdims=keepdims, ord=2 if ord is None else ord)
    if len(axes) != 2:
        raise ValueError(f"the norm {ord!r} is not one along {len(axes)} axes")
    norm = matrix_norm(moveaxis(found, axes, (-2, -1)), ord="fro" if ord is None else ord)
    return expand_dims(norm, axes) if keepdims else norm


def matrix_power(x: Any, n: int, /) -> Array:
    """Raises each square matrix to an integer power; a negative power is one of the inverse."""
    found = _matrix(x, "matrix_power", square=True)
    if n < 0:
        found, n = inv(found), -n
    size = found.shape[-1]
    power = uploaded(np.broadcast_to(np.eye(size), found.shape)).astype(found.dtype)
    while n:
        if n & 1:
            power = matmul(power, found)
        found, n = (matmul(found, found) if n > 1 else found), n >> 1
    return power


def cholesky(x: Any, /, *, upper: bool = False) -> Array:
    """The Cholesky factor of each matrix. NumPy computes it on the host."""
    lower = uploaded(np.linalg.cholesky(_host(x, "cholesky", True)))
    return matrix_transpose(lower) if upper else lower


def det(x: Any, /) -> Array:
    """The determinant of each matrix. NumPy computes it on the host."""
    return uploaded(np.asarray(np.linalg.det(_host(x, "det", True))))


def eigh(x: Any, /) -> EighResult:
    """The eigenvalues and eigenvectors of each symmetric matrix. NumPy computes them on the host."""
    return EighResult(*map(uploaded, np.linalg.eigh(_host(x, "eigh", True))))


def eigvalsh(x: Any, /) -> Array:
    """The eigenvalues of each symmetric matrix. NumPy computes them on the host."""
    return uploaded(np.linalg.eigvalsh(_host(x, "eigvalsh", True)))


def inv(x: Any, /) -> Array:
    """The inverse of each matrix. NumPy computes it on the host."""
    return uploaded(np.linalg.inv(_host(x, "inv", True)))


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Array:
    """The rank of each matrix. NumPy computes it on the host."""
    tolerance = rtol.numpy() if isinstance(rtol, Array) else rtol
    return uploaded(np.asarray(np.linalg.matrix_rank(_host(x, "matrix_rank"), rtol=tolerance)).astype(np.int64))


def pinv(x: Any, /, *, rtol: Any = None) -> Array:
    """The pseudo-inverse of each matrix. NumPy computes it on the host."""
    tolerance = rtol.numpy() if isinstance(rtol, Array) else rtol
    host = _host(x, "pinv")
    return uploaded(np.linalg.pinv(host) if tolerance is None else np.linalg.pinv(host, rtol=tolerance))


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """The QR factorisation of each matrix. NumPy computes it on the host."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f"mode must be 'reduced' or 'complete', not {mode!r}")
    host = _host(x, "qr")
    q, r = np.linalg.qr(host, mode="reduced" if mode == "reduced" else "complete")
    return QRResult(uploaded(q), uploaded(r))


def slogdet(x: Any, /) -> SlogdetResult:
    """The sign and logarithm of each determinant. NumPy computes them on the host."""
    sign, logarithm = np.linalg.slogdet(_host(x, "slogdet", True))
    return SlogdetResult(uploaded(np.asarray(sign)), uploaded(np.asarray(logarithm)))


def solve(x1: Any, x2: Any, /) -> Array:
    """Solves `x1 @ x = x2` for each matrix of `x1`; `x2` is one vector, or matrices. NumPy computes it on the host."""
    return uploaded(np.linalg.solve(_host(x1, "solve", True), array(x2).numpy()))


def svd(x: Any, /, *, full_matrices: bool = True) -> SVDResult:
    """The singular values and vectors of each matrix. NumPy computes them on the host."""
    return SVDResult(*map(uploaded, np.linalg.svd(_host(x, "svd"), full_matrices=full_matrices)))


def svdvals(x: Any, /) -> Array:
    """The singular values of each matrix in descending order. NumPy computes them on the host."""
    return uploaded(np.linalg.svd(_host(x, "svdvals"), compute_uv=False))


__all__ = [
    "EighResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "norm",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]
