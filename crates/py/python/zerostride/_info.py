"""What the array API asks a namespace about itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import Device, check_device, device
from ._dtypes import KINDS, default_float, int64


class Info:
    """`__array_namespace_info__()`."""

    def capabilities(self) -> dict[str, Any]:
        """What depends on data in its shape is found on the host; there are any number of axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> Device:
        """The one device."""
        return device()

    def default_dtypes(self, *, device: object = None) -> dict[str, np.dtype[Any]]:
        """float32 or what `set_default_dtype` chose, and int64."""
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
                raise ValueError(f"{one!r} is no kind of element types; they are {', '.join(KINDS)}")
        found = {d.name: d for one in kinds for d in KINDS[one] if d.kind != "c"}
        return found

    def devices(self) -> list[Device]:
        """The one device."""
        return [device()]


def __array_namespace_info__() -> Info:
    """What there is: element types, device, capabilities.

    >>> import zerostride as zs
    >>> zs.__array_namespace_info__().default_dtypes()["real floating"]
    dtype('float32')
    """
    return Info()
