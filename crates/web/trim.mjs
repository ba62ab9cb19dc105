// Makes a module of wasm-bindgen smaller: removes parts that no browser needs.
//
//   node trim.mjs BINARYEN MODULE SCRIPT
//
// - The messages of Rust's panics, which no browser shows, and which no function of the package needs. A panic is a trap, as
//   before.
// - The long names of the functions that the module imports from its script.
//
// BINARYEN is the folder of npm's package binaryen. The module must have the names of its functions.

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import path from "node:path";

// Functions of the standard library that report a panic and never return.
const PANICS = [
  /panicking::(panic|assert_failed|unreachable_display|begin_panic)/,
  /option::(unwrap|expect)_failed|result::unwrap_failed|cell::panic_already|cell::lazy::panic_poisoned/,
  /slice_(index|error)_fail|len_mismatch_fail|panic_access_error|panic_on_ord_violation|panic_for_nonpositive_argument/,
  /raw_vec::(handle_error|capacity_overflow)|Fallibility>::capacity_overflow|handle_alloc_error|__rust_end_short_backtrace/,
];

// Formatters that only panics use: the names of wgpu's texture formats, which this package does not use.
const PRINTED = /wgpu_types::texture::format::\w+ as core(\[\w+\])?::fmt::Debug>::fmt/;

// The messages of panics.
const SAID = [
  "called `Option::unwrap()` on a `None` value",
  "called `Result::unwrap()` on an `Err` value",
  "internal error: entered unreachable code",
  "attempt to divide by zero",
  "attempt to calculate the remainder with a divisor of zero",
  "`async fn` resumed after completion",
  "index out of bounds: the len is ",
  " out of range for slice of length ",
  "range start index ",
  "range end index ",
  "slice index starts at ",
  "user-provided comparison function does not correctly implement a total order",
  "cannot access a Thread Local Storage value during or after destruction",
  "instance has previously been poisoned",
  "copy_from_slice: source slice length (",
  ") does not match destination slice length (",
  "argument of integer logarithm must be positive",
  "RefCell already mutably borrowed",
  "Hash table capacity overflow",
  "assertion failed: d.mant.checked_sub(d.minus).is_some()",
  "assertion failed: d.mant.checked_add(d.plus).is_some()",
  "assertion failed: d.mant + d.plus < (1 << 61)",
  "assertion failed: psize >= size + min_overhead",
  "assertion failed: psize <= size + max_overhead",
  "assertion failed: edge.height == self.height - 1",
  "assertion failed: edge.height == self.node.height - 1",
  "assertion failed: old_right_len + count <= CAPACITY",
  "assertion failed: old_left_len + count <= CAPACITY",
  "assertion failed: old_right_len >= count",
  "assertion failed: old_left_len >= count",
  "assertion failed: src.len() == dst.len()",
  "attempt to calculate the remainder with overflow",
];

// Blanks the source locations that panics name, and the names of these files. A location is the address and length of a
// path, a line and a column.
function blankPlaces(data, base) {
  const word = (at) => data.readUInt32LE(at);
  const paths = new Map();
  let found = 0;
  for (let at = 0; at + 16 <= data.length; at += 4) {
    const [start, length, line, column] = [word(at) - base, word(at + 4), word(at + 8), word(at + 12)];
    if (start < 0 || length < 4 || length > 400 || start + length > data.length) continue;
    if (line < 1 || line > 100_000 || column < 1 || column > 1_000) continue;
    if (!/^[\x20-\x7e]+\.rs$/.test(data.toString("latin1", start, start + length))) continue;
    paths.set(start, length);
    data.fill(0, at, at + 16);
    at += 12;
    found++;
  }
  for (const [start, length] of paths) data.fill(0, start, start + length);
  return found;
}

// Returns the module with short names for the functions that it imports, and a map from the long names to these.
function renameImports(bytes) {
  const names = new Map();
  const number = (at) => {
    let [value, shift, byte] = [0, 0, 0];
    do {
      byte = bytes[at++];
      value |= (byte & 127) << shift;
      shift += 7;
    } while (byte & 128);
    return [value >>> 0, at];
  };
  const encoded = (n) => (n < 128 ? [n] : [(n & 127) | 128, ...encoded(n >>> 7)]);
  const parts = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length; ) {
    const [size, start] = number(at + 1);
    if (bytes[at] !== 2) {
      parts.push(bytes.subarray(at, start + size));
    } else {
      let [count, place] = number(start);
      const body = encoded(count);
      for (; count > 0; count--) {
        // The script, the function, and its type.
        const [script, named] = number(place);
        const [length, first] = number(named + script);
        const kind = first + length;
        if (bytes[kind] !== 0) throw new Error("trim: an import is not a function");
        const [, next] = number(kind + 1);
        const short = `i${names.size.toString(36)}`;
        names.set(bytes.toString("utf8", first, kind), short);
        body.push(...bytes.subarray(place, named + script), short.length, ...Buffer.from(short), ...bytes.subarray(kind, next));
        place = next;
      }
      parts.push(Buffer.from([2, ...encoded(body.length), ...body]));
    }
    at = start + size;
  }
  return { renamed: Buffer.concat(parts), names };
}

const [folder, file, script] = process.argv.slice(2);
const { default: binaryen } = await import(pathToFileURL(path.join(path.resolve(folder), "index.js")));
const { renamed: bytes, names } = renameImports(readFileSync(file));
let keys = 0;
const text = readFileSync(script, "utf8").replace(/^( +)(\w+): function\(/gm, (whole, indent, name) => {
  if (!names.has(name)) return whole;
  keys++;
  return `${indent}${names.get(name)}: function(`;
});

let module = binaryen.readBinary(bytes);
let places = 0;
for (let i = 0; i < module.getNumDataSegments(); i++) {
  const segment = module.getDataSegmentInfo(module.getDataSegmentByIndex(i));
  const data = Buffer.from(segment.data);
  const at = bytes.indexOf(data);
  places += blankPlaces(data, segment.offset);
  for (const text of SAID) {
    for (let start = data.indexOf(text); start >= 0; start = data.indexOf(text)) data.fill(0, start, start + text.length);
  }
  data.copy(bytes, at);
}
module.dispose();

module = binaryen.readBinary(bytes);
const functions = Array.from({ length: module.getNumFunctions() }, (_, i) => binaryen.getFunctionInfo(module.getFunctionByIndex(i)));
const panics = functions.filter(({ name, results }) => results === binaryen.none && PANICS.some((pattern) => pattern.test(name)));
for (const { name, params, results } of panics) {
  module.removeFunction(name);
  module.addFunction(name, params, results, [], module.unreachable());
}
// Replaces each formatter by one that returns Ok and adds nothing.
const printed = functions.filter(({ name, results }) => results === binaryen.i32 && PRINTED.test(name));
for (const { name, params, results } of printed) {
  module.removeFunction(name);
  module.addFunction(name, params, results, [], module.i32.const(0));
}
if (places === 0 || panics.length === 0 || printed.length === 0 || keys !== names.size) {
  console.error(
    `trim: found ${places} locations of panics, ${panics.length} functions that report them, ${printed.length} formatters, ${keys} of ${names.size} imports in ` +
      `${script}: the output of Rust or wasm-bindgen has changed`,
  );
  process.exit(1);
}
writeFileSync(file, module.emitBinary());
writeFileSync(script, text);
