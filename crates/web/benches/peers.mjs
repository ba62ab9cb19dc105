// Runs the benchmark beside tfjs and onnxruntime-web in one page, and prints a table in Markdown with their sizes.
//
//   node peers.mjs PACKAGE TOOLS PEERS FOLDER      PEERS: where their packages are installed; FOLDER: for the bundle

import { launch, serve } from "../tests/page.mjs";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const [packed, tools, peers, folder] = process.argv.slice(2).map((p) => path.resolve(p));
const here = path.dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(path.join(tools, "package.json"))("esbuild");
const modules = path.join(peers, "node_modules");
const ort = path.join(modules, "onnxruntime-web/dist");
const rounds = Number(process.env.ROUNDS ?? 7);

async function bundle(entry, name) {
  const outfile = path.join(folder, name);
  await esbuild.build({
    ...entry, bundle: true, minify: true, format: "esm", outfile, logLevel: "error", nodePaths: [modules],
    alias: { zerostride: path.join(packed, "zerostride.js") },
  });
  return outfile;
}
const zipped = (...files) => Math.round(files.reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0) / 1024);
const alone = (contents, name) => bundle({ stdin: { contents, resolveDir: here } }, name);

await bundle({ entryPoints: [path.join(here, "contestants.js")] }, "contestants.js");
const sizes = {
  zerostride: zipped(await alone('export * from "zerostride"', "zerostride.js"), path.join(packed, "core_bg.wasm")),
  tfjs: zipped(await alone('export * from "@tensorflow/tfjs-core"; import "@tensorflow/tfjs-backend-webgpu"', "tfjs.js")),
  "jax-js": zipped(await alone('export * from "@jax-js/jax"', "jax.js")),
  "onnxruntime-web": zipped(await alone('export * from "onnxruntime-web/webgpu"', "ort.js"), path.join(ort, "ort-wasm-simd-threaded.asyncify.wasm")),
};
const version = (name) => JSON.parse(readFileSync(path.join(modules, name, "package.json"))).version;

const { server, address } = await serve({ "/bundle/": folder, "/package/": packed, "/ort/": ort });
const browser = await launch(tools);
try {
  const page = await browser.newPage();
  page.on("console", (message) => message.type() === "error" && console.error(`peers: ${message.text()}`));
  await page.goto(`${address}/blank`);
  const found = await page.evaluate(
    async ([address, rounds]) => (await import("/bundle/contestants.js")).measure("/package/core_bg.wasm", `${address}/ort/`, rounds),
    [address, rounds],
  );
  const names = ["tfjs", "onnxruntime-web"];
  console.log(`Chromium ${browser.version()}; tfjs ${version("@tensorflow/tfjs-core")}, onnxruntime-web ${version("onnxruntime-web")}.\n`);
  console.log(`| workload | ${names.join(" | ")} |\n|---|${"---|".repeat(names.length)}`);
  for (const line of found) console.log(`| ${line.workload} | ${names.map((name) => line[name].toPrecision(2)).join(" | ")} |`);
  console.log(`\n| package | KiB after gzip |\n|---|---|`);
  for (const [name, kib] of Object.entries(sizes)) console.log(`| ${name} | ${kib} |`);
} finally {
  await browser.close();
  server.close();
}
