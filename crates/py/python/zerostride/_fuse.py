"""`fuse`: functions of arrays as one expression."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import functools
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np

from . import _core
from ._array import Array, lazy_of
from ._evaluate import Explanation

F = TypeVar("F", bound=Callable[..., Any])


#: The traces that a function keeps, by last use: one for each kind of arguments, and each value that is not an array.
MOST_TRACES = 256
#: Types whose equal values are the same.
_EXACT = (bool, int, str, bytes, type(None), types.MethodType)


def fuse(function: F) -> F:
    """Turns a function of arrays into one expression, traced and planned once for each kind of arguments.

    Arguments that are arrays (NumPy's too) are operands. Other arguments are part of the kind, and must
    be hashable. The function may depend on shapes and types, but not on elements. The results must be
    arrays, or tuples, lists or dicts of arrays. A call inside another fused function becomes a part of
    that one.

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
        values = (*args, *kwargs.values())
        if _core.is_tracing():
            results, form = _called(function, args, kwargs, [_lazy(v) for v in values if _is_array(v)])
            return _formed(form, iter(results))
        key: list[Any] = []
        settled: list[_core.Lazy] = []

        for value in values:
            if _is_array(value):
                lazy = _lazy(value)
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
        return _formed(form, iter(traced.run(settled)))

    fused.explain = lambda: [Explanation(traced.explain()) for traced, _ in known.values()]  # type: ignore[attr-defined]
    return fused  # type: ignore[return-value]


def _is_array(value: Any) -> bool:
    return isinstance(value, (Array, np.ndarray))


def _lazy(array: Any) -> _core.Lazy:
    return array.lazy if isinstance(array, Array) else lazy_of(array)


def _told_apart(value: Any) -> Any:
    """A key that is equal for arguments that may share a trace: values of the same type and bits, and nests of them.
    The arguments themselves are no key: -0.0 == 0.0, NaN equals nothing, (1,) == (True,), Decimal("1") == Decimal("1.0")."""
    kind: Any = type(value)
    if isinstance(value, float):
        return kind, float(value).hex()
    if isinstance(value, complex):
        return kind, float(value.real).hex(), float(value.imag).hex()
    if isinstance(value, np.generic):
        return kind, value.dtype, value.tobytes()
    if isinstance(value, (tuple, list)):
        return kind, tuple(map(_told_apart, value))
    if isinstance(value, frozenset):
        return kind, frozenset(map(_told_apart, value))
    if isinstance(value, dict):
        return kind, tuple((_told_apart(name), _told_apart(item)) for name, item in value.items())
    if isinstance(value, slice):
        return kind, _told_apart((value.start, value.stop, value.step))
    if kind in _EXACT or kind.__eq__ is object.__eq__ or hasattr(kind, "__array__"):
        return kind, value
    if dataclasses.is_dataclass(value):
        return kind, value, tuple(_field(getattr(value, field.name, None)) for field in dataclasses.fields(value))
    # The repr of other types shows what they hold, unless it is the default one, which shows an address.
    return kind, value, None if kind.__repr__ is object.__repr__ else repr(value)


def _field(value: Any) -> Any:
    """The key of a dataclass's field. Of what is not hashable, such as an array, it is the address: the dataclass keeps it."""
    told = _told_apart(value)
    try:
        hash(told)
    except TypeError:
        return id(value)
    return told


def _traced(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], settled: list[_core.Lazy]
) -> tuple[_core.Traced, Any]:
    _core.trace(True)
    try:
        # New arrays as placeholders: two arguments may be one array now and two at the next call.
        stand_ins = [lazy.stand_in() for lazy in settled]
        results, form = _called(function, args, kwargs, stand_ins)
    finally:
        _core.trace(False)
    return _core.Traced(stand_ins, results), form


def _called(
    function: Callable[..., Any], args: Sequence[Any], kwargs: dict[str, Any], lazies: Iterable[_core.Lazy]
) -> tuple[list[_core.Lazy], Any]:
    """Calls a function with new arrays in place of its array arguments. Returns the arrays that it returns, and their nest.
    Since the arguments are new, `+=` inside the function changes no array of the caller.
    """
    arrays = map(Array.of, lazies)

    def prepared(value: Any) -> Any:
        return next(arrays) if _is_array(value) else value

    args = [prepared(a) for a in args]
    kwargs = {name: prepared(a) for name, a in kwargs.items()}
    given = function(*args, **kwargs)
    results: list[_core.Lazy] = []

    def lazy(value: Any) -> None:
        if not isinstance(value, Array):
            raise TypeError(f"a fused function must return arrays, not {type(value).__name__}")
        # Raises if the array is one of another trace.
        _core.infer("x0", value.lazy)
        results.append(value.lazy)

    return results, _form(given, lazy)


def _form(value: Any, leaf: Callable[[Any], None]) -> Any:
    """Returns a nest of tuples, lists and dicts without its leaves, and passes these to `leaf` in order."""
    if isinstance(value, (tuple, list)):
        return type(value)(_form(v, leaf) for v in value)
    if isinstance(value, dict):
        return {name: _form(v, leaf) for name, v in value.items()}
    leaf(value)
    return None


def _formed(form: Any, leaves: Iterator[_core.Lazy]) -> Any:
    """Fills a nest with arrays, in order."""
    if isinstance(form, (tuple, list)):
        return type(form)(_formed(f, leaves) for f in form)
    if isinstance(form, dict):
        return {name: _formed(f, leaves) for name, f in form.items()}
    return Array.of(next(leaves))


__all__ = ["fuse"]
