#!/usr/bin/env node
// Plain JavaScript of an old dialect: it must run in the Node that is too old for the rest.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`create-avm402 needs Node 20.19 or later; this is Node ${process.versions.node}`);
  process.exit(1);
}
await import('../dist/cli.js');
