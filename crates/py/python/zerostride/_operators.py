"""The binary operators of `Array`, each a formula of two operands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

# `_array` imports this module, so its attributes are looked up when an operator is called.
from . import _array, _core
from ._views import warn_of_replaced

if TYPE_CHECKING:
    from ._array import Array


class Operators(_core.Buffered):
    """The binary operators; the base class of `Array`."""

    __slots__ = ()

    def __add__(self, other: Any) -> Array:
        return _of("x0 + x1", self, other)

    def __radd__(self, other: Any) -> Array:
        return _of("x0 + x1", other, self)

    def __iadd__(self, other: Any) -> Array:
        return _within("x0 + x1", self, other)

    def __sub__(self, other: Any) -> Array:
        return _of("x0 - x1", self, other)

    def __rsub__(self, other: Any) -> Array:
        return _of("x0 - x1", other, self)

    def __isub__(self, other: Any) -> Array:
        return _within("x0 - x1", self, other)

    def __mul__(self, other: Any) -> Array:
        return _of("x0 * x1", self, other)

    def __rmul__(self, other: Any) -> Array:
        return _of("x0 * x1", other, self)

    def __imul__(self, other: Any) -> Array:
        return _within("x0 * x1", self, other)

    def __truediv__(self, other: Any) -> Array:
        return _of("x0 / x1", self, other)

    def __rtruediv__(self, other: Any) -> Array:
        return _of("x0 / x1", other, self)

    def __itruediv__(self, other: Any) -> Array:
        return _within("x0 / x1", self, other)

    def __floordiv__(self, other: Any) -> Array:
        return _floor_divided(self, other)

    def __rfloordiv__(self, other: Any) -> Array:
        return _floor_divided(other, self)

    def __ifloordiv__(self, other: Any) -> Array:
        return _replaced(self, _floor_divided(self, other))

    def __mod__(self, other: Any) -> Array:
        return _of("x0 % x1", self, other)

    def __rmod__(self, other: Any) -> Array:
        return _of("x0 % x1", other, self)

    def __imod__(self, other: Any) -> Array:
        return _within("x0 % x1", self, other)

    def __pow__(self, other: Any) -> Array:
        check_power(self, other)
        # NumPy computes powers of truths to whole numbers as int8.
        base: Any = self
        if type(other) is int and base.dtype == np.bool_:
            base = base.astype(np.int8)
        return _of("x0 ** x1", base, other)

    def __rpow__(self, other: Any) -> Array:
        return _of("x0 ** x1", other, self)

    def __ipow__(self, other: Any) -> Array:
        check_power(self, other)
        return _within("x0 ** x1", self, other)

    def __matmul__(self, other: Any) -> Array:
        return _of("x0 @ x1", self, other)

    def __rmatmul__(self, other: Any) -> Array:
        return _of("x0 @ x1", other, self)

    def __imatmul__(self, other: Any) -> Array:
        return _within("x0 @ x1", self, other)

    def __and__(self, other: Any) -> Array:
        return _of("x0 & x1", self, other)

    def __rand__(self, other: Any) -> Array:
        return _of("x0 & x1", other, self)

    def __iand__(self, other: Any) -> Array:
        return _within("x0 & x1", self, other)

    def __or__(self, other: Any) -> Array:
        return _of("x0 | x1", self, other)

    def __ror__(self, other: Any) -> Array:
        return _of("x0 | x1", other, self)

    def __ior__(self, other: Any) -> Array:
        return _within("x0 | x1", self, other)

    def __xor__(self, other: Any) -> Array:
        return _of("x0 ^ x1", self, other)

    def __rxor__(self, other: Any) -> Array:
        return _of("x0 ^ x1", other, self)

    def __ixor__(self, other: Any) -> Array:
        return _within("x0 ^ x1", self, other)

    def __lshift__(self, other: Any) -> Array:
        return _of("x0 << x1", self, other)

    def __rlshift__(self, other: Any) -> Array:
        return _of("x0 << x1", other, self)

    def __ilshift__(self, other: Any) -> Array:
        return _within("x0 << x1", self, other)

    def __rshift__(self, other: Any) -> Array:
        return _of("x0 >> x1", self, other)

    def __rrshift__(self, other: Any) -> Array:
        return _of("x0 >> x1", other, self)

    def __irshift__(self, other: Any) -> Array:
        return _within("x0 >> x1", self, other)

    def __eq__(self, other: object) -> Array:  # type: ignore[override]
        return _compared("x0 == x1", self, other)

    def __ne__(self, other: object) -> Array:  # type: ignore[override]
        return _compared("x0 != x1", self, other)

    def __lt__(self, other: Any) -> Array:
        return _of("x0 < x1", self, other)

    def __le__(self, other: Any) -> Array:
        return _of("x0 <= x1", self, other)

    def __gt__(self, other: Any) -> Array:
        return _of("x0 > x1", self, other)

    def __ge__(self, other: Any) -> Array:
        return _of("x0 >= x1", self, other)

    __hash__ = None  # type: ignore[assignment]


#: The methods by which the other operand may handle an operator.
_REFLECTED = {
    "x0 + x1": "__radd__",
    "x0 - x1": "__rsub__",
    "x0 * x1": "__rmul__",
    "x0 / x1": "__rtruediv__",
    "x0 // x1": "__rfloordiv__",
    "x0 % x1": "__rmod__",
    "x0 ** x1": "__rpow__",
    "x0 @ x1": "__rmatmul__",
    "x0 & x1": "__rand__",
    "x0 | x1": "__ror__",
    "x0 ^ x1": "__rxor__",
    "x0 << x1": "__rlshift__",
    "x0 >> x1": "__rrshift__",
    "x0 == x1": "__eq__",
    "x0 != x1": "__ne__",
    "x0 < x1": "__gt__",
    "x0 <= x1": "__ge__",
    "x0 > x1": "__lt__",
    "x0 >= x1": "__le__",
}


def _of(formula: str, left: Any, right: Any) -> Array:
    for value in (left, right):
        if not isinstance(value, (_array.Array, bool, int, float, complex, np.ndarray, np.generic, list, tuple)):
            if not _is_mere_array(formula, value):
                return NotImplemented  # type: ignore[no-any-return]
    return _array.apply(formula, left, right)


def _is_mere_array(formula: str, value: Any) -> bool:
    """Whether another library's operand converts to a NumPy array but has no operator of its own."""
    kind = type(value)
    if not hasattr(kind, "__array__") or getattr(kind, "__array_ufunc__", _operators_of_none) is None:
        return False
    reflected = _REFLECTED.get(formula, "__rfloordiv__")
    own = getattr(kind, reflected, None)
    return own is None or own is getattr(object, reflected, None)


