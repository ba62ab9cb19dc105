"""numexpr's checks of an expression before it is computed."""

from __future__ import annotations

import re
from typing import Any

from .. import _evaluate

_BOOLEAN = re.compile(r"\b(and|or|not)\b")


def check(text: str) -> None:
    """Raises numexpr's error for Python's own boolean operators."""
    if _BOOLEAN.search(text):
        raise TypeError("You can't use Python's standard boolean operators in NumExpr expressions; use '&' and '|'")


def getExprNames(text: str, context: Any, sanitize: bool = True) -> tuple[list[str], bool]:
    """The names of an expression's operands, and False, since no vector library is used."""
    return sorted(_evaluate.program(text, True).names), False
