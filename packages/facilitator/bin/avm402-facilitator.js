#!/usr/bin/env node
// Plain JavaScript of an old dialect: it must run in the Node that is too old for the rest.
const major = Number(process.versions.node.split('.')[0]);
if (major < 24) {
  console.error(`avm402-facilitator needs Node 24 or later; this is Node ${process.versions.node}`);
  process.exit(1);
}
await import('../dist/cli.js');
