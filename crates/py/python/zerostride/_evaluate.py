"""Expressions as strings."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _core
from ._array import Array, lazy_of
from ._creation import asarray
from ._dtypes import dtype_of

Results = tuple[str, tuple[int, ...], np.ndarray[Any, np.dtype[np.uint8]]]

#: The largest number of programs that are kept.
_MOST_PROGRAMS = 256
_programs: dict[tuple[str, bool], _core.Program] = {}


def program(text: str, wide: bool = False) -> _core.Program:
    """The program of an expression, which is parsed only once."""
    if not isinstance(text, str):
        raise TypeError(f"an expression must be a string, not {type(text).__name__}")
    key = (text, wide)
    known = _programs.get(key)
    if known is None:
        known = _core.Program(text, wide)
        if len(_programs) >= _MOST_PROGRAMS:
            _programs.clear()
        _programs[key] = known
    return known


def given(name: str, value: Any) -> Any:
    """Converts a value to an operand of a program, unless it is a NumPy array of a supported type."""
    if isinstance(value, Array):
        return value.lazy
    if isinstance(value, (bool, int, float)) and not isinstance(value, np.generic):
        return value
    return _uploaded(name, value)


def _uploaded(name: str, value: Any) -> _core.Lazy:
    try:
        array = value if isinstance(value, (Array, np.ndarray, np.generic)) else asarray(value)
        if isinstance(array, np.generic):
            array = np.asarray(array)
        return array.lazy if isinstance(array, Array) else lazy_of(array)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


class Found:
    """The operands of a program, and the names of constants that operands replace."""

    __slots__ = ("constants", "operands")

    def __init__(
        self,
        known: _core.Program,
        local: Mapping[str, Any],
        outer: Mapping[str, Any],
        given: Callable[[str, Any], Any] = given,
        plain: bool = True,
    ) -> None:
        """Finds the operands among a caller's variables. `given` converts a value; `plain`: not NumPy arrays."""
        self.operands, self.constants = known.found(local, outer, given, plain)


def result(values: Results) -> np.ndarray[Any, Any]:
    """Converts a result to a NumPy array."""
    code, shape, elements = values
    return np.ndarray(shape, dtype_of(code), elements)


def _order(array: np.ndarray[Any, Any], order: str, found: Sequence[Any]) -> np.ndarray[Any, Any]:
    if order == "C" or array.ndim < 2:
        return array
    arrays = [g for g in found if isinstance(g, np.ndarray) and g.ndim > 1]
    by_columns = bool(arrays) and all(a.flags.f_contiguous and not a.flags.c_contiguous for a in arrays)
    if order == "F" or (order in "KA" and by_columns):
        return np.asfortranarray(array)
    return array


def evaluate(
    ex: str,
    local_dict: Mapping[str, Any] | None = None,
    global_dict: Mapping[str, Any] | None = None,
    out: Any = None,
    order: str = "K",
    casting: str = "safe",
    *,
    _depth: int = 1,
) -> Any:
    """Computes an expression on NumPy arrays. Its names are the caller's variables, as in numexpr.

    The expression language (`zerostride language` prints it) is not Python: an expression cannot read
    attributes or import modules. Several results, separated by commas, give a tuple. Quotients of
    integers are float32; `zerostride.numexpr.evaluate` computes float64.

    out: a NumPy array that receives the result, which has its shape, cast as `casting` allows.
    order: the memory order of the result: 'C', 'F', or 'K': 'F' if all operands of two axes or more are 'F'.

    >>> import numpy as np, zerostride as zs
    >>> x = np.array([[1, 2], [3, 6]], dtype=np.float32)
    >>> zs.evaluate("(x - x.mean(axis=0)) / x.std(axis=0)")
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    """
    known = program(ex)
    frame = sys._getframe(_depth)
    local = frame.f_locals if local_dict is None else local_dict
    outer = frame.f_globals if global_dict is None else global_dict
    remember(known, out, order, casting)
    return run(known, Found(known, local, outer), out, order, casting)


