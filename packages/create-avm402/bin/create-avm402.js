#!/usr/bin/env node
// Plain JavaScript in an old dialect, because it must run in a Node that is too old for the rest.
if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`the project that this makes needs Node 24 or later; this is Node ${process.versions.node}`);
  process.exit(1);
}
await import('../dist/cli.js');
