"""Expressions as texts."""

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

#: So many texts are kept parsed.
_MOST_PROGRAMS = 256
_programs: dict[tuple[str, bool], _core.Program] = {}


def program(text: str, wide: bool = False) -> _core.Program:
    """A text, parsed once."""
    if not isinstance(text, str):
        raise TypeError(f"an expression is a text, not {type(text).__name__}")
    key = (text, wide)
    known = _programs.get(key)
    if known is None:
        known = _core.Program(text, wide)
        if len(_programs) >= _MOST_PROGRAMS:
            _programs.clear()
        _programs[key] = known
    return known


def given(name: str, value: Any) -> Any:
    """An operand of a program of what is no array of NumPy's own types."""
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
    """The operands of a program, and the constants among whose names there are some."""

    __slots__ = ("constants", "operands")

    def __init__(
        self,
        known: _core.Program,
        local: Mapping[str, Any],
        outer: Mapping[str, Any],
        given: Callable[[str, Any], Any] = given,
        plain: bool = True,
    ) -> None:
        """Of a caller's names; `given` makes an operand of a value, `plain`: of all but NumPy's arrays."""
        self.operands, self.constants = known.found(local, outer, given, plain)


def result(values: Results) -> np.ndarray[Any, Any]:
    """A result as a NumPy array."""
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
    """Computes a text on NumPy arrays: names are the caller's variables, as in numexpr.

    The text is one of the text language (`zerostride language` prints it), never Python: it reaches
    no attribute and no import. Several results, between commas, are a tuple. Integers divided are
    float32; `zerostride.numexpr.evaluate` makes float64 of them.

    out: a NumPy array of the result's shape, into which it is cast as `casting` allows.
    order: 'C' or 'F' of the result's memory; 'K' is 'F' if all operands of more axes are.

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
    """Computes a program; the results as NumPy's."""
    if order not in ("C", "F", "A", "K"):
        raise ValueError(f"order is 'C', 'F', 'A' or 'K', not {order!r}")
    if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise ValueError(f"casting is 'no', 'equiv', 'safe', 'same_kind' or 'unsafe', not {casting!r}")
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
            raise TypeError(f"out is a NumPy array, not {type(target).__name__}")
    return targets


def into(results: list[np.ndarray[Any, Any]], out: Any, casting: str) -> Any:
    targets = outs(out)
    if len(targets) != len(results):
        raise ValueError(f"there are {len(results)} results, {len(targets)} arrays were given for them")
    for array, target in zip(results, targets, strict=True):
        if target.shape != array.shape:
            raise ValueError(f"out has shape {target.shape}, the result {array.shape}")
        if not np.can_cast(array.dtype, target.dtype, casting):  # type: ignore[arg-type]
            raise TypeError(f"the result is {array.dtype}, which {casting!r} does not cast to {target.dtype}")
        if not target.flags.writeable:
            raise ValueError("out is read-only")
    for array, target in zip(results, targets, strict=True):
        np.copyto(target, array, casting="unsafe")
    return out


class _Last(threading.local):
    """What `re_evaluate` repeats on this thread."""

    known: tuple[_core.Program, Callable[[], Any], str, str] | None = None


_last = _Last()


def remember(known: _core.Program, out: Any, order: str, casting: str) -> None:
    """Keeps what `re_evaluate` repeats on this thread. `out` is not kept alive."""
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
    """What `remember` kept last."""
    if _last.known is None:
        raise RuntimeError("nothing was evaluated before on this thread")
    known, out, order, casting = _last.known
    return known, out(), order, casting


def re_evaluate(local_dict: Mapping[str, Any] | None = None, *, _depth: int = 1) -> Any:
    """The last text of `evaluate` once more, on what its names are now.

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
    """What a plan does; a notebook shows it in a fixed pitch."""

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
    """What `evaluate` would do, or reading an array: passes, bytes moved, schedules.

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
    """A text that is called as a function of its names."""

    def __init__(self, text: str) -> None:
        self._program = program(text)
        #: The text.
        self.text = text
        # Engines name their tasks by it.
        self.__name__ = "compiled"
        #: The names of the operands, in the order of the text.
        self.names = self._program.names

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result: an `Array` if an operand is one, else NumPy's."""
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
        """Puts operands that are given by name among the others, and checks that each is there once."""
        if len(args) > len(self.names):
            raise TypeError(f"the text has the names {', '.join(self.names)}; {len(args)} operands were given")
        for name, value in kwargs.items():
            if name in values or name not in self.names:
                raise TypeError(f"{name} is {'given twice' if name in values else 'no name of the text'}")
            values[name] = value
        missing = [name for name in self.names if name not in values]
        if missing:
            raise TypeError(f"an operand is missing: {', '.join(missing)}")

    def __reduce__(self) -> tuple[type[Compiled], tuple[str]]:
        return Compiled, (self.text,)

    def __repr__(self) -> str:
        return f"zerostride.compile({self.text!r})"


def compile(text: str) -> Compiled:
    """A text as a function of its names, in their order; it can be pickled.

    >>> import numpy as np, zerostride as zs
    >>> score = zs.compile("(x - m) / s")
    >>> score(np.array([1.0, 3.0], np.float32), 2, s=0.5)
    array([-2.,  2.], dtype=float32)
    """
    return Compiled(text)


def compute(*arrays: Array) -> tuple[Array, ...]:
    """Computes several arrays by one plan, which shares their parts.

    >>> import zerostride as zs
    >>> x = zs.asarray([1.0, 2.0])
    >>> low, high = zs.compute(x.min(), x.max())
    >>> float(high - low)
    1.0
    """
    _core.compute([a.lazy for a in arrays])
    return arrays


#: What is said to those who mean NumPy's function.
DIFFERENCES = (
    "numpy.gradient, of differences, is not supported for zerostride arrays; use numpy.gradient(a.numpy(), ..), which "
    "computes on the host; zerostride.gradient differentiates"
)


def gradient(of: Array, by: Array | Sequence[Array], *spacing: Any, **options: Any) -> Any:
    """The gradient of the sum of an array's elements by an array, or by each of several, of which it is made.

    Whatever of it was read or computed since: the latest arrays keep what they were made of. A gradient inside of an array
    that was computed is a number: differentiate it once more before what is made of it is computed or read.

    >>> import zerostride as zs
    >>> x = zs.asarray([1.0, 2.0, 3.0])
    >>> zs.gradient((x * x).sum(), x)
    Array([2., 4., 6.], dtype=float32)
    """
    if spacing or options:
        raise TypeError(DIFFERENCES)
    one = isinstance(by, Array)
    wanted = [by] if isinstance(by, Array) else list(by) if isinstance(by, Iterable) else [by]
    for what, array in [("differentiated", of), *(("differentiated by", a) for a in wanted)]:
        if not isinstance(array, Array):
            raise TypeError(f"what is {what} is a zerostride.Array, not {type(array).__name__}")
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
