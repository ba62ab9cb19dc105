"""`Array`: an array on the GPU that is computed when it is read."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._dtypes import as_dtype, code_of, dtype_of
from ._operators import Operators
from ._views import view, warn_of_set

if TYPE_CHECKING:
    import weakref

Number = bool | int | float
#: Guards setting elements and uploading them, which several threads may do with one array.
_SETTING = threading.RLock()


class Device:
    """The adapter that computes."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"zerostride.Device({self.name!r})"


def device() -> Device:
    """The device of all arrays.

    >>> import zerostride as zs
    >>> zs.asarray([1.0]).device == zs.device()
    True
    """
    return Device(_core.adapter())


def check_device(asked: object) -> None:
    """Refuses every device but the only one. "cpu", the device of NumPy arrays, counts as that one."""
    if asked is not None and asked != "cpu" and asked != device():
        raise ValueError(f"there is only one device, {device()!r}; {asked!r} is not supported")


def lazy_of(array: np.ndarray[Any, Any]) -> _core.Lazy:
    """Uploads a NumPy array, in the machine's byte order."""
    if isinstance(array, np.ma.MaskedArray) and array.mask is not np.ma.nomask:
        raise TypeError("masks are not supported; use a.filled(value), an array without a mask")
    dtype = array.dtype
    if not dtype.isnative:
        dtype = dtype.newbyteorder("=")
        array = array.astype(dtype)
    return _core.upload(array, code_of(dtype))


def host_of(lazy: _core.Lazy) -> np.ndarray[Any, Any]:
    """An array's elements as a new NumPy array."""
    return lazy.read().view(dtype_of(lazy.dtype)).reshape(lazy.shape)


