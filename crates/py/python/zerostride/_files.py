"""Reading arrays from files."""

from __future__ import annotations

import os
from typing import Any

from . import _core
from ._array import Array
from ._dtypes import as_dtype, code_of


def load(
    source: str | os.PathLike[str],
    /,
    *,
    f64_as: Any = None,
    delimiter: str | None = None,
    header: bool | None = None,
    empty_as_nan: bool = False,
) -> Array:
    """Reads an array from a file, in the same way as the command.

    - `x.npy`, `x.npz:w`: a NumPy array.
    - `x.csv`, `x.tsv`, `x.txt`: a table of numbers; `x.csv:width,height` selects columns by the names in its header,
      `x.csv:0,-1` by number, `x.csv:!name` all but one; `x.csv:width:f32` sets the element type.
    - `x.safetensors:w`: a tensor of a safetensors file.
    - `x.raw:f32[3,4]`: little-endian elements, in a file of any name.

    All characters of a `pathlib.Path` belong to the file's name.

    f64_as: the type to which float64 elements are rounded while they are read.
    delimiter: the separator of cells in a table: one character, "tab", or "space" for any white space.
    header: whether a table's first line is a header; by default if none of its cells is a number.
    empty_as_nan: whether an empty cell is NaN; otherwise it raises ValueError with its line and column.

    >>> import tempfile, zerostride as zs
    >>> folder = tempfile.TemporaryDirectory()
    >>> with open(f"{folder.name}/people.csv", "w") as file:
    ...     _ = file.write("name,height,weight\\nAda,1.5,60\\nAlan,2.0,72\\n")
    >>> zs.load(f"{folder.name}/people.csv:height")
    Array([1.5, 2. ], dtype=float64)
    """
    wanted = None if f64_as is None else code_of(as_dtype(f64_as))
    is_path = not isinstance(source, str)
    return Array.of(_core.load(os.fspath(source), is_path, wanted, delimiter, header, empty_as_nan))
