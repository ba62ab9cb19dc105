"""The counterpart of NumPy's `lib.stride_tricks`, which libraries use for windows."""

from types import SimpleNamespace

from ._padding import sliding_window_view

stride_tricks = SimpleNamespace(sliding_window_view=sliding_window_view)

__all__ = ["stride_tricks"]
