// Examples: one for each rule of the standards, and some that people write.

export const RULES = {
  numpy: "NumPy's rule, ONNX's multidirectional one, SONNX's Broadcast: shapes are aligned at the right; an extent of 1 is broadcast to any.",
  unidirectional: "ONNX's unidirectional rule: the other operands are broadcast to the shape of the first.",
  none: "None: all shapes must be equal.",
  pdpd: "PDPD: the second operand starts at an axis of the first, by default so that both end together.",
  "pdpd:1": "PDPD with axis 1: the second operand starts at axis 1 of the first.",
};

// Rules of functions that have their own.
const CALLS = {
  expand: "Bidirectional, ONNX's Expand: x and the shape are broadcast to each other, so the result may be larger than the shape.",
  broadcast_to: "To a shape: x is broadcast to exactly this shape.",
};

// Describes the rule by which an expression aligns its operands.
export function ruleSays(text, rule) {
  const call = /\b(expand|broadcast_to)\s*\(/.exec(text);
  return call ? CALLS[call[1]] : RULES[rule];
}

export const PRESETS = [
  { name: "row", text: "x + y", operands: "x=f32[5,8] y=f32[8]", rule: "numpy" },
  { name: "outer", text: "x * y", operands: "x=f32[8,1] y=f32[1,12]", rule: "numpy" },
  { name: "both ways", text: "x - y", operands: "x=f32[3,1,6] y=f32[4,1]", rule: "numpy" },
  { name: "scalar", text: "x * y", operands: "x=f32[2,3,5] y=f32[]", rule: "numpy" },
  { name: "unidirectional", text: "add(x, y)", operands: "x=f32[2,4,6] y=f32[4,1]", rule: "unidirectional" },
  { name: "bidirectional", text: "expand(x, (2, 3, 1))", operands: "x=f32[3,5]", rule: "numpy" },
  { name: "none", text: "maximum(x, y)", operands: "x=f32[4,6] y=f32[4,6]", rule: "none" },
  { name: "pdpd", text: "add(x, y)", operands: "x=f32[2,3,6] y=f32[3,6]", rule: "pdpd" },
  { name: "channels", text: "add(x, bias)", operands: "x=f32[2,3,4,5] bias=f32[3]", rule: "pdpd:1" },
  { name: "to a shape", text: "broadcast_to(x, (3, 4, 6))", operands: "x=f32[4,1]", rule: "numpy" },
  { name: "normalise", text: "(x - mean) / std * gamma + beta", operands: "x=f32[6,10] mean=f32[6,1] std=f32[6,1] gamma=f32[10] beta=f32[10]", rule: "numpy" },
  { name: "transposed", text: "x + y.T", operands: "x=f32[5,8] y=f32[8,5]", rule: "numpy" },
  { name: "waves", text: "sin(x * 6) * cos(y * 9) + hypot(x - 1, y - 1)", operands: "x=f32[1,240] y=f32[160,1]", rule: "numpy" },
  { name: "softmax", text: "e = exp(x - x.max(axis=-1, keepdims=True)); e / e.sum(axis=-1, keepdims=True)", operands: "x=f32[6,16]", rule: "numpy" },
  { name: "product", text: "x @ y", operands: "x=f32[6,8] y=f32[8,10]", rule: "numpy" },
];
