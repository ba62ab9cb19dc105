// The conformance cases in a page: every *.jsonl of the folders, with the comparison of the native tests.
//
//   node cases.mjs MODULE TOOLS FOLDER...

import { Checks, launch, serve } from "./page.mjs";
import { readdir } from "node:fs/promises";
import path from "node:path";

const [folder, tools, ...folders] = process.argv.slice(2).map((p) => path.resolve(p));
const prefixes = Object.fromEntries(folders.map((f, i) => [`/cases${i}/`, f]));
const { server, address } = await serve({ "/module/": folder, ...prefixes });
const browser = await launch(tools);
const checks = new Checks();
const total = { cases: 0, passed: 0, judgement: 0, unsupported: 0 };
try {
  const page = await browser.newPage();
  await page.goto(`${address}/blank`);
  await page.evaluate(async () => {
    globalThis.module = await import("/module/core.js");
    await module.default();
    const float64 = await import("/module/float64.js");
    globalThis.core = await module.Core.create(float64.default);
  });
  checks.equal("floats that are written in another way than natively", await page.evaluate(() => module.other_floats(20_000)), []);
  for (const [i, f] of folders.entries()) {
    const names = (await readdir(f)).filter((name) => name.endsWith(".jsonl")).sort();
    for (const name of names) {
      // A file of shape cases alone needs no data.
      const report = await page.evaluate(
        async ([base, name]) => {
          const lines = await (await fetch(`${base}${name}.jsonl`)).text();
          const data = await fetch(`${base}${name}.bin`);
          const bytes = new Uint8Array(data.ok ? await data.arrayBuffer() : 0);
          return JSON.parse(await module.run_cases(core, name, lines, bytes));
        },
        [`/cases${i}/`, path.basename(name, ".jsonl")],
      );
      console.log(
        `${report.file}: passed ${report.passed}, failed ${report.failures.length}, judgement ${report.judgement}, ` +
          `unsupported ${report.unsupported}`,
      );
      checks.equal(`${report.file}: what is not there`, report.reasons, []);
      checks.passed += report.passed;
      checks.failed.push(...report.failures);
      for (const key of Object.keys(total)) total[key] += report[key];
    }
  }
} finally {
  await browser.close();
  server.close();
}
checks.check("there are cases", total.cases > 0);
console.log(`${total.cases} cases, ${total.judgement} arguable, ${total.unsupported} of what is not there`);
checks.end("the conformance cases in a page");
