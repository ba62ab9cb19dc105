"""Arrays as HTML for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._array import Array

#: The largest number of rows and columns that are shown.
_MOST = 8


def table(array: Array) -> str:
    """Shows shape, element type, device, and the first rows and columns, of the first matrix if there are more than two
    axes. Reads only these elements.
    """
    extents = " x ".join(map(str, array.shape)) or "a number"
    head = f"<b>Array</b> {extents}, {array.dtype}, {html.escape(array.device.name)}"
    corner = (0,) * (array.ndim - 2) + (slice(_MOST),) * min(array.ndim, 2)
    rows: Any = np.atleast_2d(array[corner].numpy()) if array.size else []
    columns = array.shape[-1] if array.ndim else 1
    below = array.shape[-2] if array.ndim > 1 else 1
    more = "<td>…</td>" if columns > _MOST else ""
    lines = ["".join(f"<td>{html.escape(str(x))}</td>" for x in row) + more for row in rows]
    if below > _MOST and array.size:
        lines.append("<td>…</td>")
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    note = f"<div>the first of {' x '.join(map(str, array.shape[:-2]))} matrices</div>" if array.ndim > 2 and array.size else ""
    return f"<div>{head}</div>{note}<table>{body}</table>"
