"""numexpr's settings. The number of threads is stored, but has no effect on the GPU."""

from __future__ import annotations

import os

use_vml = False


def _whole(name: str) -> int | None:
    text = os.environ.get(name, "")
    return int(text) if text else None


#: The most threads that numexpr would start.
MAX_THREADS = _whole("NUMEXPR_MAX_THREADS") or 16


def _init_num_threads() -> int:
    """The number of threads that numexpr would start with."""
    wanted = _whole("NUMEXPR_NUM_THREADS") or _whole("OMP_NUM_THREADS") or os.cpu_count() or 1
    return min(wanted, MAX_THREADS)


_threads = _init_num_threads()


def detect_number_of_cores() -> int:
    """The number of processors of this machine."""
    return os.cpu_count() or 1


def detect_number_of_threads() -> int:
    """The number of processors of this machine."""
    return detect_number_of_cores()


def get_num_threads() -> int:
    """The number of threads that was set."""
    return _threads


def set_num_threads(nthreads: int) -> int:
    """Stores the number of threads, which has no effect, and returns the previous one."""
    global _threads
    if nthreads < 1:
        raise ValueError("the number of threads must be at least 1")
    before, _threads = _threads, nthreads
    return before


def get_vml_version() -> None:
    """No vector library is used."""
    return None


def set_vml_accuracy_mode(mode: str | None) -> None:
    """No vector library is used."""
    return None


def set_vml_num_threads(nthreads: int) -> None:
    """No vector library is used."""
    return None


def get_vml_num_threads() -> None:
    """No vector library is used."""
    return None
