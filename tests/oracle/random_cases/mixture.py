"""Which case a number stands for: so many expressions, steps, casts, views and promotions in every twenty."""

import sys

from . import expressions, steps
from .dtypes import ALL
from .values import Draw
from .watch import Reject

CYCLE = ["expression", "step", "step", "cast", "step", "step", "view", "step", "step", "expression"]
CYCLE += ["step", "step", "step", "cast", "step", "promotion", "step", "step", "expression", "step"]


def kind_of(number):
    """What a case is, and which of its kind."""
    rounds, place = divmod(number, len(CYCLE))
    kind = CYCLE[place]
    return kind, rounds * CYCLE.count(kind) + CYCLE[:place].count(kind)


class Mixture:
    """The cases of one set of options: seed, subnormals, f64 and shifts."""

    def __init__(self, options):
        self.options, self.pairs = options, steps.pairs(options)

    def make(self, number):
        """The case of a number: its kind, inputs, expression and tolerance."""
        kind, index = kind_of(number)
        draw = Draw(self.options.seed, number, self.options.subnormals)
        for _ in range(200):
            try:
                return kind, *self.draw(draw, kind, index)
            except Reject:
                draw.again()
        sys.exit(f"case {number}: no draw fits")

    def draw(self, draw, kind, index):
        """One attempt at a case."""
        options = self.options
        if kind == "expression":
            return expressions.expression(draw, options)
        if kind == "cast":
            return steps.conversion(draw, options, *steps.CASTS[index % len(steps.CASTS)])
        if kind == "view":
            return steps.view(draw, options, ALL[index % len(ALL)])
        if kind == "promotion":
            return steps.promoted(draw, options)
        op, dtype = self.pairs[(index * 7919 + options.seed) % len(self.pairs)]
        return steps.operator(draw, options, op, dtype)
