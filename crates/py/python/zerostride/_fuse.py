"""Functions of arrays as one expression."""

from __future__ import annotations

import collections
import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from . import _core
from ._array import Array, operand
from ._evaluate import Explanation

F = TypeVar("F", bound=Callable[..., Any])


#: Traces that a function keeps, the latest used: one for each kind of arguments, and each number that is no array.
MOST_TRACES = 256


def fuse(function: F) -> F:
    """A function of arrays as one expression: traced once for each kind of arguments, planned once.

    Arguments that are arrays (NumPy's too) are operands; others are part of the kind, and must be
    hashable. What the function does may depend on shapes and types, not on elements. The results
    are arrays, or tuples, lists or dicts of them.

    >>> import numpy as np, zerostride as zs
    >>> @zs.fuse
    ... def softmax(x):
    ...     e = zs.exp(x - x.max(axis=-1, keepdims=True))
    ...     return e / e.sum(axis=-1, keepdims=True)
    >>> softmax(np.zeros((1, 4), np.float32))
    Array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """
    known: collections.OrderedDict[Any, tuple[_core.Traced, Any]] = collections.OrderedDict()

    @functools.wraps(function)
    def fused(*args: Any, **kwargs: Any) -> Any:
        key: list[Any] = []
        settled: list[_core.Lazy] = []

        for value in (*args, *kwargs.values()):
            if isinstance(value, (Array, np.ndarray)):
                lazy = operand(value)
                assert isinstance(lazy, _core.Lazy)
                settled.append(lazy.settled())
                key.append((lazy.dtype, lazy.shape))
            else:
                key.append(_told_apart(value))
        kind = (_core.is_wide(), tuple(key), tuple(kwargs))
        found = known.get(kind)
        # Other threads may have dropped what this one sees.
        with contextlib.suppress(KeyError):
            if found is not None:
                known.move_to_end(kind)
            elif len(known) >= MOST_TRACES:
                known.popitem(last=False)
        if found is None:
            found = known[kind] = _traced(function, args, kwargs, settled)
        traced, form = found
        results = iter(traced.run(settled))
        return _formed(form, lambda: Array.of(next(results)))

    fused.explain = lambda: [Explanation(traced.explain()) for traced, _ in known.values()]  # type: ignore[attr-defined]
    return fused  # type: ignore[return-value]


def _told_apart(value: Any) -> Any:
    """What is equal for arguments that a trace may take for the same: numbers of one type and of the same bits, and nests
    of them. -0.0 is equal to 0.0, and a NaN to nothing; (1,) is equal to (True,)."""
    if isinstance(value, float):
        return type(value), float(value).hex()
    if isinstance(value, np.generic):
        return type(value), value.dtype, value.tobytes()
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(_told_apart, value))
    if isinstance(value, dict):
        return type(value), tuple((name, _told_apart(item)) for name, item in value.items())
    return type(value), value


def _traced(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], settled: list[_core.Lazy]
) -> tuple[_core.Traced, Any]:
    results: list[_core.Lazy] = []
    _core.trace(True)
    try:
        # Arrays that are nowhere else: two arguments may be one array now and two at the next call.
        stand_ins = [lazy.stand_in() for lazy in settled]
        arrays = map(Array.of, stand_ins)

        def prepared(value: Any) -> Any:
            return next(arrays) if isinstance(value, (Array, np.ndarray)) else value

        args = [prepared(a) for a in args]
        kwargs = {name: prepared(a) for name, a in kwargs.items()}
        given = function(*args, **kwargs)

        def lazy(value: Any) -> None:
            if not isinstance(value, Array):
                raise TypeError(f"a fused function gives arrays, not {type(value).__name__}")
            results.append(value.lazy)

        form = _form(given, lazy)
    finally:
        _core.trace(False)
    return _core.Traced(stand_ins, results), form


def _form(value: Any, leaf: Callable[[Any], None]) -> Any:
    """A nest of tuples, lists and dicts without its leaves, which are passed in order."""
    if isinstance(value, (tuple, list)):
        return type(value)(_form(v, leaf) for v in value)
    if isinstance(value, dict):
        return {name: _form(v, leaf) for name, v in value.items()}
    leaf(value)
    return None


def _formed(form: Any, leaf: Callable[[], Any]) -> Any:
    if isinstance(form, (tuple, list)):
        return type(form)(_formed(f, leaf) for f in form)
    if isinstance(form, dict):
        return {name: _formed(f, leaf) for name, f in form.items()}
    return leaf()


__all__ = ["fuse"]
