"""Functions whose result's shape depends on the elements. NumPy computes them on the host, since plans need shapes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ._array import Array, uploaded
from ._elementwise import array

#: The result of `unique_all`.
UniqueAll = NamedTuple(
    "UniqueAll", [("values", Array), ("indices", Array), ("inverse_indices", Array), ("counts", Array)]
)
#: The result of `unique_counts`.
UniqueCounts = NamedTuple("UniqueCounts", [("values", Array), ("counts", Array)])
#: The result of `unique_inverse`.
UniqueInverse = NamedTuple("UniqueInverse", [("values", Array), ("inverse_indices", Array)])


def _counted(indices: np.ndarray[Any, Any]) -> Array:
    return uploaded(indices.astype(np.int64))


def nonzero(x: Any, /) -> tuple[Array, ...]:
    """The indices along each axis of the elements that are not 0. NumPy computes them on the host.

    >>> import zerostride as zs
    >>> zs.nonzero(zs.asarray([0, 5, 0, 7]))
    (Array([1, 3], dtype=int64),)
    """
    x = array(x)
    if not x.ndim:
        raise ValueError("nonzero needs an array with axes")
    return tuple(map(_counted, np.nonzero(x.numpy())))


def unique_values(x: Any, /) -> Array:
    """The sorted distinct elements. NumPy computes them on the host; each NaN is distinct.

    >>> import zerostride as zs
    >>> zs.unique_values(zs.asarray([3, 1, 3]))
    Array([1, 3], dtype=int64)
    """
    return uploaded(np.unique(array(x).numpy(), equal_nan=False))


def unique_counts(x: Any, /) -> UniqueCounts:
    """The sorted distinct elements and their counts. NumPy computes them on the host."""
    values, counts = np.unique(array(x).numpy(), return_counts=True, equal_nan=False)
    return UniqueCounts(uploaded(values), _counted(counts))


def unique_inverse(x: Any, /) -> UniqueInverse:
    """The sorted distinct elements, and the index of each element among them. NumPy computes them on the host."""
    host = array(x).numpy()
    values, inverse = np.unique(host, return_inverse=True, equal_nan=False)
    return UniqueInverse(uploaded(values), _counted(inverse.reshape(host.shape)))


def unique_all(x: Any, /) -> UniqueAll:
    """The sorted distinct elements, the index of the first occurrence of each, the index of each element among them, and
    their counts. NumPy computes them on the host.
    """
    host = array(x).numpy()
    values, indices, inverse, counts = np.unique(
        host, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    return UniqueAll(uploaded(values), _counted(indices), _counted(inverse.reshape(host.shape)), _counted(counts))


def unique(ar: Any, *args: Any, **options: Any) -> Any:
    """`numpy.unique`, on the host."""
    found = np.unique(array(ar).numpy(), *args, **options)
    return tuple(map(uploaded, found)) if isinstance(found, tuple) else uploaded(found)


def argwhere(a: Any) -> Array:
    """`numpy.argwhere`, on the host."""
    return _counted(np.argwhere(array(a).numpy()))


def flatnonzero(a: Any) -> Array:
    """`numpy.flatnonzero`, on the host."""
    return _counted(np.flatnonzero(array(a).numpy()))
