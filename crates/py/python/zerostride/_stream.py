"""Expressions computed window by window, from files and arrays into a file."""

from __future__ import annotations

import operator
import os
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _core
from ._array import Array
from ._dtypes import code_of, dtype_of
from ._evaluate import Found, program

#: The default limit of a run's memory in bytes.
_MEMORY = 512 << 20
#: Runs of fewer seconds show no bar.
_SHORT = 1.0


def stream(
    ex: str,
    out: str | os.PathLike[str],
    local_dict: Mapping[str, Any] | None = None,
    global_dict: Mapping[str, Any] | None = None,
    *,
    memory: int | str = _MEMORY,
    part: tuple[int, int] | None = None,
    progress: bool | Callable[[int, int], object] | None = None,
) -> np.ndarray[Any, Any] | None:
    """Computes an expression whose operands or result are larger than memory into a `.npy` file.

    Its names are the caller's variables, as in `evaluate`: NumPy arrays, `np.memmap`s, numbers, and
    paths of `.npy` files, whose elements are read a window at a time. The result is the file, mapped
    read-only. The file is written as a whole or not at all.

    memory: the most bytes of elements in memory at a time, as a number or as in "2GB" and "512MiB".
    part: `(k, n)` computes part k of n, counted from 0, for several processes that write one file;
        the result is None as long as parts are missing.
    progress: a function that is called with the number of windows written and of all windows. By
        default tqdm, if installed, shows a bar for runs of more than a second; False shows none.

    >>> import numpy as np, tempfile, zerostride as zs
    >>> folder = tempfile.TemporaryDirectory()
    >>> np.save(f"{folder.name}/x.npy", np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> x = f"{folder.name}/x.npy"
    >>> zs.stream("x - x.mean(axis=0)", f"{folder.name}/y.npy")
    memmap([[-1.5, -1.5, -1.5],
            [ 1.5,  1.5,  1.5]], dtype=float32)
    """
    known = program(ex)
    frame = sys._getframe(1)
    local = frame.f_locals if local_dict is None else local_dict
    outer = frame.f_globals if global_dict is None else global_dict
    found = Found(known, local, outer, _given, False)
    path = os.fspath(out)
    if not path.endswith(".npy"):
        raise ValueError(f"{path}: streams write .npy files; use a file name that ends with .npy")
    bytes_ = _bytes(memory)
    bar = _Bar() if progress is None or progress is True else None
    call = progress if callable(progress) else bar
    try:
        missing = _core.stream(known, found.operands, found.constants, path, bytes_, part, call)
    finally:
        if bar is not None:
            bar.close()
    return None if missing else _mapped(path)


def _bytes(memory: Any) -> int:
    """Returns a number of bytes, from a number or a string with a unit."""
    if not isinstance(memory, str):
        held = operator.index(memory)
        if held <= 0:
            raise ValueError(f"memory must be a number of bytes above 0, not {memory!r}")
        return min(held, sys.maxsize)
    parts = re.fullmatch(r"\s*([0-9]+)\s*(?:([kmgt]?)(b)|([kmgt])(i?)(b?))?\s*", memory.lower())
    if parts is None:
        raise ValueError(f"memory must be a number of bytes, or a string as '2GB' or '512MiB', not {memory!r}")
    number, decimal, _, binary, _, _ = parts.groups()
    # As the command reads them: 1G is 1GiB, 1GB is not.
    unit: int = 1024 ** "kmgt".index(binary) * 1024 if binary else 1000 ** " kmgt".index(decimal or " ")
    return min(int(number) * unit, sys.maxsize)


def _given(name: str, value: Any) -> Any:
    """Converts a value to an operand of a stream."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, (bool, int, float)) and not isinstance(value, np.generic):
        return value
    try:
        array = np.asarray(value.numpy() if isinstance(value, Array) else value)
        if not array.dtype.isnative:
            array = array.astype(array.dtype.newbyteorder("="))
        return array, code_of(array.dtype)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def _mapped(path: str) -> np.ndarray[Any, Any]:
    """Maps a `.npy` file, or reads it if it has no elements."""
    try:
        array: np.ndarray[Any, Any] = np.load(path, mmap_mode="r")
    except ValueError:
        array = np.load(path)
    # NumPy has no name for bf16 in files.
    return array.view(dtype_of("bf16")) if array.dtype == np.dtype("V2") else array


class _Bar:
    """A progress bar of tqdm, if it is installed."""

    def __init__(self) -> None:
        self._bar: Any = None
        try:
            from tqdm.auto import tqdm  # type: ignore[import-untyped]
        except ImportError:
            return
        self._bar = tqdm(total=0, unit="window", delay=_SHORT, leave=False, disable=None)

    def __call__(self, done: int, steps: int) -> None:
        if self._bar is not None:
            self._bar.total = steps
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()


__all__ = ["stream"]
