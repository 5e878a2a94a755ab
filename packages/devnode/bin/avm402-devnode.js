#!/usr/bin/env node
const MINIMUM = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < MINIMUM) {
  console.error(`avm402-devnode needs Node ${MINIMUM} or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}
await import('../dist/cli.js');
