"""Views as texts: what stands behind an operand of a given shape, and how it is written."""

import numpy as np

from . import shapes


class View:
    """A source's shape, the view's text around the source's, and the view of an array. `atom`: whether the text of the
    source must bind as tightly as a name."""

    def __init__(self, source, text, apply, atom):
        self.source, self.text, self.apply, self.atom = source, text, apply, atom


def behind(draw, shape):
    """A random view whose result has this shape."""
    makers = [sliced, sliced, sliced, permuted, permuted, transposed, broadcast, expanded]
    makers += [unsqueezed] * 2 if 1 in shape else []
    makers += [squeezed] if len(shape) < 12 else []
    view = draw.one(makers)(draw, shape)
    found = view.apply(np.broadcast_to(np.int8(0), view.source)).shape
    assert found == shape, (found, shape, view.text("x"))
    return view


def tuple_of(draw, items):
    """A list of numbers as a tuple, or a list."""
    inner = ", ".join(map(str, items))
    if draw.chance(0.2):
        return f"[{inner}]"
    return f"({inner},)" if len(items) == 1 else f"({inner})"


def from_end(draw, axis, rank):
    return axis - rank if draw.chance(0.3) else axis


def transposed(draw, shape):
    form = draw.one(["{}.T", "{}.T", "{}.T", "transpose({})", "{}.transpose()", "np.transpose({})"])
    return View(shape[::-1], form.format, np.transpose, form.startswith("{"))


def permuted(draw, shape):
    rank = len(shape)
    axes = draw.choice.sample(range(rank), rank)
    source = [0] * rank
    for axis, extent in zip(axes, shape):
        source[axis] = extent
    named = [from_end(draw, a, rank) for a in axes]
    listed, loose = tuple_of(draw, named), ", ".join(map(str, named))
    forms = [f"transpose({{}}, {listed})", f"transpose({{}}, axes={listed})", f"{{}}.transpose({listed})"]
    forms += [f"{{}}.transpose({loose})"] if rank else []
    form = draw.one(forms)
    return View(tuple(source), form.format, lambda x: np.transpose(x, axes), form.startswith("{"))


def unsqueezed(draw, shape):
    axis = draw.one([k for k, e in enumerate(shape) if e == 1])
    named = from_end(draw, axis, len(shape))
    form = draw.one([f"expand_dims({{}}, {named})", f"expand_dims({{}}, axis={named})"])
    return View(shape[:axis] + shape[axis + 1 :], form.format, lambda x: np.expand_dims(x, axis), False)


def squeezed(draw, shape):
    axis = draw.upto(0, len(shape))
    named = from_end(draw, axis, len(shape) + 1)
    form = draw.one([f"squeeze({{}}, {named})", f"squeeze({{}}, axis={named})", f"{{}}.squeeze({named})"])
    source = (*shape[:axis], 1, *shape[axis:])
    return View(source, form.format, lambda x: np.squeeze(x, axis), form.startswith("{"))


def broadcast(draw, shape):
    source = shapes.operand(draw, shape)
    target = str(shape[0]) if len(shape) == 1 and draw.chance(0.3) else tuple_of(draw, shape)
    form = draw.one([f"broadcast_to({{}}, {target})", f"np.broadcast_to({{}}, shape={target})"])
    return View(source, form.format, lambda x: np.broadcast_to(x, shape), False)


def expanded(draw, shape):
    """ONNX's Expand: the target and the operand are merged."""
    source, target = shapes.operands(draw, shape, 2)
    merged = lambda x: np.broadcast_to(x, np.broadcast_shapes(x.shape, target))
    return View(source, f"expand({{}}, {tuple_of(draw, target)})".format, merged, False)


def sliced(draw, shape):
    """Basic indexing: ranges, positions, new axes, an ellipsis."""
    source, items, texts = [], [], []
    # How much larger than the view its source may be.
    room = max(2.0, 200 / max(1, shapes.count(e for e in shape if e)))

    def position():
        nonlocal room
        extent = draw.upto(1, 3)
        if extent <= room and len(source) < 12:
            index = draw.upto(-extent, extent - 1)
            source.append(extent)
            items.append(index)
            texts.append(str(index))
            room /= extent

    for extent in shape:
        while draw.chance(0.08):
            position()
        if extent == 1 and draw.chance(0.35):
            items.append(None)
            texts.append(draw.one(["None", "None", "np.newaxis"]))
        elif draw.chance(0.3):
            source.append(extent)
            items.append(slice(None))
            texts.append(":")
        else:
            full, item, text = part(draw, extent, room)
            source.append(full)
            items.append(item)
            texts.append(text)
            room /= max(full, 1) / max(extent, 1)
    while draw.chance(0.08):
        position()
    texts = shortened(draw, texts, [i == slice(None) for i in items])
    inner = ", ".join(texts) + ("," if draw.chance(0.05) else "")
    index = (*items, Ellipsis)
    return View(tuple(source), f"{{}}[{inner}]".format, lambda x: x[index], True)


def shortened(draw, texts, whole):
    """Whole axes at the end left out, or a run of them as an ellipsis."""
    if draw.chance(0.5):
        while len(texts) > 1 and whole[-1]:
            texts, whole = texts[:-1], whole[:-1]
        if texts:
            return texts
    if draw.chance(0.4) or not texts:
        start = end = draw.upto(0, len(texts))
        while end < len(texts) and whole[end]:
            end += 1
        return [*texts[:start], "...", *texts[end:]]
    return texts


def part(draw, extent, room):
    """`extent` positions of an axis that is at most `room` times as long: its length, the slice and its text."""
    step = draw.one([1, 1, 1, 1, -1, -1, -1, 2, -2, 3, -3])
    if extent == 0:
        full = draw.upto(0, int(min(room, 3)))
        start = draw.upto(0, full)
        stop = draw.upto(0, start) if step > 0 else draw.upto(start, full)
        item = slice(start, stop, step)
        return full, item, written(draw, start, stop, step)
    span = (extent - 1) * abs(step) + 1
    if span > room * extent:
        step, span = (1 if step > 0 else -1), extent
    ends = draw.one([0, 0, 1, 2]), draw.one([0, 0, 1, 2])
    lead, trail = ends if span + sum(ends) <= room * extent else (0, 0)
    full = lead + span + trail
    first, last = (lead, lead + span - 1) if step > 0 else (lead + span - 1, lead)
    start = {first, first - full}
    if first == (0 if step > 0 else full - 1):
        start |= {None, -full - 3 if step > 0 else full + 5}
    # Any stop between the last position and the one that would follow.
    beyond = last + step
    stops = range(last + 1, beyond + 1) if step > 0 else range(beyond, last)
    stop = set()
    for s in stops:
        if 0 <= s < full:
            stop |= {s, s - full}
        else:
            stop |= {None, full + 3, full} if step > 0 else {None, -full - 1, -full - 4}
    order = lambda v: (v is not None, v or 0)
    start, stop = draw.one(sorted(start, key=order)), draw.one(sorted(stop, key=order))
    return full, slice(start, stop, step), written(draw, start, stop, step)


def written(draw, start, stop, step):
    show = lambda v: "" if v is None else str(v)
    tail = f":{step}" if step != 1 or draw.chance(0.1) else ":" if draw.chance(0.1) else ""
    return f"{show(start)}:{show(stop)}{tail}"
