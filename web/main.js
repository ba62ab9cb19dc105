// The page: reads the inputs, and shows the plan and the result.

import { Zerostride } from "./zerostride/zerostride.js";
import { showGrids } from "./grids.js";
import { showImage } from "./image.js";
import { Mandelbrot, WHOLE } from "./mandelbrot.js";
import { parseOperands, ramps } from "./operands.js";
import { PRESETS, RULES, ruleSays } from "./presets.js";
import { showShapes, showStrides } from "./tables.js";
import { measure, showTimes } from "./timing.js";
import { showWgsl } from "./wgsl.js";

const at = (id) => document.getElementById(id);
const say = (id, text) => (at(id).textContent = text);

let zs;
let set;
let pending;
// Counts the inputs, so that an older answer is not shown.
let typed = 0;

function notice(text) {
  at("notice").hidden = false;
  say("notice", text);
}

function failed(error) {
  at("error").hidden = false;
  say("error", error.message);
  at("results").setAttribute("aria-busy", "true");
}

// Plans and computes the inputs, and shows the result.
async function show() {
  const turn = ++typed;
  const [text, line, rule] = ["text", "operands", "rule"].map((id) => at(id).value);
  history.replaceState(null, "", `#${new URLSearchParams({ text, operands: line, rule })}`);
  PRESETS.forEach((preset, i) => {
    const same = preset.text === text && preset.operands === line && preset.rule === rule;
    at("presets").children[i].setAttribute("aria-pressed", String(same));
  });
  if (!zs) return;
  let plan;
  const tensors = [];
  try {
    const operands = parseOperands(line);
    plan = zs.plan(text, operands, { rule });
    const description = plan.describe();
    showShapes(at("shapes"), description);
    showStrides(at("strides"), description);
    showGrids(at("grids"), description, (words) => say("elements-says", words));
    say("rule-says", ruleSays(text, rule));
    const names = description.operands.map((o) => o.name);
    const name = (i) => names[i] ?? `input ${i}`;
    // In a column, as wide as the text that it replaces.
    const column = (was, indent, i) => indent + name(i).padEnd(was.length - indent.length);
    say("plan", plan.explain().replace(/^( *)input (\d+)/gm, column).replace(/\binput (\d+)/g, (_, i) => name(i)));
    showWgsl(at("wgsl"), plan.wgsl());
    const given = ramps(zs, operands);
    tensors.push(...Object.values(given));
    const result = plan.run(given);
    tensors.push(result);
    const data = await result.read();
    if (turn !== typed) return;
    say("image-says", showImage(at("image"), data, result.shape, result.dtype));
    at("error").hidden = true;
    say("error", "");
    at("results").removeAttribute("aria-busy");
    document.body.dataset.shown = String(turn);
  } catch (error) {
    if (turn === typed && error.code !== "DEVICE_LOST") failed(error);
  } finally {
    tensors.forEach((tensor) => tensor.dispose());
    plan?.dispose();
  }
}

function later() {
  clearTimeout(pending);
  pending = setTimeout(show, 150);
}

function choose(preset) {
  for (const id of ["text", "operands", "rule"]) at(id).value = preset[id];
  clearTimeout(pending);
  return show();
}

function drawSet() {
  if (!set) return;
  try {
    const start = performance.now();
    set.draw();
    const { x, y, width } = set.view;
    say("set-says", `centre ${x.toFixed(5)} ${y < 0 ? "-" : "+"} ${Math.abs(y).toFixed(5)}i, ${width.toPrecision(3)} wide; recorded in ${(performance.now() - start).toFixed(0)} ms`);
    at("set").dataset.width = width;
  } catch (error) {
    say("set-says", error.message);
  }
}

// About as many points as the canvas has pixels on the screen, within what a software adapter computes in a moment.
function fitSet() {
  const canvas = at("set");
  const pixels = canvas.clientWidth * devicePixelRatio;
  const width = Math.min(Math.max(48 * Math.round(pixels / 48), 192), 672);
  if (!set || width === canvas.width) return;
  set.resize(width);
  drawSet();
}

