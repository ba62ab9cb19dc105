"""Which case a number stands for: so many expressions, steps, casts, views, promotions and folds in every forty."""

import sys

from . import expressions, fold_cases, folded, normalised, steps
from .dtypes import ALL
from .folds import REDUCTIONS, SCANS
from .values import Draw
from .watch import Reject

CYCLE = ["expression", "step", "step", "cast", "step", "step", "view", "step", "step", "expression"]
CYCLE += ["step", "step", "step", "cast", "step", "promotion", "step", "step", "expression", "step"]
# Kernels that fold take ten times as long to compile as others.
CYCLE += ["fold" if n == 7 else kind for n, kind in enumerate(CYCLE)]
# What a fold is.
FOLDS = ["reduction", "folded", "reduction", "normalised", "scan", "reduction", "folded", "reduction", "normalised"]


def kind_of(number, cycle):
    """What a case is, and which of its kind."""
    rounds, place = divmod(number, len(cycle))
    kind = cycle[place]
    return kind, rounds * cycle.count(kind) + cycle[:place].count(kind)


class Mixture:
    """The cases of one set of options: seed, subnormals, f64, shifts and folds."""

    def __init__(self, options):
        self.options, self.pairs = options, steps.pairs(options)
        self.reductions, self.scans = (fold_cases.pairs(options, folds) for folds in (REDUCTIONS, SCANS))
        # The attempt that was taken of the last expression.
        self.taken = None, 0

    def make(self, number):
        """The case of a number: its kind, inputs, expression and tolerance."""
        number, turn = divmod(number, self.options.again)
        if turn == 0:
            return self.turn(number, 0, 0)
        if self.taken[0] != number:
            self.turn(number, 0, 0)
        return self.turn(number, turn, self.taken[1])

    def turn(self, number, turn, attempt):
        """One turn of an expression."""
        kind, index = ("fold", number) if self.options.folds else kind_of(number, CYCLE)
        if kind == "fold":
            kind, index = kind_of(index, FOLDS)
        draw = Draw(self.options.seed, number, self.options.subnormals, turn, attempt)
        for _ in range(200):
            try:
                made = kind, *self.draw(draw, kind, index)
            except Reject:
                draw.again()
                continue
            if turn == 0:
                self.taken = number, draw.attempt
            return made
        sys.exit(f"expression {number}, turn {turn}: no draw fits")

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
        if kind == "folded":
            return folded.expression(draw, options)
        if kind == "normalised":
            return normalised.formula(draw, options, index)
        if kind == "scan" and index % 4 == 3:
            return fold_cases.named(draw, options)
        turn = lambda pairs: pairs[(index * 7919 + options.seed) % len(pairs)]
        if kind in ("reduction", "scan"):
            return fold_cases.single(draw, options, *turn(self.reductions if kind == "reduction" else self.scans))
        return steps.operator(draw, options, *turn(self.pairs))
