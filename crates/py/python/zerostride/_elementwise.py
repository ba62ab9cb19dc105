"""Elementwise functions, each a formula in the expression language."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from . import _core
from ._array import FLOOR_DIVIDED, Array, Number, apply, is_real
from ._creation import asarray
from ._dtypes import isdtype
from ._operators import check_power


class Unary(Protocol):
    """A function of one operand."""

    def __call__(self, x: Any, /) -> Array: ...


class Binary(Protocol):
    """A function of two operands, one of which may be a number."""

    def __call__(self, x1: Any, x2: Any, /) -> Array: ...


_ENTRIES = {form.split("(")[0]: doc for _, form, _, doc in _core.language()}
_ALIASES = {form.split(": ")[0]: form.split(": ")[-1] for c, form, _, _ in _core.language() if c == "other names"}


def described(name: str) -> str:
    """The expression language's documentation of a function."""
    return _ENTRIES.get(_ALIASES.get(name, name)) or _ENTRIES.get(name, f"`{name}` of the expression language.")


def array(x: Any) -> Array:
    """Converts an operand to an array."""
    return x if isinstance(x, Array) else asarray(x)


def unary(name: str) -> Unary:
    """The function of this name in the expression language."""
    formula = f"{name}(x0)"

    def function(x: Any, /) -> Array:
        return apply(formula, array(x))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name)
    return function


def binary(name: str) -> Binary:
    """The function of this name in the expression language."""
    formula = f"{name}(x0, x1)"

    def function(x1: Any, x2: Any, /) -> Array:
        if not isinstance(x1, Array) and not isinstance(x2, Array):
            x1 = array(x1)
        return apply(formula, x1, x2)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = described(name)
    return function


abs = unary("abs")
acos = unary("acos")
acosh = unary("acosh")
asin = unary("asin")
asinh = unary("asinh")
atan = unary("atan")
atanh = unary("atanh")
bitwise_invert = unary("bitwise_invert")
cbrt = unary("cbrt")
ceil = unary("ceil")
conj = unary("conj")
cos = unary("cos")
cosh = unary("cosh")
deg2rad = unary("deg2rad")
erf = unary("erf")
exp = unary("exp")
exp2 = unary("exp2")
expm1 = unary("expm1")
fabs = unary("fabs")
floor = unary("floor")
isfinite = unary("isfinite")
isinf = unary("isinf")
isnan = unary("isnan")
log = unary("log")
log10 = unary("log10")
log1p = unary("log1p")
log2 = unary("log2")
logical_not = unary("logical_not")
negative = unary("negative")
positive = unary("positive")
rad2deg = unary("rad2deg")
real = unary("real")
reciprocal = unary("reciprocal")
relu = unary("relu")
rint = unary("rint")
sigmoid = unary("sigmoid")
sign = unary("sign")
signbit = unary("signbit")
sin = unary("sin")
sinh = unary("sinh")
softplus = unary("softplus")
sqrt = unary("sqrt")
square = unary("square")
tan = unary("tan")
tanh = unary("tanh")
trunc = unary("trunc")

add = binary("add")
atan2 = binary("atan2")
bitwise_and = binary("bitwise_and")
bitwise_left_shift = binary("bitwise_left_shift")
bitwise_or = binary("bitwise_or")
bitwise_right_shift = binary("bitwise_right_shift")
bitwise_xor = binary("bitwise_xor")
copysign = binary("copysign")
divide = binary("divide")
equal = binary("equal")
fmax = binary("fmax")
fmin = binary("fmin")
fmod = binary("fmod")
greater = binary("greater")
greater_equal = binary("greater_equal")
heaviside = binary("heaviside")
hypot = binary("hypot")
ldexp = binary("ldexp")
less = binary("less")
less_equal = binary("less_equal")
logaddexp = binary("logaddexp")
logaddexp2 = binary("logaddexp2")
logical_and = binary("logical_and")
logical_or = binary("logical_or")
logical_xor = binary("logical_xor")
matmul = binary("matmul")
maximum = binary("maximum")
minimum = binary("minimum")
multiply = binary("multiply")
nextafter = binary("nextafter")
not_equal = binary("not_equal")
remainder = binary("remainder")
subtract = binary("subtract")


def pow(x1: Any, x2: Any, /) -> Array:
    """`x1` to the power of `x2`. As in NumPy, integers to negative integer powers raise an error, but only if the exponents
    are not on the device: a kernel cannot raise errors, and computes the truncated quotient.
    """
    check_power(x1, x2)
    return _power(x1, x2)


_power = binary("pow")


