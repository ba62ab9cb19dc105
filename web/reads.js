// Finds the elements of the operands from which an element of the result is computed: walks a plan's steps backwards.

import { indices, offset, product } from "./places.js";

// The largest number of elements of all steps to walk.
const MOST = 20_000;

// All indices that equal `at` except along the axes of `free`, each [axis, from, to], where they go from `from` to `to`.
function* boxes(at, free) {
  const [first, ...rest] = free;
  if (!first) return yield at;
  const [axis, from, to] = first;
  for (let i = from; i < to; i++) yield* boxes(at.with(axis, i), rest);
}

// The indices of the elements of operand `k` that element `at` of a step reads.
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
  } else if (work === "search" && k === 0) {
    yield* boxes([0], [[0, 0, own[0]]]);
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

// For each slot, the offsets of the elements from which the result's element at this position is computed; undefined if too
// many would have to be walked.
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
