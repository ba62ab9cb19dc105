"""What is set in an array that NumPy would have made as a view: users are told that no other array changes."""

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
    stored under a name, or as an attribute that held the array itself, no other array changes.
    """
    if array._sources:
        stored = _stored(users_frame(sys._getframe()))
        if stored is True or (isinstance(stored, str) and _is_attribute(array, stored)):
            warn_of_set(array)


#: How the results of a function's operators are stored, by the operators' places, of a few functions.
_codes: weakref.WeakKeyDictionary[types.CodeType, dict[int, bool | str]] = weakref.WeakKeyDictionary()
_NAMES = ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF")


def _stored(frame: types.FrameType | None) -> bool | str:
    """Whether a frame is at an operator whose result it stores under a name; the name of the attribute that it is stored as."""
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
    """Whether some object holds an array itself as an attribute: what a property gives may be put back by it."""
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
