"""The inspection API of the array API standard."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Device, check_device, device
from ._dtypes import KINDS, default_float, int64


class Info:
    """`__array_namespace_info__()`."""

    def capabilities(self) -> dict[str, Any]:
        """The capabilities. Results whose shape depends on data are computed on the host; the number of axes is not limited."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> Device:
        """The only device."""
        return device()

    def default_dtypes(self, *, device: object = None) -> dict[str, np.dtype[Any]]:
        """The default types: float32 or the choice of `set_default_dtype`, and int64."""
        check_device(device)
        return {"real floating": default_float(), "complex floating": None, "integral": int64, "indexing": int64}  # type: ignore[dict-item]

    def dtypes(self, *, device: object = None, kind: Any = None) -> dict[str, np.dtype[Any]]:
        """The element types of these kinds."""
        check_device(device)
        if kind is None:
            kinds: tuple[str, ...] = ("bool", "numeric")
        else:
            kinds = (kind,) if isinstance(kind, str) else tuple(kind)
        for one in kinds:
            if one not in KINDS:
                raise ValueError(f"{one!r} is not a kind of element types; the kinds are {', '.join(KINDS)}")
        found = {d.name: d for one in kinds for d in KINDS[one] if d.kind != "c"}
        return found

    def devices(self) -> list[Device]:
        """The only device, in a list."""
        return [device()]


def __array_namespace_info__() -> Info:
    """Information on this namespace: element types, device, capabilities.

    >>> import zerostride as zs
    >>> zs.__array_namespace_info__().default_dtypes()["real floating"]
    dtype('float32')
    """
    return Info()
