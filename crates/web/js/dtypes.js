// Element types and JavaScript's typed arrays.

import { refused, textOf } from "./errors.js";

const Float16 = globalThis.Float16Array;

// The typed array for elements of a type. f16 and bf16 are 16-bit patterns if the language has no such array.
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

// NumPy's names.
const ALIASES = Object.fromEntries(
  ["int8 i8", "uint8 u8", "int16 i16", "uint16 u16", "int32 i32", "uint32 u32", "int64 i64", "uint64 u64", "float16 f16"]
    .concat("bfloat16 bf16", "float32 f32", "float64 f64", "bool_ bool", "boolean bool")
    .map((names) => names.split(" ")),
);

// Returns the name of an element type, which may be given by NumPy's name.
export function dtypeNamed(name) {
  const own = Object.hasOwn(ALIASES, textOf("an element type", name)) ? ALIASES[name] : name;
  if (Object.hasOwn(ARRAYS, own)) return own;
  throw refused(`unknown element type \`${name}\`; use ${dtypes.join(", ")}`);
}

// Returns the elements of nested arrays in row-major order, and their shape. All arrays at one depth must have one length.
export function flattened(data) {
  const shape = [];
  for (let first = data; Array.isArray(first); first = first[0]) shape.push(first.length);
  const all = data.flat(shape.length - 1);
  const even = (part, axis) => Array.isArray(part) && part.length === shape[axis] && (axis + 1 === shape.length || part.every((p) => even(p, axis + 1)));
  if (!even(data, 0)) throw refused("arrays in an array must all have one length");
  const wrong = all.find((x) => !["number", "bigint", "boolean"].includes(typeof x));
  if (wrong !== undefined || all.includes(undefined)) throw refused(`elements must be numbers, not ${typeof wrong === "string" ? JSON.stringify(wrong) : String(wrong)}`);
  return { all, shape };
}

// The default element type of an array.
export function dtypeOf(data) {
  if (Array.isArray(data)) {
    const all = (type) => data.length > 0 && data.every((x) => typeof x === type);
    return all("boolean") ? "bool" : all("bigint") ? "i64" : "f32";
  }
  if (data instanceof Uint8ClampedArray) return "u8";
  const found = dtypes.find((dtype) => dtype !== "bool" && data instanceof ARRAYS[dtype]);
  if (found) return found === "f16" && !Float16 ? "u16" : found;
  throw refused("the data must be a typed array or an array of numbers");
}

// Returns a typed array of elements, and the type `as` which they are uploaded. Numbers are converted; a typed array must
// have elements of the type.
export function elements(dtype, data) {
  const of = ARRAYS[dtype];
  if (dtype === "bool") {
    if (!Array.isArray(data) && !(data instanceof Uint8Array)) throw refused(`elements of bool must be a Uint8Array or an array, not ${data?.constructor?.name}`);
    return { data: Uint8Array.from(data, (x) => (x ? 1 : 0)), as: dtype };
  }
  if (Array.isArray(data)) {
    // f16 and bf16 are converted on the device.
    const as = dtype === "f16" || dtype === "bf16" ? "f32" : dtype;
    const convert = as === "i64" || as === "u64" ? (x) => (typeof x === "number" && !Number.isInteger(x) ? undefined : BigInt(x)) : Number;
    const converted = data.map(convert);
    const own = converted.includes(undefined) ? converted : ARRAYS[as].from(converted);
    // A float takes any number, an integer those that it holds.
    const lost = as.startsWith("f") ? -1 : converted.findIndex((x, i) => x === undefined || own[i] !== x);
    if (lost >= 0) throw refused(`${data[lost]} does not fit ${dtype}; upload it as a float and cast: .astype("${dtype}")`);
    return { data: own, as };
  }
  const fits = data instanceof of || (dtype === "f16" && data instanceof Uint16Array) || (dtype === "u8" && data instanceof Uint8ClampedArray);
  if (!fits) {
    throw refused(`elements of ${dtype} must be a ${of.name}, not a ${data?.constructor?.name}; upload them as their own type and cast: .astype("${dtype}")`);
  }
  return { data, as: dtype };
}

// Returns extents in the form of the module.
export function extentsOf(shape) {
  if (!Array.isArray(shape) && !ArrayBuffer.isView(shape)) throw refused(`a shape must be an array of extents, not ${shape}`);
  return Uint32Array.from(wholeNumbers("an extent", shape, 0));
}

// Checks that numbers are whole and have 32 bits.
export function wholeNumbers(what, numbers, least) {
  const most = least < 0 ? 2 ** 31 - 1 : 2 ** 32 - 1;
  const wrong = Array.from(numbers).find((n) => !Number.isInteger(n) || n < least || n > most);
  if (wrong !== undefined) throw refused(`${what} must be a whole number from ${least} to ${most}, not ${wrong}`);
  return numbers;
}

// The bytes of a typed array.
export function bytesOf(data) {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

// The typed array of these bytes.
export function arrayOf(dtype, bytes) {
  return new ARRAYS[dtype](bytes.buffer, bytes.byteOffset, bytes.byteLength / ARRAYS[dtype].BYTES_PER_ELEMENT);
}
