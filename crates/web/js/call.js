// Calls of the expression language's functions with JavaScript arguments.

import { refused, textOf } from "./errors.js";
import { Tensor } from "./tensor.js";

// Returns the expression of a call, and its tensors and typed arrays as operands by name. Numbers, bigints, booleans, null,
// strings (words and element types) and arrays of these are written into the expression; an object at the end has parameters.
export function callOf(name, given) {
  const operands = {};
  const last = given.at(-1);
  const named = isPlain(last) ? last : {};
  const placed = isPlain(last) ? given.slice(0, -1) : given;
  const written = (value) => {
    if (value instanceof Tensor || ArrayBuffer.isView(value)) {
      const operand = `operand${Object.keys(operands).length}`;
      operands[operand] = value;
      return operand;
    }
    if (value === null || value === undefined) return "None";
    if (typeof value === "boolean") return value ? "True" : "False";
    if (typeof value === "bigint") return String(value);
    if (typeof value === "number") return String(value).replace("NaN", "nan").replace("Infinity", "inf");
    if (typeof value === "string" && /^\w+$/.test(value)) return `'${value}'`;
    if (Array.isArray(value)) return `(${value.map((x) => `${written(x)},`).join(" ")})`;
    throw refused(`arguments of ${name} must be tensors, numbers, words, null or arrays of these, not ${String(value)}`);
  };
  const word = (what, text) => {
    if (/^[A-Za-z_]\w*$/.test(textOf(what, text))) return text;
    throw refused(`${what} must be a name, not \`${text}\``);
  };
  const parameters = Object.entries(named).map(([parameter, value]) => `${word("a parameter", parameter)}=${written(value)}`);
  const text = `${word("a function", name)}(${[...placed.map(written), ...parameters].join(", ")})`;
  return { text, operands };
}

function isPlain(value) {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
