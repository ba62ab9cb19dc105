// Grids of elements: one of the result, one of each operand. The element under the pointer lights the elements that it reads.

import { indices, offset, product } from "./places.js";
import { reads } from "./reads.js";

// The largest numbers of elements that are drawn, of an array and along an axis.
const MOST = 600;
const LONGEST = 24;

// A figure of one array: a slice for each index of its outer axes. `cells` maps positions to cells.
function figure(title, shape, interactive) {
  const element = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = `${title} [${shape.join(", ")}]`;
  element.append(caption);
  const columns = shape.at(-1) ?? 1;
  const rows = shape.at(-2) ?? 1;
  const cells = new Map();
  const drawn = { columns: Math.min(columns, LONGEST), rows: Math.min(rows, LONGEST) };
  const slices = product(shape.slice(0, -2));
  for (let s = 0; s < slices && cells.size < MOST; s++) {
    const slice = document.createElement("div");
    slice.className = "slice";
    slice.style.gridTemplateColumns = `repeat(${drawn.columns}, max-content)`;
    for (let r = 0; r < drawn.rows; r++) {
      for (let c = 0; c < drawn.columns; c++) {
        const place = (s * rows + r) * columns + c;
        const cell = document.createElement(interactive ? "button" : "span");
        if (interactive) {
          cell.type = "button";
          cell.tabIndex = -1;
          cell.dataset.place = place;
          cell.setAttribute("aria-label", `element ${indices(place, shape).join(", ")}`);
        }
        cells.set(place, cell);
        slice.append(cell);
      }
    }
    element.append(slice);
  }
  if (cells.size < product(shape)) caption.textContent += `, the first ${cells.size}`;
  return { element, cells };
}

// Draws the grids of a plan's description. `say` gets a sentence on the elements that an element reads.
export function showGrids(container, description, say) {
  container.replaceChildren();
  const { shape, operands, steps } = description;
  if (product(shape) === 0) return say("The result has no elements.");
  const aligned = operands.every((o) => o.strides);
  const result = figure("result", shape, true);
  container.append(result.element);
  const others = operands.map((o) => ({ ...o, ...figure(o.name, o.shape, false) }));
  others.forEach((o) => container.append(o.element));

  let lit = [];
  let current = 0;
  const light = (place) => {
    lit.forEach((cell) => (cell.className = ""));
    lit = [];
    const add = (cell, kind) => {
      if (!cell) return;
      cell.className = kind;
      lit.push(cell);
    };
    current = place;
    const at = indices(place, shape);
    // Elements of the result that read the same element of an operand.
    if (aligned) {
      const offsets = others.map((o) => offset(o, at));
      for (const [other, cell] of result.cells) {
        const there = indices(other, shape);
        const shared = (o, i) => product(o.shape) < product(shape) && offset(o, there) === offsets[i];
        if (others.some(shared)) add(cell, "again");
      }
    }
    const shares = lit.length > 0 ? " Paler elements read one of them too." : "";
    const found = reads(steps, place);
    const words = others.map((o, slot) => {
      const all = [...(found?.get(slot) ?? [])];
      all.forEach((n) => add(o.cells.get(n), "at"));
      if (all.length === 0) return `no element of ${o.name}`;
      return all.length > 1 ? `${all.length} elements of ${o.name}` : `${o.name}[${indices(all[0], o.shape).join(", ")}] at offset ${all[0]}`;
    });
    say(found ? `result[${at.join(", ")}] reads ${words.join(", ") || "no operand"}.${shares}` : `result[${at.join(", ")}] reads more elements than are drawn.`);
    add(result.cells.get(place), "at");
  };
  const focus = (place) => {
    const cell = result.cells.get(place);
    if (!cell) return;
    result.cells.get(current).tabIndex = -1;
    cell.tabIndex = 0;
    light(place);
    cell.focus();
  };
  result.cells.get(0).tabIndex = 0;
  result.element.addEventListener("pointerover", (event) => {
    if (event.target.dataset.place) light(Number(event.target.dataset.place));
  });
  result.element.addEventListener("focusin", (event) => {
    if (event.target.dataset.place) light(Number(event.target.dataset.place));
  });
  result.element.addEventListener("keydown", (event) => {
    const columns = shape.at(-1) ?? 1;
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    focus(current + step);
  });
}
