// Times (x - mean) * scale by a plan and by a loop in JavaScript, and a copy of as many bytes.

const RUNS = 7;

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

function loop(x, mean, scale, out, columns) {
  for (let i = 0; i < out.length; i += columns) {
    for (let c = 0; c < columns; c++) out[i + c] = (x[i + c] - mean[c]) * scale[c];
  }
}

// Returns the median milliseconds of each, all run several times in turn.
export async function measure(zs, side) {
  const size = side * side;
  const x = Float32Array.from({ length: size }, (_, i) => (i % 1000) / 1000);
  const mean = Float32Array.from({ length: side }, (_, i) => i / side);
  const scale = Float32Array.from({ length: side }, (_, i) => 1 + i / side);
  const own = { x: zs.tensor(x, [side, side]), mean: zs.tensor(mean), scale: zs.tensor(scale) };
  const plan = zs.plan("(x - mean) * scale", own);
  const { device } = zs;
  const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const [from, to] = [0, 1].map(() => device.createBuffer({ size: size * 4, usage }));
  const out = new Float32Array(size);
  const waited = async (work) => {
    const start = performance.now();
    work();
    await device.queue.onSubmittedWorkDone();
    return performance.now() - start;
  };
  const contestants = {
    plan: () =>
      waited(() => {
        const y = plan.run(own);
        zs.core.flush();
        y.dispose();
      }),
    copy: () =>
      waited(() => {
        const encoder = device.createCommandEncoder();
        encoder.copyBufferToBuffer(from, 0, to, 0, size * 4);
        device.queue.submit([encoder.finish()]);
      }),
    loop: () => {
      const start = performance.now();
      loop(x, mean, scale, out, side);
      return performance.now() - start;
    },
  };
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let run = 0; run <= RUNS; run++) {
    for (const [name, contestant] of Object.entries(contestants)) {
      const time = await contestant();
      // The first compiles.
      if (run > 0) times[name].push(time);
    }
  }
  const result = plan.run(own);
  const found = await result.read();
  loop(x, mean, scale, out, side);
  const right = found.every((y, i) => Math.abs(y - out[i]) <= 1e-6);
  [...Object.values(own), result, plan].forEach((t) => t.dispose());
  [from, to].forEach((buffer) => buffer.destroy());
  return { ...Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)])), bytes: 8 * size, right };
}

// Shows the measurements in a table.
export function showTimes(table, { plan, copy, loop, bytes, right }) {
  table.replaceChildren();
  const row = (cells, of = "td") => {
    const tr = table.insertRow();
    cells.forEach((text, i) => {
      const cell = document.createElement(i === 0 ? "th" : of);
      cell.textContent = text;
      tr.append(cell);
    });
  };
  const most = Math.max(plan, copy, loop);
  const line = (name, time) => {
    row([name, `${time.toFixed(2)} ms`, `${(bytes / time / 1e6).toFixed(1)} GB/s`, `${(time / plan).toFixed(2)} x`]);
    table.rows[table.rows.length - 1].style.setProperty("--share", `${(100 * time) / most}%`);
  };
  row(["", "time", "moved", "relative to the plan"], "th");
  line("zerostride, one kernel", plan);
  line("copy by the adapter", copy);
  line("loop in JavaScript", loop);
  if (!right) row(["The results differ.", "", "", ""]);
}
