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

// A typed array of elements, and the type `as` which they are uploaded. Numbers are converted; a typed array has the
// type's own elements.
export function elements(dtype, data) {
  const of = ARRAYS[dtype];
  if (!of) throw refused(`unknown element type \`${dtype}\`: ${dtypes.join(", ")}`);
  if (dtype === "bool") {
    if (!Array.isArray(data) && !(data instanceof Uint8Array)) throw refused(`elements of bool are a Uint8Array or an array, not ${data?.constructor?.name}`);
    return { data: Uint8Array.from(data, (x) => (x ? 1 : 0)), as: dtype };
  }
  if (Array.isArray(data)) {
    // What has no numbers of its own is converted on the device.
    const as = dtype === "f16" || dtype === "bf16" ? "f32" : dtype;
    const wide = as === "i64" || as === "u64";
    try {
      return { data: ARRAYS[as].from(data, wide ? BigInt : Number), as };
    } catch (error) {
      throw refused(`these are no elements of ${dtype}: ${error.message}`);
    }
  }
  const fits = data instanceof of || (dtype === "f16" && data instanceof Uint16Array) || (dtype === "u8" && data instanceof Uint8ClampedArray);
  if (!fits) {
    throw refused(`elements of ${dtype} are a ${of.name}, not a ${data?.constructor?.name}; upload them as what they are and cast: .astype("${dtype}")`);
  }
  return { data, as: dtype };
}

// Extents as the module takes them.
export function extentsOf(shape) {
  if (!Array.isArray(shape) && !ArrayBuffer.isView(shape)) throw refused(`a shape is an array of extents, not ${shape}`);
  return Uint32Array.from(wholeNumbers("an extent", shape, 0));
}

// Numbers that are whole and of 32 bits.
export function wholeNumbers(what, numbers, least) {
  const most = least < 0 ? 2 ** 31 - 1 : 2 ** 32 - 1;
  const wrong = Array.from(numbers).find((n) => !Number.isInteger(n) || n < least || n > most);
  if (wrong !== undefined) throw refused(`${what} is a whole number from ${least} to ${most}, not ${wrong}`);
  return numbers;
}

function refused(message) {
  return new ZerostrideError({ code: "ARGUMENT", message });
}

// The bytes of a typed array.
export function bytesOf(data) {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

// The typed array of these bytes.
export function arrayOf(dtype, bytes) {
  return new ARRAYS[dtype](bytes.buffer, bytes.byteOffset, bytes.byteLength / ARRAYS[dtype].BYTES_PER_ELEMENT);
}
