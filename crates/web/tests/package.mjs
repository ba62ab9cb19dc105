// The package in a page: what its documents say, errors, types, memory, a lost device.
//
//   node package.mjs PACKAGE TOOLS

import { Checks, gpuMemory, launch, serve } from "./page.mjs";
import path from "node:path";

const [folder, tools] = process.argv.slice(2).map((p) => path.resolve(p));
const { server, address } = await serve({ "/zerostride/": folder });
const browser = await launch(tools);
const checks = new Checks();
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => checks.check("no error is left uncaught", false, String(error)));
  await page.goto(`${address}/blank`);
  const found = await page.evaluate(async () => {
    const { Zerostride, ZerostrideError } = await import("/zerostride/zerostride.js");
    const zs = await Zerostride.create();
    globalThis.zs = zs;
    const out = {};
    const plain = (data) => Array.from(data, (x) => (typeof x === "bigint" ? `${x}n` : x));
    const error = async (call) => {
      try {
        await call();
        return "no error";
      } catch (e) {
        return e instanceof ZerostrideError ? { code: e.code, column: e.column, message: e.message } : String(e);
      }
    };

    const x = zs.tensor(new Float32Array([1, 2, 5, 6]), [2, 2]);
    out.adapter = zs.adapterInfo;
    out.zscore = plain(await (await zs.evaluate("(x - x.mean(axis=0)) / x.std(axis=0)", { x })).read());
    out.chain = plain(await x.add(zs.tensor([10, 20])).mul(2).read());
    out.item = await x.sum().item();
    out.sum = plain(await x.sum(1, { keepdims: true }).read());
    out.views = plain(await x.transpose().slice(null, [null, null, -1], 0).read());
    out.argmax = plain(await x.argmax(1).read());
    out.i64 = plain(await zs.tensor(new BigInt64Array([2n ** 62n, -1n])).add(5).read());
    out.bool = plain(await x.greater(2).read());
    out.f16 = plain(new Uint16Array((await x.astype("f16").read()).buffer));
    out.number = plain(await (await zs.evaluate("a * x + b", { a: 0.5, x, b: true })).read());
    out.matmul = plain(await x.matmul(x).read());
    out.reshape = [x.reshape([4]).shape, x.expandDims(0).shape, x.broadcastTo([3, 2, 2]).shape];
    out.where = plain(await x.less(3).where(x, -1).read());

    const named = (...given) => zs.call(...given).read();
    out.called = {
      roll: plain(await x.call("roll", 1, { axis: 1 }).read()),
      pad: plain(await named("pad", x, [[0, 0], [1, 0]], { constant_values: 9 })),
      kron: plain(await named("kron", x, new Float32Array([1, -1]))),
      hstack: plain(await named("hstack", [x, x])),
      clip: plain(await named("clip", x, null, 1.5e0)),
      nan: plain(await named("where", x.greater(1), x, NaN)),
      unknown: (await error(() => zs.call("rol", x))).code,
      word: (await error(() => zs.call("roll(x); y", x))).code,
      object: (await error(() => zs.call("roll", { axis: 1 }, x))).code,
    };
    const types = {};
    const arrays = {
      i8: Int8Array, u8: Uint8Array, i16: Int16Array, u16: Uint16Array, i32: Int32Array, u32: Uint32Array,
      f32: Float32Array, f64: Float64Array, i64: BigInt64Array, u64: BigUint64Array,
    };
    for (const [dtype, of] of Object.entries(arrays)) {
      const wide = of === BigInt64Array || of === BigUint64Array;
      const tensor = zs.tensor(of.from(wide ? [1n, 2n, 3n] : [1, 2, 3]));
      const back = await tensor.flip().read();
      types[dtype] = tensor.dtype === dtype && back instanceof of && String(plain(back)) === String(wide ? ["3n", "2n", "1n"] : [3, 2, 1]);
    }
    out.types = types;
    out.bf16 = plain(await zs.tensor(new Uint16Array([0x3f80, 0x4000]), [2], "bf16").add(1).astype("f32").read());
    const doubles = zs.tensor(new Float64Array([0.1, 3, 5e-324, -1e308]));
    out.f64 = plain(await doubles.div(doubles.add(0.2)).sub(doubles.mul(0.7)).read());
    out.f64cast = plain(await zs.tensor(new Float64Array([1.5, -2])).astype("f32").read());

    const plan = zs.plan("(x - m) / s", { x: { shape: [8, 3, 4], dtype: "f32" }, m: { shape: [3, 1], dtype: "f32" }, s: { shape: [4], dtype: "f32" } });
    out.plan = { shape: plan.shape, dtype: plan.dtype, operands: plan.describe().operands.map((o) => [o.name, o.aligned, o.strides]) };
    out.explained = /mapping/.test(plan.explain()) && plan.wgsl()[0].code.includes("@compute");
    const run = zs.plan("x + y", { x, y: x });
    out.run = plain(await run.run({ x, y: x }).read());

    let dispatches = 0;
    const dispatch = GPUComputePassEncoder.prototype.dispatchWorkgroups;
    GPUComputePassEncoder.prototype.dispatchWorkgroups = function (...grid) {
      dispatches++;
      return dispatch.apply(this, grid);
    };
    const counted = async (work) => {
      zs.core.flush();
      dispatches = 0;
      await (await work()).read();
      return dispatches;
    };
    const lazy = x.mul(2);
    let squares = x;
    for (let i = 0; i < 9; i++) squares = squares.mul(squares);
    out.dispatches = {
      run: await counted(() => run.run({ x, y: x.add(1) })),
      again: await counted(() => run.run({ x, y: x })),
      lazy: await counted(() => run.run({ x: lazy, y: lazy })),
      computed: await counted(() => run.run({ x: lazy, y: lazy })),
      evaluate: await counted(() => zs.evaluate("x + y * x", { x, y: x })),
      chain: await counted(() => x.add(1).mul(x).sub(3)),
      squares: await counted(() => squares),
    };
    GPUComputePassEncoder.prototype.dispatchWorkgroups = dispatch;
    out.runs = { error: await error(() => run.run({ x, y: zs.tensor([1, 2]) })) };

    const buffer = zs.device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
    zs.device.queue.writeBuffer(buffer, 0, new Float32Array([1, 2, 3, 4]));
    out.wrapped = plain(await zs.wrap(buffer, [2, 2], "f32").transpose().mul(10).read());
    const turned = zs.wrap(buffer, [2, 2], "f32", { strides: [1, 2] });
    out.runs.strided = plain(await run.run({ x: turned, y: x }).read());
    out.own = zs.wrap(buffer, [4], "f32").buffer === buffer;
    out.buffer = x.add(1).buffer instanceof GPUBuffer;

    // The language is the one of all other packages.
    out.refused = [];
    for (const text of [
      "len(x)", "x.shape[0]", "x.size", "ndim(x)", "x.reshape(x.shape)", "repeat(x, 2)", "x.repeat(2)", "tile(x, 2)", "roll(x, 1)",
      "pad(x, 1)", "diag(x)", "trace(x)", "kron(x, x)", "atleast_2d(x)", "dot(x, x)", "x.dot(x)", "inner(x, x)", "vdot(x, x)",
      "cross(arange(3) * x[0, 0], arange(3))", "nan_to_num(x)", "logaddexp(x, x)", "select([x > 1], [x])", "heaviside(x, 1)", "x.sum(where=x > 1)",
      "x.max(initial=3)", "average(x, weights=x)",
    ]) {
      const refused = await error(async () => (await zs.evaluate(text, { x })).read());
      if (typeof refused === "object") out.refused.push(`${text}: ${refused.message}`);
    }
    out.errors = {
      extents: await error(() => zs.evaluate("x + y", { x, y: zs.tensor([1, 2, 3]) })),
      syntax: await error(() => zs.evaluate("x +", { x })),
      unknown: await error(() => zs.evaluate("x + z", { x })),
      rule: await error(() => zs.evaluate("x + x", { x }, { rule: "magic" })),
      data: await error(() => zs.tensor(new Float32Array(3), [2, 2])),
      dtype: await error(() => zs.tensor([1], [1], "f8")),
      operand: await error(() => zs.evaluate("x + y", { x, y: null })),
      typed: await error(() => zs.tensor(new Float32Array(2), [2], "i32")),
      shape: await error(() => zs.tensor(new Float32Array(2), [2.5])),
      negative: await error(() => zs.plan("x + 1", { x: { shape: [-1], dtype: "f32" } })),
      offset: await error(() => zs.wrap(buffer, [2], "f32", { offset: 1.9 })),
      nested: await error(() => zs.tensor([[1, 2], [3]])),
      strings: await error(() => zs.tensor(["1", 2])),
      fraction: await error(() => zs.tensor([1.5], [1], "i32")),
      large: await error(() => zs.tensor([1, 300], [2], "u8")),
      fraction64: await error(() => zs.tensor([1, 1.5], [2], "i64")),
      text: await error(() => zs.evaluate(5, { x })),
      noText: await error(() => zs.evaluate()),
      noRule: await error(() => zs.evaluate("x", { x }, { rule: 3 })),
      noType: await error(() => x.astype(3)),
      slotType: await error(() => zs.plan("x", { x: { shape: [1], dtype: 3 } })),
      bits: await error(() => x.add(2n ** 130n)),
      noBuffer: await error(() => zs.wrap({ size: 16, usage: 128 }, [4], "f32")),
      operator: await error(() => x + 1),
      planned: await error(() => {
        const plan = zs.plan("x + 1", { x });
        plan.dispose();
        plan.dispose();
        return plan.run({ x });
      }),
      disposed: await error(() => {
        const t = x.add(1);
        t.dispose();
        return t.read();
      }),
    };

    out.habits = {
      nested: plain(await zs.tensor([[1, 2, 3], [4, 5, 6]]).sum(0).read()),
      shape: zs.tensor([[[1], [2]]]).shape,
      bigints: zs.tensor([1n, 2n]).dtype,
      spread: [x.reshape(4, 1).shape, x.reshape(4).shape, x.transpose(1, 0).shape, x.slice(0).broadcastTo(3, 2).shape],
      names: [zs.tensor([1], [1], "float32").dtype, zs.tensor([1], [1], "uint8").dtype],
      shown: [String(x), `${x.sum()}`],
      u64: plain(await zs.tensor(new BigUint64Array([1n])).add(2n ** 63n + 5n).read()),
      alone: plain(await (await zs.evaluate("1 + 2 * 3")).read()),
      made: plain(await (await zs.evaluate("arange(4) * n", { n: 2 })).read()),
      letters: plain(await (await zs.evaluate("größe * 1.5e1 + .5", { größe: x })).read()),
      reading: await (async () => {
        const y = x.add(1);
        const reading = y.read();
        y.dispose();
        y.dispose();
        return plain(await reading);
      })(),
    };
    out.numbers = {
      i64: plain(await zs.tensor([1, -2], [2], "i64").read()),
      bf16: plain(await zs.tensor([1.5, 2], [2], "bf16").astype("f32").read()),
      bool: plain(await zs.tensor(new Uint8Array([0, 2]), [2], "bool").read()),
    };
    const seen = (text, shapes) => {
      const slots = Object.fromEntries(Object.entries(shapes).map(([n, shape]) => [n, { shape, dtype: "f32" }]));
      return zs.plan(text, slots).describe().operands.map((o) => [o.strides ?? null, o.offset ?? null, o.aligned ?? null]);
    };
    const steps = (text, x) => zs.plan(text, { x: { shape: x, dtype: "f32" } }).describe().steps;
    out.steps = steps("(x - x.mean(axis=0)).T", [4, 3]).map(({ work, shape, operands }) => [work, shape, operands.map((o) => o.strides)]);
    out.seen = {
      transposed: seen("x.T + y", { x: [3, 3], y: [3, 3] }),
      flipped: seen("flip(x) + 1", { x: [4] }),
      product: seen("x @ y", { x: [3, 3], y: [3, 3] }),
      expanded: seen("expand(x, (4, 1))", { x: [3] }),
      both: seen("x + x.T", { x: [3, 3] }),
    };

    const adapters = await Promise.all([0, 1].map(() => navigator.gpu.requestAdapter()));
    const own = Object.getOwnPropertyDescriptor(navigator.gpu, "requestAdapter");
    const [device, device2] = await Promise.all(adapters.map((adapter) => adapter.requestDevice()));
    const [other, other2] = await Promise.all([device, device2].map((device) => Zerostride.create({ device })));
    out.theirs = other.device === device && other2.device === device2;
    out.restored = Object.getOwnPropertyDescriptor(navigator.gpu, "requestAdapter") === own;
    out.theirsSum = plain(await other.tensor([1, 2]).add(1).read());
    return out;
  });
  checks.equal("z-scores", found.zscore, [-1, -1, 1, 1]);
  checks.equal("a chain of methods", found.chain, [22, 44, 30, 52]);
  checks.equal("item", found.item, 14);
  checks.equal("a reduction that keeps its axis", found.sum, [3, 11]);
  checks.equal("views", found.views, [2, 1]);
  checks.equal("argmax", found.argmax, ["1n", "1n"]);
  checks.equal("64-bit integers", found.i64, ["4611686018427387909n", "4n"]);
  checks.equal("bool", found.bool, [0, 0, 1, 1]);
  checks.equal("f16", found.f16, [0x3c00, 0x4000, 0x4500, 0x4600]);
  checks.equal("numbers by name", found.number, [1.5, 2, 3.5, 4]);
  checks.equal("matmul", found.matmul, [11, 14, 35, 46]);
  checks.equal("shapes", found.reshape, [[4], [1, 2, 2], [3, 2, 2]]);
  checks.equal("where", found.where, [1, 2, -1, -1]);
  checks.equal("any function of the language", found.called, {
    roll: [2, 1, 6, 5],
    pad: [9, 1, 2, 9, 5, 6],
    kron: [1, -1, 2, -2, 5, -5, 6, -6],
    hstack: [1, 2, 1, 2, 5, 6, 5, 6],
    clip: [1, 1.5, 1.5, 1.5],
    nan: [NaN, 2, 5, 6],
    unknown: "UNKNOWN_NAME",
    word: "ARGUMENT",
    object: "ARGUMENT",
  });
  for (const [dtype, right] of Object.entries(found.types)) checks.check(`elements of ${dtype}`, right);
  checks.equal("bf16", found.bf16, [2, 3]);
  const doubles = [0.1, 3, 5e-324, -1e308].map((x) => x / (x + 0.2) - x * 0.7);
  checks.equal("integers compute f64", found.f64, doubles);
  checks.equal("f64 is cast", found.f64cast, [1.5, -2]);
  checks.equal("a plan", found.plan, {
    shape: [8, 3, 4],
    dtype: "f32",
    operands: [
      ["x", [8, 3, 4], [12, 4, 1]],
      ["m", [null, 3, 1], [0, 1, 0]],
      ["s", [null, null, 4], [0, 0, 1]],
    ],
  });
  checks.check("a plan explains itself", found.explained);
  checks.equal("a plan runs", found.run, [2, 4, 10, 12]);
  checks.equal("dispatches", found.dispatches, { run: 2, again: 1, lazy: 2, computed: 1, evaluate: 1, chain: 1, squares: 1 });
  checks.equal("a plan runs on what lies otherwise", found.runs.strided, [2, 5, 7, 10]);
  checks.equal("a plan refuses other shapes", found.runs.error.code, "ARGUMENT");
  checks.equal("a wrapped buffer", found.wrapped, [10, 30, 20, 40]);
  checks.check("a wrapped buffer is the caller's", found.own);
  checks.check("a result's buffer is WebGPU's", found.buffer);
  const { errors } = found;
  checks.equal("rarer functions are there", found.refused, []);
  checks.equal("extents", errors.extents.code, "EXTENTS");
  checks.equal("the column of extents", errors.extents.column, 3);
  checks.equal("syntax", errors.syntax.code, "SYNTAX");
  checks.equal("an unknown name", [errors.unknown.code, errors.unknown.column], ["UNKNOWN_NAME", 5]);
  checks.check("a caret", /\n {2}x \+ z\n {6}\^/.test(errors.unknown.message), errors.unknown.message);
  checks.equal("an unknown rule", errors.rule.code, "ARGUMENT");
  checks.check("data of another size", typeof errors.data === "object", errors.data);
  checks.equal("an unknown type", errors.dtype.code, "ARGUMENT");
  checks.equal("an operand that is none", errors.operand.code, "ARGUMENT");
  checks.equal("a plan after dispose", errors.planned.code, "DISPOSED");
  checks.equal("habits of NumPy and tfjs", found.habits, {
    nested: [5, 7, 9],
    shape: [1, 2, 1],
    bigints: "i64",
    spread: [[4, 1], [4], [2, 2], [3, 2]],
    names: ["f32", "u8"],
    shown: ["Tensor f32[2, 2]", "Tensor f32[]"],
    u64: ["9223372036854775814n"],
    alone: ["7n"],
    made: ["0n", "2n", "4n", "6n"],
    letters: [15.5, 30.5, 75.5, 90.5],
    reading: [2, 3, 6, 7],
  });
  const refusals = "nested strings fraction large fraction64 text noText noRule noType slotType bits noBuffer operator";
  for (const what of ["typed", "shape", "negative", "offset", ...refusals.split(" ")]) checks.equal(`refused: ${what}`, errors[what].code, "ARGUMENT");
  checks.equal("numbers of each type", found.numbers, { i64: ["1n", "-2n"], bf16: [1.5, 2], bool: [0, 1] });
  const fold = found.steps.find(([work]) => work === "fold");
  checks.equal("steps: the fold", fold, ["fold", [3], [[3, 1]]]);
  checks.equal("steps: the transposed result", found.steps.at(-1), ["map", [3, 4], [[1, 3]]]);
  checks.equal("strides through views", found.seen, {
    transposed: [[[1, 3], 0, null], [[3, 1], 0, [3, 3]]],
    flipped: [[[-1], 3, null]],
    product: [[null, null, null], [null, null, null]],
    expanded: [[[0, 1], 0, [null, 3]]],
    both: [[null, null, null]],
  });
  checks.check("the browser's adapter is asked again", found.restored);
  checks.equal("a tensor after dispose", errors.disposed.code, "DISPOSED");
  checks.check("the caller's device", found.theirs);
  checks.equal("a sum on the caller's device", found.theirsSum, [2, 3]);
  console.log(`on ${found.adapter}`);

  // Nothing leaks: 10^5 operations leave the module's memory and the pool as they were.
  const memory = await page.evaluate(async () => {
    const x = zs.tensor(new Float32Array(64));
    const core = await import("/zerostride/core.js");
    const wasm = await core.default();
    const once = async (count) => {
      for (let i = 0; i < count; i++) {
        const y = x.add(i % 7);
        zs.core.compute(y.array);
        y.dispose();
        if (i % 1000 === 999) await x.read();
      }
      await x.read();
      globalThis.gc?.();
      return [wasm.memory.buffer.byteLength, performance.memory?.usedJSHeapSize ?? 0];
    };
    // The module's memory grows once, by less than half a MiB, when depends on the browser. What leaks grows it each time.
    let before = await once(50_000);
    let start = performance.now();
    let after = await once(100_000);
    for (let more = 0; more < 4 && after[0] > before[0]; more++) {
      before = after;
      start = performance.now();
      after = await once(100_000);
    }
    return { before, after, ms: performance.now() - start };
  });
  checks.check("10^5 operations leave the module's memory", memory.after[0] <= memory.before[0], memory);
  checks.check("10^5 operations leave the heap", memory.after[1] < memory.before[1] + 8e6, memory);
  console.log(`10^5 operations: ${(memory.ms / 100).toFixed(1)} us each; memory ${memory.after[0] >> 20} MiB, heap ${memory.after[1] >> 20} MiB`);

  // Reads give their memory back: of 120 reads of 4 MiB none stays with the GPU's process.
  const gpu = await gpuMemory(browser);
  await page.evaluate(async () => {
    const x = zs.tensor(new Float32Array(1 << 20));
    for (let i = 0; i < 120; i++) {
      const y = x.add(i);
      await y.read();
      y.dispose();
    }
    x.dispose();
    zs.trim();
  });
  const grown = (await gpuMemory(browser)) - gpu;
  checks.check("120 reads of 4 MiB leave the GPU's memory", grown < 128, grown);
  console.log(`120 reads of 4 MiB: ${grown} MiB more in the GPU's process`);

  const lost = await page.evaluate(async () => {
    const { Zerostride } = await import("/zerostride/zerostride.js");
    const x = zs.tensor([1, 2]);
    zs.device.destroy();
    const reason = await zs.lost;
    let code = "no error";
    try {
      await x.add(1).read();
    } catch (e) {
      code = e.code ?? String(e);
    }
    zs.dispose();
    const again = await Zerostride.create();
    return { reason, code, again: Array.from(await again.tensor([1, 2]).add(1).read()) };
  });
  checks.equal("a lost device says so", lost.code, "DEVICE_LOST");
  checks.equal("a new one works", lost.again, [2, 3]);
} finally {
  await browser.close();
  server.close();
}
checks.end("the package in a page");
