"""What is noticed while a case is computed."""

import numpy as np

from . import dtypes


class Reject(Exception):
    """The case cannot be compared exactly; another is drawn."""


class Watch:
    """Remembers what makes a result hard to compare."""

    def __init__(self, subnormals):
        # Whether subnormals are wanted.
        self.subnormals = subnormals
        # A zero whose sign NumPy leaves open.
        self.open_zero = False
        # A float floor division whose quotient is too large to be exact.
        self.large_quotient = False

    def look(self, dtype, values):
        """Refuses subnormals where they are not wanted."""
        if not self.subnormals and dtypes.is_subnormal(dtype, values):
            raise Reject
        return values

    def zeros(self, a, b):
        """Of a zero and a zero of the other sign, either may be the larger."""
        if a.dtype.kind == "f" and a.size and b.size:
            both = (a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))
            self.open_zero |= bool(np.any(both))
