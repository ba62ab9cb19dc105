// ONNX models of float32 graphs, written as protocol buffers.

const varint = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...varint(n >>> 7)]);
const text = (s) => [...new TextEncoder().encode(s)];
const bytes = (field, body) => [...varint((field << 3) | 2), ...varint(body.length), ...body];
const number = (field, n) => [...varint(field << 3), ...varint(n)];
const OPSET = 21;

function value(name, shape) {
  const dims = shape === null ? [] : bytes(2, shape.flatMap((n) => bytes(1, number(1, n))));
  // A tensor of floats.
  return [...bytes(1, text(name)), ...bytes(2, bytes(1, [...number(1, 1), ...dims]))];
}

// `nodes`: operator, its operands, its result; `inputs`: shapes by name.
export function model(nodes, inputs, output) {
  const graph = [
    ...nodes.flatMap(([op, operands, result]) =>
      bytes(1, [...operands.flatMap((name) => bytes(1, text(name))), ...bytes(2, text(result)), ...bytes(4, text(op))])),
    ...bytes(2, text("graph")),
    ...Object.entries(inputs).flatMap(([name, shape]) => bytes(11, value(name, shape))),
    ...bytes(12, value(output, null)),
  ];
  return new Uint8Array([...number(1, 10), ...bytes(7, graph), ...bytes(8, number(2, OPSET))]);
}
