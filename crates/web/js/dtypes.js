// Element types and JavaScript's typed arrays.

import { ZerostrideError } from "./errors.js";

const Float16 = globalThis.Float16Array;

// The array that holds elements of a type. Those of f16 and bf16 are 16-bit patterns where the language has no such
// array.
const ARRAYS = {
  bool: Uint8Array,
  i8: Int8Array,
  u8: Uint8Array,
  i16: Int16Array,
  u16: Uint16Array,
  i32: Int32Array,
  u32: Uint32Array,
  i64: BigInt64Array,
  u64: BigUint64Array,
  f16: Float16 ?? Uint16Array,
  bf16: Uint16Array,
  f32: Float32Array,
  f64: Float64Array,
};

export const dtypes = Object.keys(ARRAYS);

// The type of an array's elements where none is given.
export function dtypeOf(data) {
  if (Array.isArray(data)) return data.every((x) => typeof x === "boolean") && data.length ? "bool" : "f32";
  if (data instanceof Uint8ClampedArray) return "u8";
  const found = dtypes.find((dtype) => dtype !== "bool" && data instanceof ARRAYS[dtype]);
  if (found) return found === "f16" && !Float16 ? "u16" : found;
  throw new ZerostrideError({ code: "ARGUMENT", message: "the data is no typed array, and no array of numbers" });
}

// A typed array of these numbers.
export function elements(dtype, numbers) {
  const of = ARRAYS[dtype];
  if (!of) throw new ZerostrideError({ code: "ARGUMENT", message: `unknown element type \`${dtype}\`` });
  return of.from(numbers);
}

// The bytes of a typed array.
export function bytesOf(data) {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

// The typed array of these bytes.
export function arrayOf(dtype, bytes) {
  return new ARRAYS[dtype](bytes.buffer, bytes.byteOffset, bytes.byteLength / ARRAYS[dtype].BYTES_PER_ELEMENT);
}