def _operators_of_none() -> None:
    """Stands for a missing attribute."""


def check_power(base: Any, exponent: Any) -> None:
    """Raises NumPy's error for integers to negative integer powers, if the exponents are known without a read."""
    if isinstance(exponent, (float, bool, _array.Array)):
        return
    if isinstance(base, (int, list, tuple)):
        base = np.asarray(base)
    dtype = getattr(base, "dtype", None)
    if dtype is None or dtype.kind not in "biu" or not base.size:
        return
    if type(exponent) is int:
        if exponent < 0 and dtype.kind == "u":
            raise OverflowError(f"Python integer {exponent} out of bounds for {dtype}")
        is_negative = exponent < 0
    elif isinstance(exponent, (np.ndarray, np.generic, list, tuple)):
        host = np.asarray(exponent)
        # Of uint64 and int64 NumPy makes float64.
        is_whole = host.dtype.kind == "i" and np.result_type(dtype, host.dtype).kind in "iu"
        is_negative = is_whole and bool((host < 0).any())
    else:
        return
    if is_negative:
        raise ValueError("Integers to negative integer powers are not allowed.")


def _compared(formula: str, left: Any, right: Any) -> Array:
    """Refuses arrays of other libraries: Python would return False without comparing elements. No element equals None.
    """
    if right is None:
        from ._creation import full

        return full(left.shape, formula == "x0 != x1")
    if not isinstance(right, _array.Array) and hasattr(type(right), "__dlpack__") and not isinstance(right, np.ndarray):
        kind = type(right)
        raise TypeError(
            f"zerostride arrays cannot be compared with a {kind.__module__}.{kind.__name__}; use zerostride.from_dlpack"
        )
    return _of(formula, left, right)


def _floor_divided(left: Any, right: Any) -> Array:
    formula = _array.FLOOR_DIVIDED if _array.is_real(left) or _array.is_real(right) else "x0 // x1"
    return _of(formula, left, right)


def _within(formula: str, left: Any, right: Any) -> Array:
    return _replaced(left, _of(formula, left, right))


def _replaced(array: Any, result: Array) -> Array:
    if result is NotImplemented:
        return NotImplemented  # type: ignore[no-any-return]
    warn_of_replaced(array)
    return _array.replaced(array, result)
