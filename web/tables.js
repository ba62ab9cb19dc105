// The tables of aligned shapes and of strides.

function row(table, name, cells, kind) {
  const tr = table.insertRow();
  if (kind) tr.className = kind;
  const th = document.createElement("th");
  th.scope = "row";
  th.textContent = name;
  tr.append(th);
  for (const { text, kind, title, span } of cells) {
    const td = tr.insertCell();
    if (span) td.colSpan = span;
    td.textContent = text;
    if (kind) td.className = kind;
    if (title) td.title = title;
  }
}

// Shows operands as NumPy's manual does: aligned with the axes of the result, broadcast axes highlighted.
export function showShapes(table, description) {
  table.replaceChildren();
  const { shape, operands, dtype } = description;
  for (const { name, dtype, aligned, shape: own } of operands) {
    if (!aligned) {
      row(table, `${name}  ${dtype}`, [{ text: `[${own.join(", ")}], not aligned by the rule`, kind: "none own", span: Math.max(shape.length, 1) }]);
      continue;
    }
    const cells = aligned.map((extent, axis) => {
      if (extent === null) return { text: "", kind: "none", title: "missing axis: repeated" };
      const repeated = extent !== shape[axis];
      return { text: extent, kind: repeated ? "zero" : "", title: repeated ? `repeated ${shape[axis]} times` : "" };
    });
    row(table, `${name}  ${dtype}`, cells);
  }
  row(table, `result  ${dtype}`, shape.map((text) => ({ text })), "result");
}

// Shows the strides of each operand along the axes of the result.
export function showStrides(table, description) {
  table.replaceChildren();
  const { shape, operands } = description;
  for (const { name, strides, aligned, offset } of operands) {
    if (!strides) {
      row(table, name, [{ text: "each step has its own strides", kind: "none own", span: Math.max(shape.length, 1) }]);
      continue;
    }
    const cells = strides.map((stride, axis) => {
      const broadcast = shape[axis] > 1 && stride === 0;
      return { text: stride, kind: broadcast ? "zero" : aligned?.[axis] === null ? "none" : "" };
    });
    row(table, offset ? `${name} from ${offset}` : name, cells);
  }
  const own = new Array(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis--) own[axis] = own[axis + 1] * shape[axis + 1];
  row(table, "result", own.map((text) => ({ text })), "result");
}
