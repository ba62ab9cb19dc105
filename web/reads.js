// Which elements of the operands an element of the result is computed of: the steps of a plan, walked back.

import { indices, offset, product } from "./places.js";

// Elements of all steps that are walked at most.
const MOST = 20_000;

// All indices that agree with `at` off the axes of `free`, where they go over these [from, to) of each axis.
function* boxes(at, free) {
  const [first, ...rest] = free;
  if (!first) return yield at;
  const [axis, from, to] = first;
  for (let i = from; i < to; i++) yield* boxes(at.with(axis, i), rest);
}

// The indices of operand `k` that element `at` of a step takes.
function* taken(step, k, at) {
  const { work, operands, shape } = step;
  const own = operands[k].shape;
  if (work === "fold") {
    const full = [...at];
    for (const axis of step.axes) full.splice(axis, 0, 0);
    yield* boxes(full, step.axes.map((axis) => [axis, 0, own[axis]]));
  } else if (work === "scan") {
    const { axis, reverse, exclusive } = step;
    const here = at[axis];
    const range = reverse ? [here + exclusive, own[axis]] : [0, here + 1 - exclusive];
    yield* boxes(at, [[axis, ...range]]);
  } else if (work === "product") {
    const inner = k === 0 ? own.length - 1 : own.length - 2;
    yield* boxes(at, [[inner, 0, own[inner]]]);
  } else if (work === "take") {
    const { axis } = step;
    const count = operands[1].shape.length;
    if (k === 1) yield at.slice(axis, axis + count);
    else yield* boxes([...at.slice(0, axis), 0, ...at.slice(axis + count)], [[axis, 0, own[axis]]]);
  } else if (work === "join") {
    const place = at.reduce((n, i, axis) => n * shape[axis] + i, 0);
    for (let e = 0; e < product(own); e++) {
      const there = indices(e, own);
      if (offset(step.places[k], there) === place) yield there;
    }
  } else {
    yield at;
  }
}

// For each slot the offsets of the elements that the result's element at this place is computed of; nothing if they are
// too many to be walked.
export function reads(steps, place) {
  const found = new Map();
  const wanted = steps.map(() => new Set());
  wanted.at(-1)?.add(place);
  let walked = 0;
  for (let s = steps.length - 1; s >= 0; s--) {
    const step = steps[s];
    for (const element of wanted[s]) {
      const at = indices(element, step.shape);
      for (const [k, operand] of step.operands.entries()) {
        const { slot, step: earlier } = operand;
        if (slot === undefined && earlier === undefined) continue;
        if (slot !== undefined && !found.has(slot)) found.set(slot, new Set());
        const to = slot === undefined ? wanted[earlier] : found.get(slot);
        for (const there of taken(step, k, at)) {
          if (++walked > MOST) return undefined;
          to.add(offset(operand, there));
        }
      }
    }
  }
  return found;
}
