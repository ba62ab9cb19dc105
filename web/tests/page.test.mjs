// The page's flows: type, error, preset, hover, keys, zoom, timing, widths, a lost device, no WebGPU.
//
//   node page.test.mjs SITE TOOLS SCREENSHOTS

import { Checks, launch, serve } from "../../crates/web/tests/page.mjs";
import path from "node:path";

const [site, tools, pictures] = process.argv.slice(2).map((p) => path.resolve(p));
const { server, address } = await serve({ "/": site });
const checks = new Checks();
const browser = await launch(tools);
try {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
  page.on("pageerror", (error) => checks.check("no error is left uncaught", false, String(error)));
  await page.goto(`${address}/`);
  const shown = async (more) => {
    const before = Number((await page.evaluate(() => document.body.dataset.shown)) ?? 0);
    await more?.();
    await page.waitForFunction((n) => Number(document.body.dataset.shown ?? 0) > n, before, { timeout: 60_000 });
  };
  await page.waitForFunction(() => document.body.dataset.shown, undefined, { timeout: 60_000 });
  const text = (id) => page.textContent(`#${id}`);
  const cells = (id) => page.$$eval(`#${id} tr`, (rows) => rows.map((tr) => [...tr.cells].map((td) => td.textContent)));

  checks.equal("the shapes of the first example", await cells("shapes"), [["x  f32", "5", "8"], ["y  f32", "", "8"], ["result  f32", "5", "8"]]);
  checks.equal("its strides", await cells("strides"), [["x", "8", "1"], ["y", "0", "1"], ["result", "8", "1"]]);
  checks.equal("zeros are lit", await page.$$eval("#strides td.zero", (all) => all.length), 1);
  checks.check("the kernel is there, and marked", (await page.$$("#wgsl mark")).length > 0 && (await text("wgsl")).includes("@compute"));
  checks.check("the plan is there", (await text("plan")).includes("mapping"));

  // Type.
  await shown(() => page.fill("#operands", "x=f32[2,3] y=f32[2,1]"));
  checks.equal("typed operands", (await cells("strides"))[1], ["y", "1", "0"]);
  await shown(() => page.fill("#text", "x * 10 + y"));
  const values = await page.evaluate(async () => {
    const x = zs.tensor(new Float32Array([0, 0.4, 0.8, 1.2, 1.6, 2]), [2, 3]);
    return Array.from(await (await zs.evaluate("x * 10 + y", { x, y: zs.tensor([0, 2], [2, 1]) })).read(), (v) => Math.round(v * 10) / 10);
  });
  checks.equal("computed values", values, [0, 4, 8, 14, 18, 22]);
  checks.check("the picture's legend", /f32\[2, 3\], from 5.5 \(dark\) to 22/.test(await text("image-says")), await text("image-says"));

  // Mistakes.
  await page.fill("#text", "x * 10 + z");
  await page.waitForSelector("#error:not([hidden])");
  checks.check("an unknown name, in place", /unknown name `z`[^]*\n {2}x \* 10 \+ z\n {11}\^/.test(await text("error")), await text("error"));
  await page.screenshot({ path: path.join(pictures, "error.png") });
  await page.fill("#text", "x + y");
  await page.fill("#operands", "x=f32[2,3] y=f32[4]");
  await page.waitForFunction(() => /3/.test(document.getElementById("error").textContent) && /4/.test(document.getElementById("error").textContent));
  await page.fill("#operands", "x=f33[2]");
  await page.waitForFunction(() => document.getElementById("error").textContent.includes("f33"));

  // Presets, each with its rule.
  const names = await page.$$eval("#presets button", (all) => all.map((b) => b.textContent));
  for (const name of names) {
    await shown(() => page.click(`#presets button:text-is("${name}")`));
    checks.equal(`${name} is chosen`, await page.$eval(`#presets button:text-is("${name}")`, (b) => b.getAttribute("aria-pressed")), "true");
    checks.check(`${name} has no error`, await page.isHidden("#error"));
  }
  await shown(() => page.keyboard.press("Alt+3"));
  checks.equal("Alt and 3", await page.inputValue("#text"), "x - y");

  // An element lights what it reads.
  await page.hover('#grids [data-place="7"]');
  checks.equal("a hovered element", await page.$$eval("#grids .at", (all) => all.length), 3);
  checks.check("and its words", (await text("elements-says")).startsWith("result[0, 1, 1] reads x[0, 0, 1] at offset 1, y[1, 0] at offset 1"), await text("elements-says"));
  await page.focus('#grids [data-place="0"]');
  await page.keyboard.press("ArrowDown");
  checks.check("arrow keys", (await text("elements-says")).startsWith("result[0, 1, 0]"), await text("elements-says"));

  // What rules of one call, views and steps in between make of it.
  const preset = (name) => shown(() => page.click(`#presets button:text-is("${name}")`));
  const lit = () => page.$$eval("#grids figure", (all) => all.map((figure) => figure.querySelectorAll(".at").length));
  await preset("bidirectional");
  checks.equal("expand is aligned", (await cells("shapes"))[0], ["x  f32", "", "3", "5"]);
  checks.equal("and its strides", (await cells("strides"))[0], ["x", "0", "5", "1"]);
  checks.check("and its rule", (await text("rule-says")).startsWith("Bidirectional"), await text("rule-says"));
  await preset("transposed");
  await page.hover('#grids [data-place="7"]');
  checks.check("a transposed operand", (await text("elements-says")).includes("y[7, 0] at offset 35"), await text("elements-says"));
  await preset("softmax");
  await page.hover('#grids [data-place="20"]');
  checks.equal("an element of a softmax reads its row", await lit(), [1, 16]);
  await preset("product");
  await page.hover('#grids [data-place="13"]');
  checks.equal("one of a product reads a row and a column", await lit(), [1, 8, 8]);
  for (const [text, operands, reads] of [
    ["x.sum(axis=0)", "x=f32[3,4]", [1, 3]],
    ["cumsum(x, axis=0)", "x=f32[6]", [1, 2]],
    ["take(x, i, axis=0)", "x=f32[5] i=i32[3]", [1, 5, 1]],
    ["concat((x, y))", "x=f32[1] y=f32[3]", [1, 0, 1]],
  ]) {
    await shown(async () => {
      await page.fill("#operands", operands);
      await page.fill("#text", text);
    });
    await page.waitForFunction((n) => document.querySelectorAll("#grids figure").length === n, reads.length);
    await page.hover('#grids [data-place="1"]');
    checks.equal(`what an element of ${text} reads`, await lit(), reads);
  }

  // The set.
  const counts = () =>
    page.evaluate(async () => {
      const n = await set.counts.read();
      const { width, height } = set.canvas;
      return { centre: n[(height / 2) * width + width / 2], corner: n[0], width: set.view.width };
    });
  const whole = await counts();
  checks.equal("points in the set and outside", [whole.centre, whole.corner < 5], [96, true]);
  await page.click('[data-zoom="in"]');
  checks.equal("zoomed in", (await counts()).width, whole.width / 2);
  await page.focus("#set");
  await page.keyboard.press("-");
  await page.keyboard.press("ArrowRight");
  checks.check("zoomed out and moved", (await page.evaluate(() => set.view.x)) > -0.6);
  await page.keyboard.press("0");
  checks.equal("the whole set again", (await counts()).width, whole.width);

  // Timing.
  await page.selectOption("#size", "256");
  await page.click("#measure");
  await page.waitForSelector("#times tr:nth-child(4)", { timeout: 60_000 });
  checks.equal("four lines of times", (await cells("times")).length, 4);

  // Widths and colours.
  await shown(() => page.click('#presets button:text-is("normalise")'));
  await page.hover('#grids [data-place="23"]');
  await page.screenshot({ path: path.join(pictures, "light.png"), fullPage: true });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.screenshot({ path: path.join(pictures, "dark.png"), fullPage: true });
  await page.setViewportSize({ width: 390, height: 844 });
  const wide = await page.evaluate(() => set.canvas.width);
  await page.waitForFunction((before) => set.canvas.width < before, wide, { timeout: 20_000 });
  checks.equal("a resized set is drawn again", await page.evaluate(() => [set.canvas.height * 3, set.counts.shape.join()]), await page.evaluate(() => [set.canvas.width * 2, [set.canvas.height, set.canvas.width].join()]));
  checks.equal("and the same", (await counts()).centre, 96);
  checks.check("no sideways scrolling on a phone", await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.screenshot({ path: path.join(pictures, "phone.png"), fullPage: true });

  // A lost device, and again.
  await shown(() => page.evaluate(() => zs.device.destroy()));
  checks.check("after a lost device the page goes on", await page.isHidden("#notice"));
  checks.equal("and computes", (await counts()).centre, 96);

  // An address that says what to show.
  await page.goto("about:blank");
  await page.goto(`${address}/#${new URLSearchParams({ text: "x.sum(axis=0)", operands: "x=i64[3,4]", rule: "numpy" })}`);
  await page.waitForFunction(() => document.body.dataset.shown, undefined, { timeout: 60_000 });
  checks.check("an address is shown", (await text("image-says")).startsWith("i64[4]"), await text("image-says"));
} finally {
  await browser.close();
}

const without = await launch(tools, { webgpu: false });
try {
  const page = await without.newPage({ viewport: { width: 1000, height: 700 } });
  await page.goto(`${address}/`);
  await page.waitForSelector("#notice:not([hidden])", { timeout: 20_000 });
  checks.check("a notice where there is no WebGPU", /WebGPU/.test(await page.textContent("#notice")));
  await page.screenshot({ path: path.join(pictures, "no-webgpu.png") });
} finally {
  await without.close();
  server.close();
}
checks.end("the page");
