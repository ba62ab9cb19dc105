// zerostride in browsers: broadcast array expressions through WebGPU.

import init, { Core, Operands } from "./core.js";
import { ZerostrideError, guarded, pointed, refused, textOf } from "./errors.js";
import { bytesOf, dtypeNamed, dtypeOf, elements, extentsOf, flattened, wholeNumbers } from "./dtypes.js";
import { callOf } from "./call.js";
import { Tensor, bindTensors } from "./tensor.js";

export { Tensor, ZerostrideError };

let loaded;

// Loads the module once. `source` is an argument of `fetch`, or the module's bytes; by default the file beside this one.
function load(source) {
  loaded ??= init(source === undefined ? undefined : { module_or_path: source }).catch((error) => {
    loaded = undefined;
    throw new ZerostrideError({
      code: "NO_MODULE",
      message:
        `core_bg.wasm could not be loaded ${source === undefined ? "from beside the script" : "from the place that `wasm` names"}: ${error.message}; ` +
        'pass its address with create({ wasm: url }), in Vite after import url from "zerostride/core_bg.wasm?url"',
    });
  });
  return loaded;
}

let creations = Promise.resolve();

// Runs one creation after the other, since each may replace the browser's adapter by its own.
function inTurn(create) {
  const created = creations.then(create);
  creations = created.catch(() => {});
  return created;
}

// Sets `object.name` to `value` while `call` runs.
async function replaced(object, name, value, call) {
  const own = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { configurable: true, writable: true, value });
  try {
    return await call();
  } finally {
    if (own) Object.defineProperty(object, name, own);
    else delete object[name];
  }
}

// An adapter that returns the caller's device.
function adapterOf(device) {
  return {
    info: device.adapterInfo ?? {},
    features: device.features,
    limits: device.limits,
    isFallbackAdapter: false,
    requestDevice: async () => device,
  };
}

// A device, and the computations on it.
export class Zerostride {
  #core;
  #device;
  #adapter;

  constructor(core) {
    this.#core = core;
    this.#device = core.device();
    const { vendor, architecture, device, description } = this.#device.adapterInfo ?? {};
    this.#adapter = [vendor, architecture, device, description].filter(Boolean).join(" ") || core.adapter();
  }

  // Creates a context on the best adapter, or on the caller's device or adapter.
  static async create({ device, adapter, wasm } = {}) {
    const gpu = globalThis.navigator?.gpu;
    if (!gpu) {
      throw new ZerostrideError({
        code: "NO_WEBGPU",
        message: "this browser has no WebGPU: navigator.gpu is missing (WebGPU needs https or localhost)",
      });
    }
    // WebGPU has no 64-bit floats: this WGSL computes them by integers.
    const [float64] = await Promise.all([import("./float64.js"), load(wasm)]);
    const create = () => guarded(() => Core.create(float64.default));
    const given = device ? adapterOf(device) : adapter;
    const core = await inTurn(() => (given ? replaced(gpu, "requestAdapter", async () => given, create) : create()));
    return new Zerostride(core);
  }

