// zerostride in browsers: broadcast array expressions through WebGPU. The GPU's types are those of @webgpu/types.

export type DType =
  | "bool" | "i8" | "u8" | "i16" | "u16" | "i32" | "u32" | "i64" | "u64" | "f16" | "bf16" | "f32" | "f64";

/** Elements in host memory. f16 is a `Float16Array` if the language has it, else 16-bit patterns in a `Uint16Array`, as
 * bf16 always is. */
export type Data =
  | Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array
  | BigInt64Array | BigUint64Array | Float32Array | Float64Array;

/** `numpy`, `none`, `unidirectional`, `pdpd`, `pdpd:AXIS` and others; an unknown rule throws an error that lists all. */
export type Rule = string;

/** Numbers in arrays, which may be nested: the lengths give the shape. */
export type Numbers = (number | bigint | boolean | Numbers)[];

export type Operand = Tensor | Data | Numbers | number | bigint | boolean;
/** An argument of a function of the expression language. */
export type Given = Tensor | Data | number | bigint | boolean | string | null | Given[] | { [parameter: string]: Given };

export interface Options {
  rule?: Rule;
}

export class ZerostrideError extends Error {
  /** `EXTENTS`, `RANK`, `SYNTAX`, `UNKNOWN_NAME`, `DTYPE`, `TOO_LARGE`, `DEVICE_LOST`, `NO_WEBGPU`, `NO_MODULE`, `DISPOSED`, `ARGUMENT`, ... */
  readonly code: string;
  /** The column of the expression, in characters from 1. */
  readonly column?: number;
  readonly expression?: string;
  /** The operands with their types and shapes. */
  readonly operands?: string[];
}

/** A device, and the computations on it. */
export class Zerostride {
  /** Creates a context on the best adapter, or on the caller's device or adapter. `wasm`: the address or the bytes of the
   * module, if it is not beside this file. */
  static create(options?: {
    device?: GPUDevice;
    adapter?: GPUAdapter;
    wasm?: string | URL | Request | Response | BufferSource | WebAssembly.Module;
  }): Promise<Zerostride>;
  readonly device: GPUDevice;
  readonly adapterInfo: string;
  /** Resolves with the reason when the device is lost. */
  readonly lost: Promise<string>;
  /** Uploads elements in row-major order. The default shape is one axis, or that of nested arrays; the default type is the
   * array's (f32 for numbers). Numbers are converted to `dtype` and must fit integer types; typed arrays must have it. */
  tensor(data: Data | Numbers, shape?: number[], dtype?: DType): Tensor;
  /** Wraps a buffer of this device, which must have usages STORAGE and COPY_SRC. Strides and offset count elements. */
  wrap(buffer: GPUBuffer, shape: number[], dtype: DType, options?: { offset?: number; strides?: number[] }): Tensor;
  /** Computes an expression now. A read reports errors of the device. */
  evaluate(text: string, operands?: Record<string, Operand>, options?: Options): Promise<Tensor>;
  /** The value of an expression, computed when it is read. */
  lazy(text: string, operands?: Record<string, Operand>, options?: Options): Tensor;
  /** The value of any function of the expression language, computed when it is read: `zs.call("hstack", [x, y])`. An object
   * at the end has parameters by their names: `zs.call("roll", x, 2, { axis: 0 })`. */
  call(name: string, ...given: Given[]): Tensor;
  /** Plans an expression for tensors, or for types and shapes. */
  plan(
    text: string,
    operands?: Record<string, Operand | { shape: number[]; dtype: DType }>,
    options?: Options,
  ): Plan;
  /** Drops freed buffers that are kept for reuse. */
  trim(): void;
  dispose(): void;
  [Symbol.dispose](): void;
}

/** An array of elements of one type, computed when it is read. */
export class Tensor {
  readonly shape: number[];
  readonly dtype: DType;
  readonly size: number;
  /** The strides in its buffer, in elements. Reading `strides`, `offset` or `buffer` computes the tensor. */
  readonly strides: number[];
  readonly offset: number;
  readonly buffer: GPUBuffer;
  /** Reads its elements in row-major order. */
  read(): Promise<Data>;
  item(): Promise<number | bigint | boolean>;
  /** The value of any function of the expression language with this as the first operand: `x.call("roll", 2, { axis: 0 })`. */
  call(name: string, ...given: Given[]): Tensor;
  /** The value of a formula in which this is `a`, and at most 7 others have the names b, c and so on. */
  formula(text: string, ...others: Operand[]): Tensor;

  add(other: Operand): Tensor;
  sub(other: Operand): Tensor;
  mul(other: Operand): Tensor;
  div(other: Operand): Tensor;
  floorDiv(other: Operand): Tensor;
  mod(other: Operand): Tensor;
  pow(other: Operand): Tensor;
  matmul(other: Operand): Tensor;
  equal(other: Operand): Tensor;
  notEqual(other: Operand): Tensor;
  less(other: Operand): Tensor;
  lessEqual(other: Operand): Tensor;
  greater(other: Operand): Tensor;
  greaterEqual(other: Operand): Tensor;
  and(other: Operand): Tensor;
  or(other: Operand): Tensor;
  xor(other: Operand): Tensor;
  maximum(other: Operand): Tensor;
  minimum(other: Operand): Tensor;
  atan2(other: Operand): Tensor;
  hypot(other: Operand): Tensor;
  where(then: Operand, otherwise: Operand): Tensor;

