"""Warnings about setting elements of an array that NumPy would make as a view: here no other array changes."""

from __future__ import annotations

import dis
import gc
import inspect
import sys
import types
import weakref
from typing import TYPE_CHECKING

from ._warnings import users_frame, warn

if TYPE_CHECKING:
    from ._array import Array

_SAID = (
    "zerostride arrays are values: in NumPy this array would be a view, and setting its elements would change another array, "
    "which does not change here; set elements of the other array, as in a[0, 1] = 5, or of a .copy() if that is not meant"
)


def view(source: Array, made: Array) -> Array:
    """Marks an array that would be a view of `source` in NumPy. It refers weakly to all sources that still exist."""
    made._sources = (weakref.ref(source), *(ref for ref in source._sources if ref() is not None))
    return made


def reshaped(source: Array, made: Array) -> Array:
    """Like `view`, unless the source is a view itself, of which NumPy's `reshape` may be a copy."""
    return made if source._sources else view(source, made)


def warn_of_set(array: Array) -> None:
    """Warns, once per array, if a source of it still exists. Must be called before its elements are set."""
    is_there = any(ref() is not None for ref in array._sources)
    array._sources = ()
    if is_there:
        warn(_SAID)


def warn_of_replaced(array: Array) -> None:
    """Like `warn_of_set`, before an operator as `+=` replaces the elements. `a[0] += 1` stores the result back into `a`, so
    this warns only if the result is stored under a name, or as an attribute that held the array itself.
    """
    if array._sources:
        stored = _stored(users_frame(sys._getframe()))
        if stored is True or (isinstance(stored, str) and _is_attribute(array, stored)):
            warn_of_set(array)


#: For some functions: how the result of each operator is stored, by the operator's offset.
_codes: weakref.WeakKeyDictionary[types.CodeType, dict[int, bool | str]] = weakref.WeakKeyDictionary()
_NAMES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


def _stored(frame: types.FrameType | None) -> bool | str:
    """Whether the operator at which a frame is stores its result under a name; an attribute's name if it stores it there."""
    if frame is None:
        return False
    code = frame.f_code
    known = _codes.get(code)
    if known is None:
        # A store that follows an operator at once, whatever an interpreter calls the operator.
        known, last = {}, None
        for instruction in dis.get_instructions(code):
            name = instruction.opname
            if last is not None and name != "SWAP":
                known[last] = instruction.argval if name == "STORE_ATTR" else name.startswith(_NAMES)
            if name != "SWAP":
                last = instruction.offset if name == "BINARY_OP" else None
        _codes[code] = known
    return known.get(frame.f_lasti, False)


def _is_attribute(array: Array, name: str) -> bool:
    """Whether some object holds the array itself as an attribute; a property may store its result back instead."""
    if all(ref() is None for ref in array._sources):
        return False
    for holder in gc.get_referrers(array):
        # A dictionary is that of an object, a class or a module.
        found = holder.get(name) if type(holder) is dict else inspect.getattr_static(holder, name, None)
        if isinstance(found, types.MemberDescriptorType):
            found = getattr(holder, name, None)
        if found is array:
            return True
    return False