class Array(Operators):
    """An array on the GPU that is computed when it is read. `asarray` and operations create arrays.

    An operation returns a new array immediately: it checks types and shapes and computes nothing. A
    read (`numpy()`, `np.asarray(a)`, `float(a)`, printing) computes everything it needs in few kernels.

    >>> import zerostride as zs
    >>> x = zs.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> (x - x.mean(axis=0)) / x.std(axis=0)
    Array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    """

    __slots__ = ("__weakref__", "_host", "_lazy", "_sources")
    # At least one of the two is not None: they are written together, or under the lock.
    _lazy: _core.Lazy | None
    _host: np.ndarray[Any, Any] | None
    #: The arrays of which this one would be a view in NumPy.
    _sources: tuple[weakref.ref[Array], ...]
    __array_priority__ = 1000.0

    def __init__(self) -> None:
        raise TypeError("use zerostride.asarray to create arrays")

    @staticmethod
    def of(lazy: _core.Lazy) -> Array:
        """Wraps an array of the extension module."""
        self = Array.__new__(Array)
        self._lazy = lazy
        self._host = None
        self._sources = ()
        return self

    # Properties.

    @property
    def lazy(self) -> _core.Lazy:
        """The array for the extension module, uploaded if elements were set."""
        lazy = self._lazy
        if lazy is None:
            with _SETTING:
                lazy = self._lazy
                if lazy is None:
                    assert self._host is not None
                    lazy = self._lazy = lazy_of(self._host)
        return lazy

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        # Another thread may drop the host's elements, or those of the device.
        host = self._host if self._lazy is None else None
        return dtype_of(self.lazy.dtype) if host is None else host.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        host = self._host if self._lazy is None else None
        return self.lazy.shape if host is None else host.shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    @property
    def itemsize(self) -> int:
        """The number of bytes of an element."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """The number of bytes of all elements."""
        return self.size * self.itemsize

    @property
    def device(self) -> Device:
        """The adapter that computes."""
        return device()

    def to_device(self, device: object, /, *, stream: object = None) -> Array:
        """Returns the array itself, since only one device exists."""
        if stream is not None:
            raise ValueError("streams are not supported")
        check_device(device)
        return self

    def __array_namespace__(self, /, *, api_version: str | None = None) -> Any:
        import zerostride

        if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
            raise ValueError(f"version {api_version!r} of the array API is not supported")
        return zerostride

    # Reads.

    def numpy(self) -> np.ndarray[Any, Any]:
        """Returns the elements as a new NumPy array.

        >>> import zerostride as zs
        >>> (zs.asarray([1, 2]) * 2).numpy()
        array([2, 4])
        """
        host = self._host
        return host_of(self.lazy) if host is None else host.copy()

    def compute(self) -> Array:
        """Starts to compute the elements, and returns the array itself."""
        _core.compute([self.lazy])
        return self

    def item(self, *index: Any) -> Any:
        """The only element, or the element at an index, as a Python number."""
        if not index and self.size != 1:
            raise ValueError(f"item() without an index needs an array of one element; the shape is {self.shape}")
        return self.numpy().item(*index)

    def tobytes(self, order: Any = "C") -> bytes:
        """The elements' bytes in this order."""
        return self.numpy().tobytes(order)

    def tolist(self) -> Any:
        """The elements as lists of Python numbers."""
        return self.numpy().tolist()

    def explain(self) -> str:
        """The plan of computing the array: passes, bytes, schedules."""
        return self.lazy.explain()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("copy=False is not supported: NumPy needs a copy of the elements, which are on the device")
        array = self.numpy()
        return array if dtype is None else array.astype(dtype, copy=False)

    def _scalar(self, what: str) -> Any:
        if self.size != 1:
            raise TypeError(f"{what} needs an array of one element; the shape is {self.shape}")
        return self.numpy().reshape(())[()]

    def __bool__(self) -> bool:
        if self.size != 1:
            several = "several elements" if self.size else "no elements"
            raise ValueError(
                f"the truth value of an array of {several} is ambiguous; use zerostride.any or zerostride.all"
            )
        return bool(self._scalar("bool"))

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        if self.dtype.kind not in "iu" or self.ndim != 0:
            raise TypeError("only an array of one integer without axes can be an index")
        return int(self._scalar("an index"))

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("an array without axes has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Array]:
        if self.ndim == 0:
            raise TypeError("an array without axes cannot be iterated over")
        return (self[i] for i in range(self.shape[0]))

    def __contains__(self, value: object) -> bool:
        return bool((self == value).any())

    def __repr__(self) -> str:
        array = self.numpy()
        text = np.array2string(array, separator=", ", prefix="Array(")
        return f"Array({text})" if self.dtype.kind == "b" else f"Array({text}, dtype={self.dtype})"

    def __str__(self) -> str:
        return str(self.numpy())

    def _repr_html_(self) -> str:
        from ._html import table

        return table(self)

    def __format__(self, spec: str) -> str:
        return format(self.numpy()[()], spec) if self.ndim == 0 else format(str(self), spec)

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: object) -> Array:
        return self.copy()

    def __reduce__(self) -> tuple[Callable[..., Array], tuple[np.ndarray[Any, Any]]]:
        return uploaded, (self.numpy(),)

    def __dlpack__(
        self,
        *,
        stream: object = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Reads the elements into host memory and returns them as a capsule, whatever `copy` is."""
        if stream is not None:
            raise BufferError("streams are not supported")
        if dl_device not in (None, (1, 0)):
            raise BufferError("only host memory is supported, device (1, 0)")
        return self.numpy().__dlpack__(max_version=max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    def copy(self) -> Array:
        """A copy whose elements can be set independently."""
        host = self._host
        return Array.of(self.lazy) if host is None else uploaded(host)

    # Elements set: on the host, uploaded again at the next use.

    def __setitem__(self, key: Any, value: Any) -> None:
        from ._indexing import host_key

        if _core.is_tracing():
            raise TypeError(
                "elements cannot be set in a function that is traced, where arrays have no elements; use "
                "zerostride.where(mask, value, a) to replace elements, or zerostride.concat to join parts"
            )
        # Numbers without a type are checked by NumPy against the array's.
        if type(value) not in (bool, int, float):
            value = np.asarray(value)
            if value.dtype.kind == "c":
                raise TypeError("complex numbers are not supported")
        key = host_key(key)
        if self._sources:
            warn_of_set(self)
        while True:
            lazy, host = self._lazy, self._host
            read = host_of(self.lazy) if host is None else host
            with _SETTING:
                # If another thread has set elements meanwhile, read again.
                if host is not self._host or (host is None and lazy is not self._lazy):
                    continue
                read[key] = value
                self._lazy, self._host = None, read
                return

    def __getitem__(self, key: Any) -> Array:
        from ._indexing import indexed

        return indexed(self, key)

    # NumPy's protocols.

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from ._protocols import array_ufunc

        return array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        from ._protocols import array_function

        return array_function(func, types, args, kwargs)

    # Operators.

    def __neg__(self) -> Array:
        return apply("-x0", self)

    def __pos__(self) -> Array:
        return apply("+x0", self)

    def __abs__(self) -> Array:
        return apply("abs(x0)", self)

    def __invert__(self) -> Array:
        return apply("~x0", self)

    def __divmod__(self, other: Any) -> tuple[Array, Array]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Array, Array]:
        return other // self, other % self

    def __round__(self, digits: int | None = None) -> Array:
        return self.round(digits or 0)

    # NumPy's methods, implemented by functions of the package.

    @property
    def T(self) -> Array:
        """The array with its axes in reverse order; the array API allows only two axes."""
        return view(self, apply("x0.T", self))

    @property
    def mT(self) -> Array:
        """The array with its last two axes exchanged."""
        from ._manipulation import matrix_transpose

        return matrix_transpose(self)

    @property
    def real(self) -> Array:
        """The array itself."""
        return self

    def conj(self) -> Array:
        """The array itself."""
        return self

    conjugate = conj

    def astype(self, dtype: Any, copy: bool = True) -> Array:
        """Casts the array to another element type."""
        return astype(self, dtype, copy=copy)

    def reshape(self, *shape: Any, order: str = "C") -> Array:
        """Gives the elements, in row-major order or in column-major order 'F', another shape."""
        from ._manipulation import reshape

        return reshape(self, shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape, order=order)

    def ravel(self, order: str = "C") -> Array:
        """All elements along one axis."""
        from ._manipulation import reshape

        return reshape(self, (-1,), order="A" if order == "K" else order)

    def flatten(self, order: str = "C") -> Array:
        """All elements along one axis, as a new array."""
        return self.ravel(order).copy()

    def transpose(self, *axes: Any) -> Array:
        """The array with its axes in this order, or in reverse order."""
        from ._manipulation import transpose

        if len(axes) == 1 and (axes[0] is None or not isinstance(axes[0], int)):
            return transpose(self, axes[0])
        return transpose(self, axes or None)

    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """The array with two axes exchanged."""
        from ._manipulation import swapaxes

        return swapaxes(self, axis1, axis2)

    def squeeze(self, axis: Any = None) -> Array:
        """Removes axes of extent 1."""
        from ._manipulation import squeeze

        return squeeze(self, axis=axis)

    def repeat(self, repeats: Any, axis: int | None = None) -> Array:
        """Repeats each element `repeats` times."""
        from ._manipulation import repeat

        return repeat(self, repeats, axis=axis)

    def take(self, indices: Any, axis: int | None = None, mode: str | None = None) -> Array:
        """The elements at these indices."""
        from ._statistics import take

        return take(self.ravel() if axis is None else self, indices, axis=axis, mode=mode)

    def argsort(self, axis: int | None = -1, kind: Any = None, *, stable: bool | None = None) -> Array:
        """The indices that sort the elements along an axis, always a stable sort; see `zerostride.argsort`."""
        from ._statistics import argsort

        return argsort(self, axis=axis)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None) -> Array:
        """The sum of a diagonal of two axes, by default the first two."""
        return self.diagonal(offset, axis1, axis2).sum(-1, dtype=dtype)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """A diagonal of two axes, by default the first two, along a new last axis."""
        from ._manipulation import viewed

        return viewed("diagonal", self, offset=offset, axis1=axis1, axis2=axis2)

    def nonzero(self) -> tuple[Array, ...]:
        """The indices along each axis of the elements that are not 0, found on the host."""
        from ._selection import nonzero

        return nonzero(self)

    def clip(self, min: Any = None, max: Any = None) -> Array:
        """Limits the elements to the range from `min` to `max`, in the common type of all three as in NumPy."""
        from ._elementwise import clip

        return clip(self, min, max, promotes=True)

    def round(self, decimals: int = 0) -> Array:
        """Rounds to `decimals` decimals, halves to even."""
        from ._elementwise import round

        return round(self, decimals)

    def dot(self, other: Any) -> Array:
        """Sums of products along the last axis and the last but one of `other`, as `numpy.dot` has them."""
        from ._library import call

        return call("dot", self, other)  # type: ignore[no-any-return]

    def cumsum(self, axis: int | None = None, dtype: Any = None) -> Array:
        """Cumulative sums along an axis."""
        from ._statistics import cumsum

        return cumsum(self, axis, dtype)

    def cumprod(self, axis: int | None = None, dtype: Any = None) -> Array:
        """Cumulative products along an axis."""
        from ._statistics import cumprod

        return cumprod(self, axis, dtype)

    def argmax(self, axis: int | None = None, *, keepdims: bool = False) -> Array:
        """The index of the first largest element."""
        return self._reduced("argmax", axis, keepdims)

    def argmin(self, axis: int | None = None, *, keepdims: bool = False) -> Array:
        """The index of the first smallest element."""
        return self._reduced("argmin", axis, keepdims)

    def sum(
        self, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Array:
        """Sum along axes."""
        return self._reduced("sum", axis, keepdims, dtype, initial=initial, where=where)

    def prod(
        self, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Array:
        """Product along axes."""
        return self._reduced("prod", axis, keepdims, dtype, initial=initial, where=where)

    def mean(self, axis: Any = None, dtype: Any = None, *, keepdims: bool = False, where: Any = True) -> Array:
        """Mean along axes."""
        return self._reduced("mean", axis, keepdims, dtype, where=where)

    def max(
        self, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Array:
        """The largest element along axes."""
        return self._reduced("max", axis, keepdims, initial=initial, where=where)

    def min(
        self, axis: Any = None, *, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Array:
        """The smallest element along axes."""
        return self._reduced("min", axis, keepdims, initial=initial, where=where)

    def any(self, axis: Any = None, *, keepdims: bool = False, where: Any = True) -> Array:
        """Whether any element along axes is not 0."""
        return self._reduced("any", axis, keepdims, where=where)

    def all(self, axis: Any = None, *, keepdims: bool = False, where: Any = True) -> Array:
        """Whether no element along axes is 0."""
        return self._reduced("all", axis, keepdims, where=where)

    def var(
        self, axis: Any = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False, where: Any = True
    ) -> Array:
        """Variance along axes."""
        return self._reduced("var", axis, keepdims, dtype, where=where, ddof=ddof)

    def std(
        self, axis: Any = None, dtype: Any = None, *, ddof: float = 0, keepdims: bool = False, where: Any = True
    ) -> Array:
        """Standard deviation along axes."""
        return self._reduced("std", axis, keepdims, dtype, where=where, ddof=ddof)

    def _reduced(self, name: str, axis: Any, keepdims: bool, dtype: Any = None, **options: Any) -> Array:
        from ._statistics import reduced

        return reduced(name, self, axis, keepdims, dtype=dtype, **options)


def uploaded(array: np.ndarray[Any, Any]) -> Array:
    """Uploads the current elements of a NumPy array."""
    return Array.of(lazy_of(array))


def operand(value: Any) -> _core.Lazy | Number:
    """Converts a value to an operand of a formula: numbers stay, and all else is uploaded."""
    if isinstance(value, Array):
        return value.lazy
    if isinstance(value, np.ndarray):
        return lazy_of(value)
    if isinstance(value, np.generic):
        return lazy_of(np.asarray(value))
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, complex):
        raise TypeError("complex numbers are not supported")
    if isinstance(value, (list, tuple)):
        from ._creation import asarray

        return asarray(value).lazy
    if hasattr(value, "__index__"):
        return operator.index(value)
    if hasattr(value, "__array__"):
        return lazy_of(np.asarray(value))
    raise TypeError(f"an operand must be an array or a number, not {type(value).__name__}")


def apply(formula: str, *operands: Any) -> Array:
    """The result of a formula in the expression language over the operands `x0`, `x1` and so on."""
    return Array.of(_core.apply(formula, *map(operand, operands))[0])


def replaced(array: Array, result: Array) -> Array:
    """Replaces an array's elements by those of a result, cast to the array's element type."""
    if result.shape != array.shape:
        raise ValueError(f"the result has shape {result.shape}, but the array that it is assigned to has shape {array.shape}")
    if result.dtype != array.dtype:
        if not np.can_cast(result.dtype, array.dtype, "same_kind"):
            raise TypeError(f"the result is {result.dtype}, but the array that it is assigned to is {array.dtype}")
        result = apply(f"x0.astype({code_of(array.dtype)})", result)
    lazy = result.lazy
    with _SETTING:
        array._lazy, array._host = lazy, None
    return array


#: A quotient of floats rounded down, for infinities and zeros as in the array API: NumPy returns
#: NaN for an infinite dividend and -1 for -1 // inf.
FLOOR_DIVIDED = "where(isinf(x0) | isinf(x1), floor(x0 / x1), x0 // x1)"


def is_real(value: Any) -> bool:
    """Whether an operand is a float or an array of floats."""
    dtype = getattr(value, "dtype", None)
    return isinstance(value, float) if dtype is None else dtype.kind not in "biu"


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: object = None) -> Array:
    """Casts the array to another element type.

    >>> import zerostride as zs
    >>> zs.astype(zs.asarray([1.5, -1.5]), zs.int32)
    Array([ 1, -1], dtype=int32)
    """
    check_device(device)
    # As in NumPy and in expressions; only new arrays get the default type.
    dtype = as_dtype(np.float64 if dtype is float else dtype)
    if dtype == x.dtype:
        return x.copy() if copy else x
    return apply(f"x0.astype({code_of(dtype)})", x)