  // For the package's own use.
  get core() {
    if (!this.#core) throw new ZerostrideError({ code: "DISPOSED", message: "this Zerostride was disposed of" });
    return this.#core;
  }

  get device() {
    return this.#device;
  }

  get adapterInfo() {
    return this.#adapter;
  }

  // Resolves with the reason when the device is lost.
  get lost() {
    return this.#device.lost.then((info) => info.message || info.reason);
  }

  // Uploads a tensor from elements in row-major order; by default with one axis, and the array's type.
  tensor(data, shape, dtype) {
    const { all, shape: nested } = Array.isArray(data) ? flattened(data) : { all: data, shape: undefined };
    const type = dtype === undefined ? dtypeOf(all) : dtypeNamed(dtype);
    if (dtype !== undefined && !Array.isArray(all)) dtypeOf(all);
    const { data: own, as } = elements(type, all);
    const extents = extentsOf(shape ?? nested ?? [own.length]);
    const tensor = guarded(() => new Tensor(this, this.core.upload(as, extents, bytesOf(own))));
    return as === type ? tensor : tensor.astype(type);
  }

  // Wraps a buffer of this device as a tensor; strides and offset count elements.
  wrap(buffer, shape, dtype, { offset = 0, strides } = {}) {
    const device = this.#device;
    if (!(buffer instanceof GPUBuffer)) throw refused(`wrap needs a GPUBuffer, not ${String(buffer)}`);
    const create = device.createBuffer;
    const strided = Int32Array.from(wholeNumbers("a stride", strides ?? rowMajor(extentsOf(shape)), -(2 ** 31)));
    const [first] = wholeNumbers("the offset", [offset], 0);
    Object.defineProperty(device, "createBuffer", { configurable: true, writable: true, value: () => buffer });
    try {
      return guarded(
        () =>
          new Tensor(
            this,
            this.core.wrap(buffer.size, buffer.usage, dtypeNamed(dtype), extentsOf(shape), strided, first),
          ),
      );
    } finally {
      delete device.createBuffer;
      if (device.createBuffer !== create) device.createBuffer = create;
    }
  }

  // The value of an expression of tensors, typed arrays and numbers by name, computed when it is read.
  lazy(text, operands, { rule = "numpy" } = {}) {
    textOf("an expression", text);
    textOf("a rule", rule);
    operands ??= {};
    const { given, free } = this.#operands(operands);
    try {
      return guarded(() => new Tensor(this, this.core.apply(text, rule, given)), text, operands);
    } finally {
      free();
    }
  }

  // The value of any function of the expression language, computed when it is read: `call("roll", x, 2, { axis: 0 })`.
  call(name, ...given) {
    const { text, operands } = callOf(name, given);
    return this.lazy(text, operands);
  }

  // Computes an expression now. A read reports errors of the device.
  async evaluate(text, operands, options) {
    const tensor = this.lazy(text, operands, options);
    guarded(() => this.core.compute(tensor.array), text, operands);
    return tensor;
  }

  // Plans an expression for tensors, or for `{ shape, dtype }`.
  plan(text, operands, { rule = "numpy" } = {}) {
    textOf("an expression", text);
    textOf("a rule", rule);
    operands ??= {};
    const { given, free } = this.#operands(operands);
    try {
      return new Plan(this, guarded(() => this.core.plan(text, rule, given), text, operands));
    } finally {
      free();
    }
  }

  // For the package's own use: the operands by name, and a function that frees them.
  #operands(operands) {
    const given = new Operands();
    const own = [];
    const free = () => {
      given.free();
      own.forEach((tensor) => tensor.dispose());
    };
    try {
      for (const [name, value] of Object.entries(operands)) guarded(() => this.#add(given, own, name, value));
    } catch (error) {
      free();
      throw error;
    }
    return { given, free };
  }

  #add(given, own, name, value) {
    if (value instanceof Tensor) return given.array(name, value.array);
    if (typeof value === "boolean") return given.boolean(name, value);
    if (typeof value === "bigint") {
      if (BigInt.asIntN(128, value) !== value) throw refused(`\`${name}\` has more than 128 bits`);
      return given.whole(name, value);
    }
    if (typeof value === "number") {
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? given.whole(name, BigInt(value))
        : given.float(name, value);
    }
    if (ArrayBuffer.isView(value) || Array.isArray(value)) {
      const tensor = this.tensor(value);
      own.push(tensor);
      return given.array(name, tensor.array);
    }
    if (value && value.shape && value.dtype) return given.slot(name, dtypeNamed(value.dtype), extentsOf(value.shape));
    throw refused(`\`${name}\` must be a tensor, an array, a number or { shape, dtype }`);
  }

  // Drops freed buffers that are kept for reuse.
  trim() {
    this.core.trim();
  }

  // Frees the device's objects, but not the device, which others may use.
  dispose() {
    this.#core?.trim();
    this.#core?.free();
    this.#core = undefined;
  }

  [Symbol.dispose ?? Symbol.for("dispose")]() {
    this.dispose();
  }
}

function rowMajor(shape) {
  const strides = new Array(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis--) strides[axis] = strides[axis + 1] * shape[axis + 1];
  return strides;
}

// An expression that is planned once for operands of these types and shapes.
export class Plan {
  #zs;
  #planned;
  #description;

  constructor(zs, planned) {
    this.#zs = zs;
    this.#planned = planned;
  }

  get shape() {
    return this.describe().shape;
  }

  get dtype() {
    return this.describe().dtype;
  }

  get #plan() {
    if (!this.#planned) throw new ZerostrideError({ code: "DISPOSED", message: "this plan was disposed of" });
    return this.#planned;
  }

  // Describes the plan: passes, schedules, costs.
  explain() {
    return this.#plan.explain();
  }

  // The WGSL sources of the kernels.
  wgsl() {
    return this.#plan.wgsl().map((code, n) => ({ name: `kernel ${n}`, code }));
  }

  // The rule, the result, the operands with aligned axes and strides, and the dispatches.
  describe() {
    this.#description ??= this.#plan.describe();
    return this.#description;
  }

  // Runs the plan on tensors by name.
  run(operands = {}) {
    const planned = this.#plan;
    const given = new Operands();
    try {
      for (const name of planned.names()) {
        const tensor = operands[name];
        if (!(tensor instanceof Tensor)) {
          throw refused(`the plan needs a tensor \`${name}\``);
        }
        guarded(() => given.computed(name, tensor.array));
      }
      return guarded(() => new Tensor(this.#zs, this.#zs.core.run(planned, given)));
    } finally {
      given.free();
    }
  }

  dispose() {
    this.#planned?.free();
    this.#planned = undefined;
  }

  [Symbol.dispose ?? Symbol.for("dispose")]() {
    this.dispose();
  }
}

bindTensors();
export { pointed };
