// The Mandelbrot set, computed from two vectors and drawn from the tensor's buffer.

export const STEPS = 96;

const TEXTS = {
  zr: "where(zr * zr + zi * zi <= 16.0, zr * zr - zi * zi + cr, zr)",
  zi: "where(zr * zr + zi * zi <= 16.0, 2.0 * zr * zi + ci, zi)",
  n: "n + (zr * zr + zi * zi <= 16.0).astype(f32)",
};

const SHADER = /* wgsl */ `
struct View { width: u32, height: u32, steps: f32, offset: u32 }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read> n: array<f32>;

@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
  return vec4<f32>(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0);
}

@fragment fn pixel(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
  let x = min(u32(at.x), view.width - 1u);
  let y = min(u32(at.y), view.height - 1u);
  let t = n[view.offset + y * view.width + x] / view.steps;
  if t >= 1.0 { return vec4<f32>(0.06, 0.06, 0.09, 1.0); }
  let s = sqrt(t);
  return vec4<f32>(0.15 + 0.85 * s * s, 0.11 + 0.8 * s, 0.33 + 0.5 * sin(3.1416 * s) * (1.0 - 0.4 * s), 1.0);
}`;

export const WHOLE = { x: -0.6, y: 0, width: 3.6 };

export class Mandelbrot {
  constructor(zs, canvas) {
    this.zs = zs;
    this.canvas = canvas;
    this.view = { ...WHOLE };
    this.resize(canvas.width);
    const { device } = zs;
    this.context = canvas.getContext("webgpu");
    const format = navigator.gpu.getPreferredCanvasFormat();
    this.context?.configure({ device, format, alphaMode: "opaque" });
    const module = device.createShaderModule({ code: SHADER });
    this.pipeline = device.createRenderPipeline({
      layout: "auto",
      vertex: { module },
      fragment: { module, targets: [{ format }] },
      primitive: { topology: "triangle-list" },
    });
    this.uniform = device.createBuffer({ size: 16, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
  }

  // Resizes the canvas to `width` points, a multiple of 48, and two thirds of that in height.
  resize(width) {
    const { zs, canvas } = this;
    const [W, H] = [width, (width * 2) / 3];
    [canvas.width, canvas.height] = [W, H];
    const whole = { shape: [H, W], dtype: "f32" };
    const slots = { zr: whole, zi: whole, cr: { shape: [1, W], dtype: "f32" }, ci: { shape: [H, 1], dtype: "f32" }, n: whole };
    const needs = (text) => Object.fromEntries(Object.entries(slots).filter(([name]) => new RegExp(`\\b${name}\\b`).test(text)));
    [...Object.values(this.plans ?? {}), this.zero].forEach((old) => old?.dispose());
    this.plans = Object.fromEntries(Object.entries(TEXTS).map(([name, text]) => [name, zs.plan(text, needs(text))]));
    this.zero = zs.tensor(new Float32Array(W * H), [H, W]);
  }

  // Counts the steps until each point leaves the set, and draws the counts.
  draw() {
    const { width: W, height: H } = this.canvas;
    const { x, y, width } = this.view;
    const height = (width * H) / W;
    const cr = this.zs.tensor(Float32Array.from({ length: W }, (_, i) => x + ((i + 0.5) / W - 0.5) * width), [1, W]);
    const ci = this.zs.tensor(Float32Array.from({ length: H }, (_, i) => y + (0.5 - (i + 0.5) / H) * height), [H, 1]);
    let [zr, zi, n] = [this.zero, this.zero, this.zero];
    const old = [];
    for (let step = 0; step < STEPS; step++) {
      const at = { zr, zi, cr, ci, n };
      old.push(...(step > 0 ? [zr, zi, n] : []));
      [zr, zi, n] = [this.plans.zr.run(at), this.plans.zi.run(at), this.plans.n.run(at)];
    }
    old.push(zr, zi, cr, ci);
    this.counts?.dispose();
    this.counts = n;
    const buffer = n.buffer;
    if (this.context) this.paint(buffer, n.offset);
    old.forEach((tensor) => tensor.dispose());
  }

  paint(buffer, offset) {
    const { device } = this.zs;
    const { width, height } = this.canvas;
    const view = new ArrayBuffer(16);
    new Uint32Array(view).set([width, height, 0, offset]);
    new Float32Array(view)[2] = STEPS;
    device.queue.writeBuffer(this.uniform, 0, view);
    const group = device.createBindGroup({
      layout: this.pipeline.getBindGroupLayout(0),
      entries: [
        { binding: 0, resource: { buffer: this.uniform } },
        { binding: 1, resource: { buffer } },
      ],
    });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view: this.context.getCurrentTexture().createView(), loadOp: "clear", storeOp: "store" }],
    });
    pass.setPipeline(this.pipeline);
    pass.setBindGroup(0, group);
    pass.draw(3);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  // Zooms by a factor about a point of the canvas, in shares of its sides.
  zoom(factor, fx = 0.5, fy = 0.5) {
    const { width: W, height: H } = this.canvas;
    const { view } = this;
    const height = (view.width * H) / W;
    view.x += (fx - 0.5) * view.width * (1 - factor);
    view.y += (0.5 - fy) * height * (1 - factor);
    // Below this width neighbouring points are the same f32.
    view.width = Math.min(Math.max(view.width * factor, 1e-4), 8);
  }

  move(dx, dy) {
    this.view.x += dx * this.view.width;
    this.view.y += (dy * this.view.width * this.canvas.height) / this.canvas.width;
  }
}
