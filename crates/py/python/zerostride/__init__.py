"""NumPy expressions on any GPU: lazy arrays, expressions as strings, the array API.

>>> import numpy as np, zerostride as zs
>>> x = np.array([[1, 2], [3, 6]], dtype=np.float32)
>>> zs.evaluate("(x - x.mean(axis=0)) / x.std(axis=0)")
array([[-1., -1.],
       [ 1.,  1.]], dtype=float32)
>>> a = zs.asarray(x)
>>> float(zs.sqrt(a).sum())
6.59...
"""

from __future__ import annotations

import math as _math
import os as _os
from typing import Any as _Any

from . import _core, _library, lib, linalg, onnx
from ._array import Array, Device, astype, device
from ._core import Error, __version__, adapters
from ._creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from ._dtypes import (
    bool_ as bool,
)
from ._dtypes import (
    complex64,
    complex128,
    finfo,
    float16,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from ._elementwise import (
    abs,
    acos,
    acosh,
    add,
    allclose,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    cbrt,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    deg2rad,
    divide,
    equal,
    erf,
    exp,
    exp2,
    expm1,
    fabs,
    floor,
    floor_divide,
    fmax,
    fmin,
    fmod,
    greater,
    greater_equal,
    heaviside,
    hypot,
    imag,
    isclose,
    isfinite,
    isinf,
    isnan,
    ldexp,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logaddexp2,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    nan_to_num,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    rad2deg,
    real,
    reciprocal,
    relu,
    remainder,
    rint,
    round,
    sigmoid,
    sign,
    signbit,
    sin,
    sinh,
    softplus,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
    where,
)
from ._einsum import einsum
from ._evaluate import compile, compute, evaluate, explain, gradient, re_evaluate
from ._files import load
from ._fuse import fuse
from ._info import __array_namespace_info__
from ._manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    can_cast,
    concat,
    diff,
    expand_dims,
    flip,
    matrix_transpose,
    meshgrid,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    result_type,
    roll,
    squeeze,
    stack,
    swapaxes,
    tile,
    transpose,
    tril,
    triu,
    unstack,
)
from ._padding import pad
from ._quantiles import median, nanmedian, nanpercentile, nanquantile, percentile, quantile
from ._selection import nonzero, unique_all, unique_counts, unique_inverse, unique_values
from ._statistics import (
    all,
    any,
    argmax,
    argmin,
    argsort,
    count_nonzero,
    cumprod,
    cumsum,
    cumulative_prod,
    cumulative_sum,
    isin,
    logsumexp,
    matmul,
    max,
    mean,
    min,
    nanargmax,
    nanargmin,
    nancumprod,
    nancumsum,
    nanmax,
    nanmean,
    nanmin,
    nanprod,
    nanstd,
    nansum,
    nanvar,
    prod,
    ptp,
    searchsorted,
    sort,
    std,
    sum,
    take,
    take_along_axis,
    tensordot,
    var,
    vecdot,
)
from ._stream import stream

__array_api_version__ = "2024.12"
e = _math.e
pi = _math.pi
inf = _math.inf
nan = _math.nan
newaxis = None


def __getattr__(name: str) -> _Any:
    if name == "bfloat16":
        from ._dtypes import bfloat16

        return bfloat16()
    if name.startswith("_"):
        raise AttributeError(f"module 'zerostride' has no attribute {name!r}")
    from ._numpy import FUNCTIONS

    if name in FUNCTIONS:
        return FUNCTIONS[name]
    if name in _library.NAMES:
        return _library.function(name)
    raise AttributeError(f"module 'zerostride' has no attribute {name!r}{_hint(name)}")


def _hint(name: str) -> str:
    """Returns the advice for a NumPy name that this module does not have."""
    import numpy

    if not hasattr(numpy, name):
        return ""
    if callable(getattr(numpy, name)):
        return f"; use numpy.{name}(a, ..), or numpy.{name}(a.numpy(), ..) on the host"
    return f"; use numpy.{name}"


# Mesa's Vulkan layer that orders devices as the desktop does complains on stderr if there is no desktop. This disables
# the layer then, unless the user chooses a device by it.
if _os.name == "posix" and not _os.path.isabs(_os.environ.get("XDG_RUNTIME_DIR", "")):
    if not {"NODEVICE_SELECT", "MESA_VK_DEVICE_SELECT", "DRI_PRIME"} & set(_os.environ):
        _os.environ["NODEVICE_SELECT"] = "1"

# A fork takes no thread along: a child says so instead of waiting for them.
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_core.forked)

__all__ = [name for name in dir() if not name.startswith("_")]
