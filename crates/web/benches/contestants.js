// zerostride, tfjs and onnxruntime-web on WebGPU, behind the same calls. Bundled and run in a page by peers.mjs.

import * as tf from "@tensorflow/tfjs-core";
import "@tensorflow/tfjs-backend-webgpu";
import * as ort from "onnxruntime-web/webgpu";
import { Zerostride } from "zerostride";
import { model } from "./model.js";

const SIDE = 1024;
const SMALL = 16;
const shapes = { x: [SIDE, SIDE], y: [SIDE, SIDE], r: [SIDE], c: [SIDE, 1], p: [SMALL, SMALL], q: [SMALL, SMALL] };

// Name, operands, text for zerostride, tfjs, nodes of an ONNX model, calls in a round.
export const WORKLOADS = [
  ["same", ["x", "y"], "x + y", (t) => tf.add(t.x, t.y), [["Add", ["x", "y"], "out"]], 20],
  ["row", ["x", "r"], "x + r", (t) => tf.add(t.x, t.r), [["Add", ["x", "r"], "out"]], 20],
  ["outer", ["c", "r"], "c * r", (t) => tf.mul(t.c, t.r), [["Mul", ["c", "r"], "out"]], 20],
  ["norm", ["x", "r", "c"], "(x - r) / c", (t) => tf.div(tf.sub(t.x, t.r), t.c),
    [["Sub", ["x", "r"], "d"], ["Div", ["d", "c"], "out"]], 20],
  ["softmax", ["x"], "e = exp(x - x.max(axis=-1, keepdims=True)); e / e.sum(axis=-1, keepdims=True)",
    (t) => tf.softmax(t.x), [["Softmax", ["x"], "out"]], 10],
  ["1,000 small calls", ["p", "q"], "p + q", (t) => tf.add(t.p, t.q), [["Add", ["p", "q"], "out"]], 1000],
];

const data = {};
for (const [name, shape] of Object.entries(shapes)) {
  const size = shape.reduce((a, b) => a * b, 1);
  data[name] = Float32Array.from({ length: size }, (_, i) => 0.5 + ((i * 7919) % 1000) / 1000);
}

// Each makes of a workload a function that computes it so many times and gives the last result's elements.
const contestants = {
  async zerostride(wasm) {
    const zs = await Zerostride.create({ wasm });
    const own = Object.fromEntries(Object.entries(data).map(([name, x]) => [name, zs.tensor(x, shapes[name])]));
    return ([, names, text]) => {
      const given = Object.fromEntries(names.map((name) => [name, own[name]]));
      const plan = zs.plan(text, given);
      return async (calls) => {
        let out;
        for (let i = 0; i < calls; i++) {
          out?.dispose();
          out = plan.run(given);
        }
        const found = await out.read();
        out.dispose();
        return found;
      };
    };
  },
  async tfjs() {
    await tf.setBackend("webgpu");
    await tf.ready();
    // Else tensors of less than 1,000 elements are computed by JavaScript.
    tf.env().set("WEBGPU_CPU_FORWARD", false);
    const own = Object.fromEntries(Object.entries(data).map(([name, x]) => [name, tf.tensor(x, shapes[name])]));
    return ([, , , compute]) => async (calls) => {
      let out;
      for (let i = 0; i < calls; i++) {
        out?.dispose();
        out = tf.tidy(() => compute(own));
      }
      const found = await out.data();
      out.dispose();
      return found;
    };
  },
  async "onnxruntime-web"(wasm, folder) {
    ort.env.wasm.wasmPaths = folder;
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = "error";
    return async ([, names, , , nodes]) => {
      const inputs = Object.fromEntries(names.map((name) => [name, shapes[name]]));
      const session = await ort.InferenceSession.create(model(nodes, inputs, "out"), {
        executionProviders: ["webgpu"],
        preferredOutputLocation: "gpu-buffer",
      });
      const device = await ort.env.webgpu.device;
      const feeds = {};
      for (const name of names) {
        const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
        const buffer = device.createBuffer({ size: data[name].byteLength, usage });
        device.queue.writeBuffer(buffer, 0, data[name]);
        feeds[name] = ort.Tensor.fromGpuBuffer(buffer, { dataType: "float32", dims: shapes[name] });
      }
      return async (calls) => {
        let out;
        for (let i = 0; i < calls; i++) {
          out?.dispose();
          ({ out } = await session.run(feeds));
        }
        const found = await out.getData();
        out.dispose();
        return found;
      };
    };
  },
};

const median = (xs) => xs.sort((a, b) => a - b)[xs.length >> 1];

// How many times zerostride's time each takes, by workload: medians over rounds, in each of which each ran once.
export async function measure(wasm, folder, rounds) {
  const makers = {};
  for (const [name, make] of Object.entries(contestants)) makers[name] = await make(wasm, folder);
  const lines = [];
  for (const workload of WORKLOADS) {
    const calls = workload.at(-1);
    const runs = {};
    let expected;
    for (const [name, make] of Object.entries(makers)) {
      runs[name] = await make(workload);
      const found = await runs[name](1);
      expected ??= found;
      const off = found.findIndex((v, i) => !(Math.abs(v - expected[i]) <= 1e-5 * Math.abs(expected[i]) + 1e-9));
      if (off >= 0 || found.length !== expected.length) throw new Error(`${workload[0]}: ${name} differs at ${off}`);
    }
    const ratios = Object.fromEntries(Object.keys(runs).map((name) => [name, []]));
    for (let round = 0; round <= rounds; round++) {
      const times = {};
      for (const [name, run] of Object.entries(runs)) {
        const begun = performance.now();
        await run(calls);
        times[name] = performance.now() - begun;
      }
      // The first warms up.
      if (round > 0) for (const name of Object.keys(runs)) ratios[name].push(times[name] / times.zerostride);
    }
    lines.push({ workload: workload[0], ...Object.fromEntries(Object.entries(ratios).map(([name, r]) => [name, median(r)])) });
  }
  return lines;
}
