// What `npm pack` gives, installed into a fresh project, checked by TypeScript, bundled by esbuild and run in a page.
//
//   node bundle.mjs PACKAGE TOOLS FOLDER

import { Checks, launch, serve } from "./page.mjs";
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [packed, tools, folder] = process.argv.slice(2).map((p) => path.resolve(p));
const npm = (...args) => execFileSync("npm", ["--loglevel", "error", "--no-audit", "--no-fund", ...args], { cwd: folder, encoding: "utf8" });
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, "package.json"), '{ "private": true, "type": "module" }');
const file = npm("pack", packed).trim().split("\n").pop();
npm("install", "--offline", `./${file}`);
writeFileSync(
  path.join(folder, "main.ts"),
  `import { Zerostride, ZerostrideError, type Tensor } from "zerostride";
export async function main(wasm: string): Promise<number[]> {
  const zs = await Zerostride.create({ wasm });
  const x: Tensor = zs.tensor(new Float32Array([1, 2, 5, 6]), [2, 2]);
  const y = await zs.evaluate("x - x.mean(axis=0)", { x });
  const shape: number[] = y.shape;
  if (shape.length !== 2) throw new ZerostrideError();
  return Array.from((await y.read()) as Float32Array);
}
export async function elsewhere(): Promise<string> {
  try {
    await Zerostride.create();
    return "no error";
  } catch (error) {
    return (error as ZerostrideError).code;
  }
}
`,
);
const modules = path.join(tools, "node_modules");
const checks = new Checks();
const types = execFileSync(
  process.execPath,
  [
    path.join(modules, "typescript/bin/tsc"), "--noEmit", "--strict", "--target", "esnext", "--module", "esnext",
    "--moduleResolution", "bundler", "--lib", "esnext,dom", "--typeRoots", path.join(modules, "@webgpu"), "--types", "types", "main.ts",
  ],
  { cwd: folder, encoding: "utf8" },
);
checks.equal("types", types, "");
const esbuild = createRequire(path.join(tools, "package.json"))("esbuild");
await esbuild.build({ entryPoints: [path.join(folder, "main.ts")], bundle: true, format: "esm", outfile: path.join(folder, "dist/main.js"), logLevel: "error" });
console.log(`${file}: ${statSync(path.join(folder, file)).size} bytes`);

const { server, address } = await serve({ "/dist/": path.join(folder, "dist"), "/module/": path.join(folder, "node_modules/zerostride") });
const browser = await launch(tools);
try {
  const page = await browser.newPage();
  await page.goto(`${address}/blank`);
  const elsewhere = await page.evaluate(async () => (await import("/dist/main.js")).elsewhere());
  checks.equal("a module that is not beside the bundle", elsewhere, "NO_MODULE");
  const found = await page.evaluate(async () => (await import("/dist/main.js")).main("/module/core_bg.wasm"));
  checks.equal("the bundle computes", found, [-2, -2, 2, 2]);
} finally {
  await browser.close();
  server.close();
}
checks.end("the package in a bundle");
