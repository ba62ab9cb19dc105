"""Warnings that point to the user's line."""

from __future__ import annotations

import os
import sys
import types
import warnings

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep


def users_frame(frame: types.FrameType | None) -> types.FrameType | None:
    """The first frame outside of this package, from `frame` outwards."""
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    return frame


def warn(message: str) -> None:
    """Issues a `RuntimeWarning` at the first line outside of this package, where Python's filters show it once."""
    level = 1
    frame: types.FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        level += 1
        frame = frame.f_back
    warnings.warn(message, RuntimeWarning, stacklevel=level)