def run(known: _core.Program, found: Found, out: Any, order: str, casting: str) -> Any:
    """Computes a program. Returns NumPy arrays."""
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order must be 'C', 'F', 'A' or 'K', not {order!r}")
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting must be 'no', 'equiv', 'safe', 'same_kind' or 'unsafe', not {casting!r}")
    computed = known.run(found.operands, found.constants)
    results = [_order(result(r), order, found.operands) for r in computed]
    if out is not None:
        return into(results, out, casting)
    return results[0] if len(results) == 1 else tuple(results)


def outs(out: Any) -> Sequence[np.ndarray[Any, Any]]:
    """The arrays of `out`."""
    targets = out if isinstance(out, (tuple, list)) else (out,)
    for target in targets:
        if not isinstance(target, np.ndarray):
            raise TypeError(f"out must be a NumPy array, not {type(target).__name__}")
    return targets


def into(results: list[np.ndarray[Any, Any]], out: Any, casting: str) -> Any:
    targets = outs(out)
    if len(targets) != len(results):
        raise ValueError(f"the expression has {len(results)} results, but out has {len(targets)} arrays")
    for array, target in zip(results, targets, strict=True):
        if target.shape != array.shape:
            raise ValueError(f"out has shape {target.shape}, but the result has shape {array.shape}")
        if not np.can_cast(array.dtype, target.dtype, casting):  # type: ignore[arg-type]
            raise TypeError(f"the result is {array.dtype}; casting={casting!r} does not allow a cast to {target.dtype}")
        if not target.flags.writeable:
            raise ValueError("out is read-only")
    for array, target in zip(results, targets, strict=True):
        np.copyto(target, array, casting="unsafe")
    return out


class _Last(threading.local):
    """The last call of `evaluate` on this thread, for `re_evaluate`."""

    known: tuple[_core.Program, Callable[[], Any], str, str] | None = None


_last = _Last()


def remember(known: _core.Program, out: Any, order: str, casting: str) -> None:
    """Remembers a call for `re_evaluate` on this thread, without keeping `out` alive."""
    if out is not None:
        outs(out)
    _last.known = (known, _weak(out), order, casting)


def _nothing() -> None:
    pass


def _weak(out: Any) -> Callable[[], Any]:
    if out is None:
        return _nothing
    if isinstance(out, (tuple, list)):
        refs = [weakref.ref(array) for array in out]
        return lambda: [ref() for ref in refs]
    ref = weakref.ref(out)
    return lambda: ref()


def remembered() -> tuple[_core.Program, Any, str, str]:
    """Returns the last call that `remember` kept."""
    if _last.known is None:
        raise RuntimeError("no expression was evaluated before on this thread")
    known, out, order, casting = _last.known
    return known, out(), order, casting


def re_evaluate(local_dict: Mapping[str, Any] | None = None, *, _depth: int = 1) -> Any:
    """Computes the last expression of `evaluate` again, with the current values of its names.

    >>> import numpy as np, zerostride as zs
    >>> x = np.arange(3)
    >>> zs.evaluate("x * 2")
    array([0, 2, 4])
    >>> x = x + 10
    >>> zs.re_evaluate()
    array([20, 22, 24])
    """
    known, out, order, casting = remembered()
    frame = sys._getframe(_depth)
    local = frame.f_locals if local_dict is None else local_dict
    outer = frame.f_globals if local_dict is None else {}
    return run(known, Found(known, local, outer), out, order, casting)


class Explanation(str):
    """The description of a plan; notebooks show it in a fixed-width font."""

    def _repr_html_(self) -> str:
        import html

        return f'<pre style="line-height: 1.25">{html.escape(self)}</pre>'

    def __repr__(self) -> str:
        return str(self)


def explain(
    ex: str | Array,
    local_dict: Mapping[str, Any] | None = None,
    global_dict: Mapping[str, Any] | None = None,
    *,
    _depth: int = 1,
) -> Explanation:
    """The plan of `evaluate`, or of computing an array: passes, bytes moved, schedules.

    >>> import numpy as np, zerostride as zs
    >>> x = np.ones((4, 3), np.float32)
    >>> "1 pass" in zs.explain("exp(x) + 1")
    True
    """
    if isinstance(ex, Array):
        return Explanation(ex.explain())
    known = program(ex)
    frame = sys._getframe(_depth)
    local = frame.f_locals if local_dict is None else local_dict
    outer = frame.f_globals if global_dict is None else global_dict
    found = Found(known, local, outer)
    return Explanation(known.explain(found.operands, found.constants))


