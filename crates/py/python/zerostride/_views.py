"""What is set in an array that NumPy would have made as a view: users are told that no other array changes."""

from __future__ import annotations

import dis
import sys
import types
import weakref
from typing import TYPE_CHECKING

from ._warnings import users_frame, warn

if TYPE_CHECKING:
    from ._array import Array

_SAID = (
    "arrays of zerostride are values: this one was made of another, where NumPy has a view of it, and the other one stays "
    "as it was; set the other one itself, as in a[0, 1] = 5, or a .copy() where it is not meant"
)


def view(source: Array, made: Array) -> Array:
    """An array that NumPy would have made as a view of another. It knows those that are still there."""
    made._sources = (weakref.ref(source), *(ref for ref in source._sources if ref() is not None))
    return made


def reshaped(source: Array, made: Array) -> Array:
    """Of what is a view itself NumPy's `reshape` may be a copy."""
    return made if source._sources else view(source, made)


def warn_of_set(array: Array) -> None:
    """To be called before elements of an array are set: users are told once of each array whose source is there."""
    is_there = any(ref() is not None for ref in array._sources)
    array._sources = ()
    if is_there:
        warn(_SAID)


def warn_of_replaced(array: Array) -> None:
    """The same before an operator as `+=` replaces its elements. `a[0] += 1` puts the result back into `a`: only where it is
    stored under a name no other array changes.
    """
    if array._sources and _is_stored_by_name(users_frame(sys._getframe())):
        warn_of_set(array)


#: The instructions of a function's code by their places, of a few functions.
_codes: weakref.WeakKeyDictionary[types.CodeType, dict[int, bool]] = weakref.WeakKeyDictionary()
_NAMES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


def _is_stored_by_name(frame: types.FrameType | None) -> bool:
    """Whether a frame is at an operator whose result it stores under a name."""
    if frame is None:
        return False
    code = frame.f_code
    known = _codes.get(code)
    if known is None:
        # A store that follows an operator at once, whatever an interpreter calls the operator.
        known, last = {}, None
        for instruction in dis.get_instructions(code):
            if last is not None:
                known[last] = instruction.opname.startswith(_NAMES)
            last = instruction.offset if instruction.opname == "BINARY_OP" else None
        _codes[code] = known
    return known.get(frame.f_lasti, False)
