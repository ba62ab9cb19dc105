// Compiles every .wgsl file of a folder with Tint, Dawn's WGSL compiler, and makes a pipeline of one in eight.
// Usage: node check-tint.mjs FOLDER-OF-THE-PACKAGE FOLDER-OF-TEXTS
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [packageFolder, folder] = process.argv.slice(2);
const { create } = await import(pathToFileURL(join(packageFolder, 'index.js')));

const gpu = create(['backend=vulkan']);
const adapter = await gpu.requestAdapter();
if (!adapter) {
  console.error('check-tint: Dawn finds no Vulkan adapter');
  process.exit(2);
}
// Some kernels are for devices with more memory for a workgroup than the least.
const { maxComputeWorkgroupStorageSize } = adapter.limits;
const device = await adapter.requestDevice({ requiredLimits: { maxComputeWorkgroupStorageSize } });
console.log(`adapter: ${adapter.info.vendor} ${adapter.info.architecture} ${adapter.info.device} ${adapter.info.description}`);

const names = readdirSync(folder).filter((name) => name.endsWith('.wgsl')).sort();
let failures = 0;
for (const name of names) {
  const code = readFileSync(join(folder, name), 'utf8');
  const what = code.trimEnd().split('\n').at(-1).replace('// ', '');
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code });
  const { messages } = await module.getCompilationInfo();
  let reasons = messages.filter((m) => m.type === 'error').map((m) => `${m.lineNum}:${m.linePos}: ${m.message}`);
  if (reasons.length === 0 && names.indexOf(name) % 8 === 0) {
    // Making a pipeline checks what only the back end does: layouts, workgroup sizes, SPIR-V. It takes much longer.
    try {
      await device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'main' } });
    } catch (error) {
      reasons = [`pipeline: ${error.message}`];
    }
  }
  const scoped = await device.popErrorScope();
  if (scoped && reasons.length === 0) {
    reasons = [scoped.message];
  }
  if (reasons.length > 0) {
    failures += 1;
    if (failures <= 20) {
      console.log(`${name}: ${what}\n  ${reasons.slice(0, 3).join('\n  ')}`);
    }
  }
}
console.log(`Tint: ${names.length} kernels, ${failures} refused`);
// Dawn's threads outlive the script otherwise.
process.exit(failures > 0 || names.length === 0 ? 1 : 0);
