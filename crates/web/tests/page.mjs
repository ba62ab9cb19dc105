// A page in headless Chromium, with files of the repository behind it.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

// Serves folders by their prefixes on loopback; gives the address.
export async function serve(folders, port = 0) {
  const server = createServer(async (request, response) => {
    const url = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const prefix = Object.keys(folders).find((p) => url.startsWith(p));
    const file = prefix && path.join(folders[prefix], path.normalize(url.slice(prefix.length) || "index.html"));
    try {
      if (!file || !file.startsWith(folders[prefix])) throw new Error("outside");
      const body = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
      response.end(body);
    } catch {
      const blank = url === "/blank";
      response.writeHead(blank ? 200 : 404, { "content-type": "text/html" });
      response.end(blank ? "<!doctype html><title>blank</title>" : "not there");
    }
  });
  await new Promise((ready) => server.listen(port, "127.0.0.1", ready));
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

// Debian's Chromium with WebGPU on SwiftShader. `tools`: where playwright-core was installed.
export async function launch(tools, { webgpu = true } = {}) {
  const { chromium } = createRequire(path.join(tools, "package.json"))("playwright-core");
  const args = ["--headless=new", "--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  if (webgpu) {
    args.push("--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader", "--js-flags=--expose-gc");
    // Without these the device is lost when a canvas is drawn to.
    args.push("--use-gl=angle", "--use-angle=swiftshader", "--enable-features=Vulkan", "--use-vulkan=swiftshader");
  }
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: false, args });
}

// MiB of memory that the browser's GPU process holds.
export async function gpuMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const pid = processInfo.find(({ type }) => type === "GPU").id;
  const kib = /^RssAnon:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))[1];
  return Math.round(kib / 1024);
}

// Counts checks, and says at the end which failed.
export class Checks {
  passed = 0;
  failed = [];

  check(what, holds, found) {
    if (holds) this.passed++;
    else this.failed.push(found === undefined ? what : `${what}: ${JSON.stringify(found)}`);
  }

  equal(what, found, wanted) {
    this.check(what, JSON.stringify(found) === JSON.stringify(wanted), { found, wanted });
  }

  end(name) {
    console.log(`${name}: passed ${this.passed}, failed ${this.failed.length}`);
    this.failed.forEach((line) => console.log(`  ${line}`));
    if (this.failed.length > 0) process.exitCode = 1;
  }
}
