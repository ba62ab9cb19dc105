// Tensors: values that are computed when they are read.

import { arrayOf } from "./dtypes.js";
import { ZerostrideError, guarded, refused, textOf } from "./errors.js";

// An array of elements of one type. Methods are formulas of the expression language.
export class Tensor {
  #zs;
  #array;

  constructor(zs, array) {
    this.#zs = zs;
    this.#array = array;
  }

  // For the package's own use.
  get array() {
    if (!this.#array) throw new ZerostrideError({ code: "DISPOSED", message: "this tensor was disposed of" });
    return this.#array;
  }

  get shape() {
    return [...this.array.shape];
  }

  get dtype() {
    return this.array.dtype;
  }

  get size() {
    return this.array.shape.reduce((n, e) => n * e, 1);
  }

  // The strides in its buffer, in elements. Computes the tensor.
  get strides() {
    return [...guarded(() => this.array.strides())];
  }

  get offset() {
    return guarded(() => this.array.offset());
  }

  // The GPUBuffer of its elements. Computes the tensor.
  get buffer() {
    return guarded(() => this.#zs.core.buffer(this.array));
  }

  // Reads its elements in row-major order.
  async read() {
    const dtype = this.dtype;
    return arrayOf(dtype, await guarded(() => this.#zs.core.read(this.array)));
  }

  // Reads its only element.
  async item() {
    if (this.size !== 1) {
      throw new ZerostrideError({ code: "ARGUMENT", message: `item needs one element, not ${this.size}; use read for all` });
    }
    const [element] = await this.read();
    return this.dtype === "bool" ? element !== 0 : element;
  }

  // The value of a formula in which this is `a`, and others have the names b, c and so on.
  formula(text, ...others) {
    if (others.length > 7) throw new ZerostrideError({ code: "ARGUMENT", message: "a formula supports at most 7 other operands; use zs.lazy for more" });
    const operands = { a: this };
    others.forEach((other, i) => (operands["bcdefgh"[i]] = other));
    return this.#zs.lazy(text, operands);
  }

  // The value of any function of the expression language with this as the first operand: `x.call("roll", 2, { axis: 0 })`.
  call(name, ...given) {
    return this.#zs.call(name, this, ...given);
  }

  toString() {
    return this.#array ? `Tensor ${this.dtype}[${this.shape.join(", ")}]` : "Tensor, disposed of";
  }

  // JavaScript's operators would turn tensors into strings or NaN.
  [Symbol.toPrimitive](hint) {
    if (hint === "string") return this.toString();
    throw refused("operators do not support tensors; use methods, x.add(y), x.less(y), or zs.evaluate(\"x + y\", { x, y })");
  }

  dispose() {
    this.#array?.free();
    this.#array = undefined;
  }

  [Symbol.dispose ?? Symbol.for("dispose")]() {
    this.dispose();
  }

  // Views, and methods with parameters.

  where(then, otherwise) {
    return this.formula("where(a, b, c)", then, otherwise);
  }

  // Extents and axes may be an array, or several arguments.
  reshape(...shape) {
    return this.formula(`a.reshape(${tuple(several(shape))})`);
  }

  transpose(...axes) {
    return this.formula(axes[0] === undefined ? "a.T" : `transpose(a, ${tuple(several(axes))})`);
  }

  broadcastTo(...shape) {
    return this.formula(`broadcast_to(a, ${tuple(several(shape))})`);
  }

  squeeze(axes) {
    return this.formula(axes === undefined ? "squeeze(a)" : `squeeze(a, ${tuple([axes].flat())})`);
  }

  expandDims(axis) {
    return this.formula(`expand_dims(a, ${whole(axis)})`);
  }

  flip(axes) {
    return this.formula(axes === undefined ? "flip(a)" : `flip(a, ${tuple([axes].flat())})`);
  }

  // An index for each axis: a number, `[start, stop, step]` with null for omitted ones, or a string as in Python: "1:-1".
  slice(...indices) {
    return this.formula(`a[${indices.map(index).join(", ")}]`);
  }

  astype(dtype) {
    return this.formula(`a.astype('${name(dtype)}')`);
  }
}

const BINARY = {
  add: "a + b",
  sub: "a - b",
  mul: "a * b",
  div: "a / b",
  floorDiv: "a // b",
  mod: "a % b",
  pow: "a ** b",
  matmul: "a @ b",
  equal: "a == b",
  notEqual: "a != b",
  less: "a < b",
  lessEqual: "a <= b",
  greater: "a > b",
  greaterEqual: "a >= b",
  and: "a & b",
  or: "a | b",
  xor: "a ^ b",
  maximum: "maximum(a, b)",
  minimum: "minimum(a, b)",
  atan2: "arctan2(a, b)",
  hypot: "hypot(a, b)",
};

const UNARY = {
  neg: "-a",
  not: "~a",
  asin: "arcsin(a)",
  acos: "arccos(a)",
  atan: "arctan(a)",
  ...Object.fromEntries(
    "abs exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh floor ceil trunc round sign erf relu sigmoid isnan isinf isfinite"
      .split(" ")
      .map((f) => [f, `${f}(a)`]),
  ),
};

const REDUCTIONS = "sum prod mean max min any all argmax argmin var std logsumexp".split(" ");
const SCANS = "cumsum cumprod".split(" ");

// Gives tensors the methods of these tables.
export function bindTensors() {
  const method = (f, call) => {
    Object.defineProperty(call, "name", { value: f });
    Tensor.prototype[f] ??= call;
  };
  for (const [f, text] of Object.entries(BINARY)) {
    method(f, function (other) {
      return this.formula(text, other);
    });
  }
  for (const [f, text] of Object.entries(UNARY)) {
    method(f, function () {
      return this.formula(text);
    });
  }
  for (const f of REDUCTIONS) {
    method(f, function (axes, { keepdims = false, ddof } = {}) {
      const along = axes === undefined || axes === null ? "None" : Array.isArray(axes) ? tuple(axes) : whole(axes);
      const rest = ddof === undefined ? "" : `, ddof=${Number(ddof)}`;
      return this.formula(`a.${f}(axis=${along}${keepdims ? ", keepdims=True" : ""}${rest})`);
    });
  }
  for (const f of SCANS) {
    method(f, function (axis) {
      return this.formula(`${f}(a, axis=${whole(axis)})`);
    });
  }
}

function whole(n) {
  if (Number.isSafeInteger(n)) return String(n);
  throw new ZerostrideError({ code: "ARGUMENT", message: `${n} is not a whole number` });
}

const several = (given) => (typeof given[0] === "object" ? given[0] : given);

function tuple(numbers) {
  return `(${Array.from(numbers, (n) => `${whole(n)},`).join(" ")})`;
}

function name(dtype) {
  if (/^\w+$/.test(textOf("an element type", dtype))) return dtype;
  throw new ZerostrideError({ code: "ARGUMENT", message: `unknown element type \`${dtype}\`` });
}

function index(of) {
  if (of === null) return "None";
  if (Array.isArray(of)) return of.map((n) => (n === null || n === undefined ? "" : whole(n))).join(":");
  if (typeof of === "string" && /^(-?\d*:-?\d*(:-?\d*)?|\.\.\.|None|-?\d+)$/.test(of)) return of;
  return whole(of);
}
