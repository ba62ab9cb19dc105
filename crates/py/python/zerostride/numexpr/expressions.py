"""`E`: expressions built from names and operators, each with its text."""

from __future__ import annotations

from typing import Any

import numpy as np


class ExpressionNode:
    """An expression, with its text in the expression language."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        raise TypeError("You can't use Python's standard boolean operators in NumExpr expressions; use '&' and '|'")


class ConstantNode(ExpressionNode):
    """A number."""

    def __init__(self, value: Any) -> None:
        self.value = value
        kinds = {"b": "bool", "i": "int", "u": "int", "f": "double"}
        array = np.asarray(value)
        self.astKind = "float" if array.dtype == np.float32 else kinds.get(array.dtype.kind, "complex")
        super().__init__(repr(array.item()))


def node(value: Any) -> ExpressionNode:
    """Converts an operand to an expression."""
    return value if isinstance(value, ExpressionNode) else ConstantNode(value)


def _set_operators() -> None:
    binary = {
        "add": "+",
        "sub": "-",
        "mul": "*",
        "truediv": "/",
        "floordiv": "//",
        "mod": "%",
        "pow": "**",
        "and": "&",
        "or": "|",
        "xor": "^",
        "lshift": "<<",
        "rshift": ">>",
        "lt": "<",
        "le": "<=",
        "gt": ">",
        "ge": ">=",
        "eq": "==",
        "ne": "!=",
    }
    for name, symbol in binary.items():

        def left(self: ExpressionNode, other: Any, symbol: str = symbol) -> ExpressionNode:
            return ExpressionNode(f"({self.text} {symbol} {node(other).text})")

        def right(self: ExpressionNode, other: Any, symbol: str = symbol) -> ExpressionNode:
            return ExpressionNode(f"({node(other).text} {symbol} {self.text})")

        setattr(ExpressionNode, f"__{name}__", left)
        setattr(ExpressionNode, f"__r{name}__", right)
    for name, symbol in {"neg": "-", "pos": "+", "invert": "~"}.items():

        def alone(self: ExpressionNode, symbol: str = symbol) -> ExpressionNode:
            return ExpressionNode(f"({symbol}{self.text})")

        setattr(ExpressionNode, f"__{name}__", alone)


_set_operators()


class _Names:
    def __getattr__(self, name: str) -> ExpressionNode:
        if name.startswith("_"):
            raise AttributeError(name)
        return ExpressionNode(name)


E = _Names()