function bindSet() {
  const canvas = at("set");
  let resized;
  new ResizeObserver(() => {
    clearTimeout(resized);
    resized = setTimeout(fitSet, 150);
  }).observe(canvas);
  canvas.addEventListener("click", (event) => {
    const box = canvas.getBoundingClientRect();
    set?.zoom(event.shiftKey ? 2 : 0.5, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    drawSet();
  });
  canvas.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => set.move(-0.1, 0),
      ArrowRight: () => set.move(0.1, 0),
      ArrowUp: () => set.move(0, 0.1),
      ArrowDown: () => set.move(0, -0.1),
      "+": () => set.zoom(0.5),
      "=": () => set.zoom(0.5),
      "-": () => set.zoom(2),
      0: () => (set.view = { ...WHOLE }),
    };
    if (!set || !keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
    drawSet();
  });
  document.querySelectorAll("[data-zoom]").forEach((button) =>
    button.addEventListener("click", () => {
      if (!set) return;
      if (button.dataset.zoom === "reset") set.view = { ...WHOLE };
      else set.zoom(button.dataset.zoom === "in" ? 0.5 : 2);
      drawSet();
    }),
  );
}

async function time() {
  const button = at("measure");
  button.disabled = true;
  try {
    showTimes(at("times"), await measure(zs, Number(at("size").value)));
  } catch (error) {
    at("times").replaceChildren();
    at("times").insertRow().insertCell().textContent = error.message;
  } finally {
    button.disabled = false;
  }
}

// Measures once when the section is first seen.
function timeWhenSeen() {
  const seen = new IntersectionObserver((entries) => {
    if (!zs || !entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    time();
  });
  seen.observe(at("timing"));
}

// Opens a device, and another if that is lost.
async function open() {
  zs = await Zerostride.create();
  globalThis.zs = zs;
  say("adapter", `on ${zs.adapterInfo || "an adapter without a name"}`);
  at("notice").hidden = true;
  zs.lost.then((reason) => {
    notice(`The device was lost (${reason}). Opening another.`);
    zs.dispose();
    zs = undefined;
    set = undefined;
    // A canvas keeps its context of the lost device until it is configured again.
    open().catch((error) => notice(error.message));
  });
  set = new Mandelbrot(zs, at("set"));
  globalThis.set = set;
  await show();
  drawSet();
  fitSet();
  if (!at("times").rows.length) timeWhenSeen();
}

function start() {
  for (const rule of Object.keys(RULES)) at("rule").add(new Option(rule, rule));
  for (const side of [256, 512, 1024, 2048, 4096]) at("size").add(new Option(side, side, side === 1024, side === 1024));
  for (const preset of PRESETS) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = preset.name;
    button.addEventListener("click", () => choose(preset));
    at("presets").append(button);
  }
  const asked = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  const first = { ...PRESETS[0], ...asked };
  if (!(first.rule in RULES)) first.rule = "numpy";
  for (const id of ["text", "operands", "rule"]) {
    at(id).value = first[id];
    at(id).addEventListener("input", later);
  }
  at("form").addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const preset = event.altKey && PRESETS[Number(event.key) - 1];
    if (preset) {
      event.preventDefault();
      choose(preset);
    }
  });
  at("measure").addEventListener("click", time);
  bindSet();
  open().catch((error) => {
    notice(
      error.code === "NO_WEBGPU" || error.code === "NO_ADAPTER"
        ? `This page needs WebGPU, which this browser does not provide: ${error.message}. Chrome and Edge have it, Safari from 26, Firefox on Windows and macOS; on Linux Chrome needs the flag chrome://flags/#enable-unsafe-webgpu.`
        : error.message,
    );
    at("results").setAttribute("aria-busy", "true");
    document.querySelectorAll("button, select").forEach((control) => (control.disabled = true));
    show();
  });
}

start();