def floor_divide(x1: Any, x2: Any, /) -> Array:
    """The quotient rounded down to a whole number; infinities as in the array API."""
    if not isinstance(x1, Array) and not isinstance(x2, Array):
        x1 = array(x1)
    return apply(FLOOR_DIVIDED if is_real(x1) or is_real(x2) else "x0 // x1", x1, x2)


def round(x: Any, /, decimals: int = 0) -> Array:
    """Rounds to `decimals` decimals, halves to even.

    >>> import zerostride as zs
    >>> zs.round(zs.asarray([0.5, 1.5, 2.25]))
    Array([0., 2., 2.], dtype=float32)
    """
    x = array(x)
    if decimals == 0:
        return x.copy() if isdtype(x.dtype, "integral") else apply("rint(x0)", x)
    return apply(f"round(x0, {int(decimals)})", x)


def clip(x: Any, /, min: Any = None, max: Any = None, *, promotes: bool = False) -> Array:
    """Limits the elements to the range from `min` to `max`, in their element type, or where it `promotes` in the common type
    of all three, as in NumPy. A bound of None sets no limit.

    >>> import zerostride as zs
    >>> zs.clip(zs.asarray([-1, 5]), 0, 3)
    Array([0, 3], dtype=int64)
    """
    x = array(x)
    low, high = _bound(x, min, -1, promotes), _bound(x, max, 1, promotes)
    if low is None and high is None:
        return apply("+x0", x)
    if low is None:
        return apply("minimum(x0, x1)", x, high)
    if high is None:
        return apply("maximum(x0, x1)", x, low)
    return apply("minimum(maximum(x0, x1), x2)", x, low, high)


def _bound(x: Array, bound: Any, side: int, promotes: bool) -> Array | Number | None:
    """A bound as an operand; None without a bound, and for a number that no element of the type can exceed."""
    if bound is None:
        return None
    if isinstance(bound, (bool, int, float)) and not isinstance(bound, np.generic):
        if isinstance(bound, float) and isdtype(x.dtype, "integral") and not promotes:
            raise TypeError(f"the bounds of an array of {x.dtype} must be integers, not {bound}")
        if isinstance(bound, int) and x.dtype.kind in "iu":
            type_ = np.iinfo(x.dtype)
            if bound > type_.max if side > 0 else bound < type_.min:
                return None
        number: Number = bound
        return number
    bounds = array(bound)
    return bounds if promotes or bounds.dtype == x.dtype else bounds.astype(x.dtype)


def imag(x: Any, /) -> Array:
    """Not supported, as complex numbers are not."""
    raise TypeError("imag needs complex numbers, which are not supported")


def where(condition: Any, x1: Any = None, x2: Any = None, /) -> Any:
    """Elements of `x1` where the condition is true, else of `x2`; without `x1` and `x2` the result of `nonzero(condition)`.

    >>> import zerostride as zs
    >>> x = zs.asarray([-1.0, 2.0])
    >>> zs.where(x > 0, x, 0)
    Array([0., 2.], dtype=float32)
    """
    if x1 is None and x2 is None:
        from ._selection import nonzero

        return nonzero(condition)
    if x1 is None or x2 is None:
        raise TypeError("where needs both x1 and x2, or neither")
    if not isinstance(x1, Array) and not isinstance(x2, Array):
        x1 = array(x1)
    return apply("where(x0, x1, x2)", array(condition), x1, x2)


def nan_to_num(
    x: Any, /, *, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Array:
    """Replaces NaN and infinities by numbers."""
    bounds = "".join(
        f", {name}={float(value)!r}"
        for name, value in (("nan", nan), ("posinf", posinf), ("neginf", neginf))
        if value is not None
    )
    return apply(f"nan_to_num(x0{bounds})", array(x))


def _near(name: str, a: Any, b: Any, rtol: Any, atol: Any, equal_nan: bool) -> Array:
    """Applies NumPy's rule; the tolerances may be arrays of one number."""
    rtol, atol = (float(x) if isinstance(x, (Array, np.ndarray, np.generic)) else x for x in (rtol, atol))
    return apply(f"{name}(x0, x1, rtol={rtol!r}, atol={atol!r}, equal_nan={bool(equal_nan)})", array(a), array(b))


def isclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> Array:
    """Whether elements are close to each other, by NumPy's rule."""
    return _near("isclose", a, b, rtol, atol, equal_nan)


def allclose(a: Any, b: Any, rtol: Any = 1e-5, atol: Any = 1e-8, equal_nan: bool = False) -> bool:
    """Whether all elements are close to each other; computed immediately."""
    return bool(_near("allclose", a, b, rtol, atol, equal_nan))
