#!/usr/bin/env node
const [major] = process.versions.node.split('.');
if (Number(major) < 20) {
  console.error(`avm402 needs Node 20 or newer; this is ${process.version}`);
  process.exit(1);
}
const { run } = await import('../dist/cli.js');
await run();