class Compiled:
    """An expression that is called as a function of its names."""

    def __init__(self, text: str) -> None:
        self._program = program(text)
        #: The expression.
        self.text = text
        # Engines name their tasks by it.
        self.__name__ = "compiled"
        #: The names of the operands, in the order of the expression.
        self.names = self._program.names

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the result: an `Array` if an operand is one, else a NumPy array."""
        names = self.names
        values = dict(zip(names, args, strict=False))
        if kwargs or len(args) != len(names):
            self._join(values, args, kwargs)
        found = Found(self._program, values, {})
        for value in values.values():
            if isinstance(value, Array):
                results = [asarray(result(r)) for r in self._program.run(found.operands)]
                return results[0] if len(results) == 1 else tuple(results)
        return run(self._program, found, None, "K", "safe")

    def _join(self, values: dict[str, Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Adds operands that are given by name to the others, and checks that each is given once."""
        if len(args) > len(self.names):
            raise TypeError(f"the expression has the names {', '.join(self.names)}, but {len(args)} operands were given")
        for name, value in kwargs.items():
            if name in values or name not in self.names:
                raise TypeError(f"{name} is {'given twice' if name in values else 'not a name of the expression'}")
            values[name] = value
        missing = [name for name in self.names if name not in values]
        if missing:
            raise TypeError(f"an operand is missing: {', '.join(missing)}")

    def __reduce__(self) -> tuple[type[Compiled], tuple[str]]:
        return Compiled, (self.text,)

    def __repr__(self) -> str:
        return f"zerostride.compile({self.text!r})"


def compile(text: str) -> Compiled:
    """Turns an expression into a function of its names, in their order. The function can be pickled.

    >>> import numpy as np, zerostride as zs
    >>> score = zs.compile("(x - m) / s")
    >>> score(np.array([1.0, 3.0], np.float32), 2, s=0.5)
    array([-2.,  2.], dtype=float32)
    """
    return Compiled(text)


def compute(*arrays: Array) -> tuple[Array, ...]:
    """Computes several arrays with one plan, which computes common parts once.

    >>> import zerostride as zs
    >>> x = zs.asarray([1.0, 2.0])
    >>> low, high = zs.compute(x.min(), x.max())
    >>> float(high - low)
    1.0
    """
    _core.compute([a.lazy for a in arrays])
    return arrays


#: The message for callers who mean NumPy's function.
DIFFERENCES = (
    "numpy.gradient, of differences, is not supported for zerostride arrays; use numpy.gradient(a.numpy(), ..), which "
    "computes on the host, or zerostride.gradient for derivatives"
)


def gradient(of: Array, by: Array | Sequence[Array], *spacing: Any, **options: Any) -> Any:
    """The gradient of the sum of `of` with respect to `by`: an array, or each of several, from which `of` was computed.

    Arrays may have been read or computed since: the latest ones keep the operations that produced them. A computed gradient
    counts as a constant: for a second derivative, differentiate before the gradient or a result that uses it is computed.

    >>> import zerostride as zs
    >>> x = zs.asarray([1.0, 2.0, 3.0])
    >>> zs.gradient((x * x).sum(), x)
    Array([2., 4., 6.], dtype=float32)
    """
    if spacing or options:
        raise TypeError(DIFFERENCES)
    one = isinstance(by, Array)
    wanted = [by] if isinstance(by, Array) else list(by) if isinstance(by, Iterable) else [by]
    for what, array in [("of", of), *(("by", a) for a in wanted)]:
        if not isinstance(array, Array):
            raise TypeError(f"gradient: `{what}` must be a zerostride.Array, not {type(array).__name__}")
    found = [Array.of(lazy) for lazy in _core.gradient(of.lazy, [a.lazy for a in wanted])]
    return found[0] if one else tuple(found)


__all__ = [
    "Compiled",
    "Explanation",
    "compile",
    "compute",
    "evaluate",
    "explain",
    "gradient",
    "re_evaluate",
]
