"""`numpy.einsum`: products of several arrays, summed along axes that a string names."""

from __future__ import annotations

import string
from typing import Any

from ._array import Array
from ._elementwise import array
from ._manipulation import permute_dims, reshape
from ._statistics import matmul
from ._statistics import sum as summed


def einsum(subscripts: str, *operands: Any, **options: Any) -> Array:
    """Sums of products by subscripts, as `ij,jk->ik`. Matrix products join two arrays at a time, in order."""
    if not isinstance(subscripts, str):
        raise TypeError("the subscripts of einsum must be a string, as 'ij,jk->ik'")
    unknown = options.keys() - {"optimize"}
    if unknown:
        raise TypeError(f"the parameter {min(unknown)} of numpy.einsum is not supported for zerostride arrays")
    arrays = [array(x) for x in operands]
    names, result = _axes(subscripts.replace(" ", ""), [x.ndim for x in arrays])
    extents: dict[str, int] = {}
    for own, x in zip(names, arrays, strict=True):
        for name, extent in zip(own, x.shape, strict=True):
            known = extents.setdefault(name, extent)
            if known == 1:
                extents[name] = extent
            elif extent not in (1, known):
                raise ValueError(f"einsum: axis {_shown(name)} has extents {known} and {extent}")
    terms = [_without_twins(own, x) for own, x in zip(names, arrays, strict=True)]
    own, x = terms[0]
    for n, (other, y) in enumerate(terms[1:], 1):
        later = set(result).union(*(names for names, _ in terms[n + 1 :]))
        own, x = _joined((own, x), (other, y), later)
    own, x = _dropped(own, x, set(result))
    return permute_dims(x, tuple(own.index(name) for name in result))


Term = tuple[str, Array]


def _shown(name: str) -> str:
    return name if name in string.ascii_letters else "..."


def _axes(text: str, ranks: list[int]) -> tuple[list[str], str]:
    """Returns a letter for each axis of each operand, and of the result. Axes of `...` get characters from U+0100 on."""
    inputs, arrow, output = text.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(ranks):
        raise ValueError(f"einsum: {text!r} names {len(parts)} operands, but {len(ranks)} were given")
    wildcards = [chr(0x100 + n) for n in range(max(ranks, default=0))]

    def spelled(part: str, rank: int) -> str:
        letters = part.replace("...", "", 1)
        if not all(c in string.ascii_letters for c in letters):
            raise ValueError(f"einsum: {part!r} is not a list of letters")
        more = rank - len(letters)
        if more < 0 or (more and "..." not in part):
            raise ValueError(f"einsum: {part!r} names {len(letters)} axes, but the operand has {rank}")
        return part.replace("...", "".join(wildcards[len(wildcards) - more :]), 1)

    names = [spelled(part, rank) for part, rank in zip(parts, ranks, strict=True)]
    every = "".join(names)
    widest = max((sum(c in wildcards for c in own) for own in names), default=0)
    more = "".join(wildcards[len(wildcards) - widest :])
    if not arrow:
        return names, more + "".join(sorted(c for c in set(every) if c not in wildcards and every.count(c) == 1))
    result = output.replace("...", more, 1)
    for name in result:
        if name not in every or result.count(name) > 1:
            raise ValueError(f"einsum: {_shown(name)} of the result appears {'twice' if name in every else 'in no operand'}")
    return names, result


def _without_twins(own: str, x: Array) -> Term:
    """Replaces axes of the same name by their diagonal."""
    for name in set(own):
        while own.count(name) > 1:
            first, second = own.index(name), own.index(name, own.index(name) + 1)
            order = [a for a in range(x.ndim) if a not in (first, second)]
            n = x.shape[first]
            rest = tuple(x.shape[a] for a in order)
            # Elements of the diagonal lie n + 1 apart.
            flat = reshape(permute_dims(x, (*order, first, second)), (*rest, n * n))
            x = flat[(..., slice(None, None, n + 1))]
            own = "".join(own[a] for a in order) + name
    return own, x


def _dropped(own: str, x: Array, kept: set[str]) -> Term:
    """Sums along the axes that are not kept."""
    gone = tuple(a for a, name in enumerate(own) if name not in kept)
    if not gone:
        return own, x
    return "".join(name for name in own if name in kept), summed(x, axis=gone, dtype=x.dtype)


def _joined(left: Term, right: Term, later: set[str]) -> Term:
    """The product of two terms, summed along the axes that no later term has."""
    (a, x), (b, y) = _dropped(*left, later | set(right[0])), _dropped(*right, later | set(left[0]))
    both = [name for name in a if name in b]
    batch = "".join(name for name in both if name in later)
    inner = "".join(name for name in both if name not in later)
    rows = "".join(name for name in a if name not in b)
    columns = "".join(name for name in b if name not in a)

    def placed(own: str, of: Array, order: str, groups: list[str]) -> Array:
        of = permute_dims(of, tuple(own.index(name) for name in order))
        extents = dict(zip(order, of.shape, strict=True))
        return reshape(of, tuple(_product(extents[name] for name in group) for group in groups))

    # An axis of extent 1 that is broadcast is no axis of a matrix.
    x_extent, y_extent = dict(zip(a, x.shape, strict=True)), dict(zip(b, y.shape, strict=True))
    if any(x_extent[name] != y_extent[name] for name in both):
        names = batch + inner + rows + columns
        wide = [
            reshape(permute_dims(of, tuple(own.index(n) for n in names if n in own)),
                    tuple(extent.get(n, 1) for n in names))
            for own, of, extent in ((a, x, x_extent), (b, y, y_extent))
        ]
        return _dropped(names, wide[0] * wide[1], later)
    p = placed(a, x, batch + rows + inner, [*batch, rows, inner])
    q = placed(b, y, batch + inner + columns, [*batch, inner, columns])
    product = matmul(p, q)
    shape = tuple(x_extent[n] for n in batch + rows) + tuple(y_extent[n] for n in columns)
    return batch + rows + columns, reshape(product, shape)


def _product(extents: Any) -> int:
    whole = 1
    for extent in extents:
        whole *= extent
    return whole
