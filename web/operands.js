// The line of operands: `x=f32[5,8] y=f32[8]`.

import { ZerostrideError } from "./zerostride/zerostride.js";

const ARRAYS = {
  bool: Uint8Array, i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array,
  i64: BigInt64Array, u64: BigUint64Array, f16: Uint16Array, bf16: Uint16Array, f32: Float32Array, f64: Float64Array,
};

// Parses the line into operands by name.
export function parseOperands(line) {
  const operands = {};
  for (const part of line.match(/[^\s=]+\s*=\s*\w+\s*\[[^\]]*\]|\S+/g) ?? []) {
    const found = /^([A-Za-z_]\w*)\s*=\s*(\w+)\s*\[\s*([\d\s,]*)\]$/.exec(part);
    if (!found) throw new ZerostrideError({ code: "ARGUMENT", message: `\`${part}\`: write name=type[shape], as x=f32[5,8]` });
    const [, name, dtype, extents] = found;
    if (!(dtype in ARRAYS)) {
      throw new ZerostrideError({ code: "ARGUMENT", message: `\`${dtype}\` is not an element type; use ${Object.keys(ARRAYS).join(", ")}` });
    }
    if (name in operands) throw new ZerostrideError({ code: "ARGUMENT", message: `\`${name}\` is given twice` });
    const shape = extents.split(",").map((e) => e.trim()).filter((e) => e !== "").map(Number);
    operands[name] = { dtype, shape };
  }
  return operands;
}

// Returns a tensor for each operand: a ramp from 1/2 to 2, or small whole numbers.
export function ramps(zs, operands) {
  const tensors = {};
  for (const [name, { dtype, shape }] of Object.entries(operands)) {
    const size = shape.reduce((n, e) => n * e, 1);
    const last = Math.max(size - 1, 1);
    const float = ["f16", "bf16", "f32", "f64"].includes(dtype);
    const wide = ["i64", "u64"].includes(dtype);
    const data = new (float ? Float32Array : ARRAYS[dtype])(size);
    for (let i = 0; i < size; i++) {
      data[i] = float ? 0.5 + (1.5 * i) / last : wide ? BigInt(i % 7) : dtype === "bool" ? i % 2 : i % 7;
    }
    const tensor = zs.tensor(data, shape, float ? "f32" : dtype);
    tensors[name] = float && dtype !== "f32" ? tensor.astype(dtype) : tensor;
  }
  return tensors;
}