  neg(): Tensor;
  not(): Tensor;
  abs(): Tensor;
  exp(): Tensor;
  exp2(): Tensor;
  expm1(): Tensor;
  log(): Tensor;
  log2(): Tensor;
  log10(): Tensor;
  log1p(): Tensor;
  sqrt(): Tensor;
  cbrt(): Tensor;
  sin(): Tensor;
  cos(): Tensor;
  tan(): Tensor;
  asin(): Tensor;
  acos(): Tensor;
  atan(): Tensor;
  sinh(): Tensor;
  cosh(): Tensor;
  tanh(): Tensor;
  floor(): Tensor;
  ceil(): Tensor;
  trunc(): Tensor;
  round(): Tensor;
  sign(): Tensor;
  erf(): Tensor;
  relu(): Tensor;
  sigmoid(): Tensor;
  isnan(): Tensor;
  isinf(): Tensor;
  isfinite(): Tensor;

  sum(axes?: Axes, options?: Reduce): Tensor;
  prod(axes?: Axes, options?: Reduce): Tensor;
  mean(axes?: Axes, options?: Reduce): Tensor;
  max(axes?: Axes, options?: Reduce): Tensor;
  min(axes?: Axes, options?: Reduce): Tensor;
  any(axes?: Axes, options?: Reduce): Tensor;
  all(axes?: Axes, options?: Reduce): Tensor;
  argmax(axes?: Axes, options?: Reduce): Tensor;
  argmin(axes?: Axes, options?: Reduce): Tensor;
  var(axes?: Axes, options?: Reduce & { ddof?: number }): Tensor;
  std(axes?: Axes, options?: Reduce & { ddof?: number }): Tensor;
  logsumexp(axes?: Axes, options?: Reduce): Tensor;
  cumsum(axis: number): Tensor;
  cumprod(axis: number): Tensor;

  /** Extents and axes may be an array, or several arguments. */
  reshape(...shape: number[] | [number[]]): Tensor;
  transpose(...axes: number[] | [number[]?]): Tensor;
  broadcastTo(...shape: number[] | [number[]]): Tensor;
  squeeze(axes?: number | number[]): Tensor;
  expandDims(axis: number): Tensor;
  flip(axes?: number | number[]): Tensor;
  /** An index for each axis: a number, `[start, stop, step]` with null for omitted ones, null for a new axis, or a string
   * as in Python: `"1:-1"`, `"..."`. */
  slice(...indices: (number | (number | null)[] | null | string)[]): Tensor;
  astype(dtype: DType): Tensor;
  dispose(): void;
  [Symbol.dispose](): void;
}

/** The axes to reduce; all if nothing is given. */
export type Axes = number | number[] | null;

export interface Reduce {
  keepdims?: boolean;
}

/** An expression that is planned once for operands of these types and shapes. */
export class Plan {
  readonly shape: number[];
  readonly dtype: DType;
  /** Describes the plan: passes, schedules, costs. */
  explain(): string;
  wgsl(): { name: string; code: string }[];
  describe(): PlanDescription;
  /** Runs the plan on tensors by name. */
  run(operands: Record<string, Tensor>): Tensor;
  dispose(): void;
  [Symbol.dispose](): void;
}

export interface PlanDescription {
  rule: string;
  shape: number[];
  dtype: DType;
  operands: {
    name: string;
    dtype: DType;
    shape: number[];
    /** The extent along each axis of the result, null if the operand has no such axis; missing if it is read through a view. */
    aligned?: (number | null)[];
    /** The strides along the axes of the result, in elements, 0 where the operand is broadcast; missing if steps read it
     * through different layouts, as in a matrix product. */
    strides?: number[];
    /** The offset, in elements, of the element that the result's first element reads. */
    offset?: number;
  }[];
  dispatches: { kernel: number; grid: [number, number, number] }[];
  bytesMoved: number;
  /** The steps in order; the last one gives the result. */
  steps: Step[];
}

export interface Step {
  /** Element by element; a reduction; a scan; a matrix product; elements at indices; places in a sorted array; operands joined side by side. */
  work: "map" | "fold" | "scan" | "product" | "take" | "search" | "join" | "other";
  /** The operator of a map, fold or scan. */
  op?: string;
  dtype: DType;
  shape: number[];
  /** The operands: `slot` is an operand of the plan, `step` an earlier step; with neither it is a number or a position. The
   * element at an index has the position `offset` plus the index times `strides`. */
  operands: (Strided & { slot?: number; step?: number })[];
  /** For a fold: the axes of its operand that are reduced. */
  axes?: number[];
  /** For a scan or take: its axis. */
  axis?: number;
  /** For a search: whether places are after equal elements. */
  right?: boolean;
  /** For a scan: `reverse` goes from the last element to the first, `exclusive` leaves out each element itself. */
  reverse?: boolean;
  exclusive?: boolean;
  /** For a join: the layout of each operand's elements in the result. */
  places?: Strided[];
}

export interface Strided {
  shape: number[];
  strides: number[];
  offset: number;
}

/** Returns the line of an expression that has this column, and a caret below it. */
export function pointed(text: string, column: number): string;
